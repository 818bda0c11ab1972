import { join } from "node:path";
import { isId } from "../../core/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { GitHosting, HostedRepository } from "../../git/index.ts";
import { toRemoteRepository } from "../code-host.ts";
import type { CodeHostProject } from "../code-host.ts";

/** The `repository` value of a project whose repository exists only here. */
const hostedRepository = "local";

/** Whether the service's repository is the project's own, not a copy. */
export function isHostedHere({ repository }: Pick<CodeHostProject, "repository">): boolean {
  return repository === hostedRepository;
}

/** The bare repositories below one folder, one per project with this code host. */
export interface Repositories {
  /** The location of a project's repository, whether it exists or not. */
  at(projectId: string): HostedRepository;
  /** Creates the repository, or updates the copy from the external repository. */
  prepare(project: CodeHostProject, signal?: AbortSignal): Promise<HostedRepository>;
  remove(projectId: string): Promise<void>;
}

export function createRepositories(folder: string, hosting: GitHosting): Repositories {
  function at(projectId: string): HostedRepository {
    if (!isId("project", projectId)) {
      throw new OctavoError("not_found", "There is no such repository.");
    }
    return { path: join(folder, `${projectId}.git`) };
  }

  return {
    at,
    async prepare(project, signal) {
      const repository = at(project.id);
      if (isHostedHere(project)) {
        await hosting.create(repository);
        return repository;
      }
      await hosting.follow(repository, toRemoteRepository(project), signal);
      return repository;
    },
    async remove(projectId) {
      await hosting.remove(at(projectId));
    },
  };
}
