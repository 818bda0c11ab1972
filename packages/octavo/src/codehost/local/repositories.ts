import { join } from "node:path";
import { isId } from "../../core/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { GitHosting, HostedRepository } from "../../git/index.ts";
import { asGiven } from "../code-host.ts";
import type { CodeHostProject } from "../code-host.ts";

/** The word that stands for a repository that lives here and nowhere else. */
const livesHere = "local";

/** Whether the service's repository is the project's only one, and not a copy. */
export function isOnlyHere({ repository }: Pick<CodeHostProject, "repository">): boolean {
  return repository === livesHere;
}

/** The bare repositories below one folder, one for each project that has its code host here. */
export interface Repositories {
  /** Where the project's lies, whether it is there or not. */
  at(projectId: string): HostedRepository;
  /** Makes it, or brings a copy up to date with the outside repository that it is a copy of. */
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
      if (isOnlyHere(project)) {
        await hosting.create(repository);
        return repository;
      }
      await hosting.follow(repository, asGiven(project), signal);
      return repository;
    },
    async remove(projectId) {
      await hosting.remove(at(projectId));
    },
  };
}
