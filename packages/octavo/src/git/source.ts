import { isOctavoError, OctavoError } from "@octavo/site/core";
import { fetchCommit, mirrorOf, updateMirror } from "./mirror.ts";
import { askObjects, isFullCommit, resolveRef } from "./ref.ts";
import type { Commit, Mirror, RemoteRepository, Repository } from "./repository.ts";
import type { GitTools } from "./tools.ts";
import type { Turns } from "./turns.ts";

/** A ref as the remote has it now (its HEAD when absent), or a whole commit, fetched where it is missing. */
export type CheckoutPoint = { readonly ref?: string | undefined } | { readonly commit: string };

export interface Located {
  readonly mirror: Mirror;
  readonly at: Commit;
}

/** Repositories as mirrors: each is brought up to date by one caller at a time. */
export interface Sources {
  update(repository: Repository, signal?: AbortSignal): Promise<Mirror>;
  /** What `point` means, and a mirror that holds it. */
  locate(repository: Repository, point: CheckoutPoint, signal?: AbortSignal): Promise<Located>;
}

export function createSources(tools: GitTools, turns: Turns): Sources {
  async function update(repository: Repository, signal?: AbortSignal): Promise<Mirror> {
    if ("path" in repository) return repository;
    const { path } = mirrorOf(tools, repository);
    return await turns.take(path, () => updateMirror(tools, repository, signal));
  }

  async function obtain(
    repository: RemoteRepository,
    commit: string,
    signal: AbortSignal | undefined,
  ): Promise<Mirror> {
    const mirror = mirrorOf(tools, repository);
    // A commit never changes: what is here already need not be asked for.
    if (await holds(tools, mirror, commit)) return mirror;
    await update(repository, signal);
    if (await holds(tools, mirror, commit)) return mirror;
    await turns.take(mirror.path, () => fetchCommit(tools, repository, { commit, signal }));
    return mirror;
  }

  return {
    update,
    async locate(repository, point, signal) {
      if (!("commit" in point)) {
        const mirror = await update(repository, signal);
        return { mirror, at: await resolveRef(tools, mirror, point.ref) };
      }
      const { commit } = point;
      if (!isFullCommit(commit)) throw noCommit(commit);
      const mirror = "path" in repository ? repository : await obtain(repository, commit, signal);
      if (!(await holds(tools, mirror, commit))) throw noCommit(commit);
      return { mirror, at: { commit, ref: commit } };
    },
  };
}

/** Whether the commit can be read from the mirror; false also where there is no mirror yet. */
async function holds(tools: GitTools, mirror: Mirror, commit: string): Promise<boolean> {
  try {
    const [answer = ""] = await askObjects(tools, mirror, [`${commit}^{commit}`]);
    return answer.startsWith(`${commit} commit `);
  } catch (error) {
    if (isOctavoError(error, "internal")) return false;
    throw error;
  }
}

function noCommit(commit: string): OctavoError {
  return new OctavoError(
    "ref_not_found",
    `The repository has no commit ${JSON.stringify(commit)}, or no longer gives it out.`,
  );
}
