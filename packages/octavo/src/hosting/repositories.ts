import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { sql } from "kysely";
import type { Kysely } from "kysely";
import { isId } from "../core/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { Tables } from "../db/index.ts";
import { isHostedHere, toRemoteRepository } from "./project-repository.ts";
import type { ProjectRepository } from "./project-repository.ts";
import { createRepositoryStore } from "./store/database-store.ts";
import type { StoreOptions } from "./store/database-store.ts";
import type { GitHosting } from "./hosting.ts";
import type { HostedRepository } from "./store/repository-store.ts";

/** Of the folders of copies. */
const ending = ".git";

/** The repositories of the projects with this code host. */
export interface Repositories {
  /** A project's repository, whether it exists or not. */
  at(projectId: string): HostedRepository;
  /** Creates the repository, or updates the copy from the external repository. */
  prepare(project: ProjectRepository, signal?: AbortSignal): Promise<HostedRepository>;
  remove(projectId: string): Promise<void>;
  /** Removes this node's copies of deleted projects, and what dead processes left in others. */
  removeLeftovers(): Promise<void>;
}

export interface RepositoriesOptions extends StoreOptions {
  /** For this node's copies. */
  readonly folder: string;
  readonly hosting: GitHosting;
}

export function createRepositories(options: RepositoriesOptions): Repositories {
  const { folder, hosting } = options;

  function at(projectId: string): HostedRepository {
    if (!isId("project", projectId)) {
      throw new OctavoError("not_found", "There is no such repository.");
    }
    const store = createRepositoryStore(options, projectId);
    return hosting.at(join(folder, projectId + ending), store);
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
    async removeLeftovers() {
      await hosting.removeLeftovers(folder);
      const names = await readdir(folder).catch(() => []);
      const ids = names
        .filter((name) => name.endsWith(ending))
        .map((name) => name.slice(0, -ending.length))
        .filter((id) => isId("project", id));
      for (const id of await findDeleted(options.db, ids)) await hosting.removeCopy(at(id));
    },
  };
}

async function findDeleted(db: Kysely<Tables>, ids: readonly string[]): Promise<readonly string[]> {
  if (ids.length === 0) return [];
  const { rows } = await sql<{ id: string }>`
    select copy.id from jsonb_array_elements_text(${JSON.stringify(ids)}::text::jsonb) as copy (id)
    where not exists (select from projects where projects.id = copy.id)`.execute(db);
  return rows.map(({ id }) => id);
}
