import { hostedRepository } from "../core/index.ts";
import type { Credentials, RemoteRepository } from "../git/index.ts";

/** A project and the location of its repository. */
export interface ProjectRepository {
  readonly id: string;
  /** An `https:`, `ssh:` or `file:` address without credentials, or `local`. */
  readonly repository: string;
  readonly credentials?: Credentials | undefined;
}

/** Reports whether the repository that the service hosts is the project's own, not a copy. */
export function isHostedHere({ repository }: Pick<ProjectRepository, "repository">): boolean {
  return repository === hostedRepository;
}

/** Returns a remote repository with the project's own credentials. */
export function toRemoteRepository({
  repository,
  credentials,
}: ProjectRepository): RemoteRepository {
  return { url: repository, ...(credentials ? { credentials } : {}) };
}
