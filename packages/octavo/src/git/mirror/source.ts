import { OctavoError, isOctavoError } from "@octavo/site/core";
import { fetchCommit, locateMirror, updateMirror } from "./mirror.ts";
import { isFullCommit, queryObjects, resolveRef } from "./ref.ts";
import type { GitTools } from "../program/tools.ts";
import type { Commit, Mirror, RemoteRepository, Repository } from "../repository.ts";

/**
 * A ref, at its current commit on the remote (by default the remote's HEAD), or a full commit hash, fetched if missing.
 */
export type CheckoutPoint = { readonly ref?: string | undefined } | { readonly commit: string };

interface LocatedCommit {
  readonly mirror: Mirror;
  readonly at: Commit;
}

/** Mirrors of repositories. Only one caller at a time updates a mirror. */
export interface Sources {
  update(repository: Repository, signal?: AbortSignal): Promise<Mirror>;
  /** Finds the commit of `point`, and a mirror that contains it. */
  locate(
    repository: Repository,
    point: CheckoutPoint,
    signal?: AbortSignal,
  ): Promise<LocatedCommit>;
}

export function createSources(tools: GitTools, turns: TaskQueues): Sources {
  async function update(repository: Repository, signal?: AbortSignal): Promise<Mirror> {
    if ("origin" in repository) await repository.origin.updateCopy(signal);
    if ("path" in repository) return repository;
    const { path } = locateMirror(tools, repository);
    return await turns.take(path, () => updateMirror(tools, repository, signal));
  }

  async function obtain(
    repository: RemoteRepository,
    commit: string,
    signal: AbortSignal | undefined,
  ): Promise<Mirror> {
    const mirror = locateMirror(tools, repository);
    // A commit never changes, so a commit that is already here need not be fetched.
    if (await hasCommit(tools, mirror, commit)) return mirror;
    await update(repository, signal);
    if (await hasCommit(tools, mirror, commit)) return mirror;
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
      if (!isFullCommit(commit)) throw commitNotFound(commit);
      const isHere = "path" in repository;
      const mirror = await (isHere
        ? update(repository, signal)
        : obtain(repository, commit, signal));
      if (!(await hasCommit(tools, mirror, commit))) throw commitNotFound(commit);
      return { mirror, at: { commit, ref: commit } };
    },
  };
}

/** Reports whether the commit can be read from the mirror. False if there is no mirror yet. */
async function hasCommit(tools: GitTools, mirror: Mirror, commit: string): Promise<boolean> {
  try {
    const [line = ""] = await queryObjects(tools, mirror, [`${commit}^{commit}`]);
    return line.startsWith(`${commit} commit `);
  } catch (error) {
    if (isOctavoError(error, "internal")) return false;
    throw error;
  }
}

function commitNotFound(commit: string): OctavoError {
  return new OctavoError(
    "ref_not_found",
    `The repository has no commit ${JSON.stringify(commit)}, or its server no longer provides it.`,
  );
}

/** Runs the tasks with the same name one after another, in order. */
export class TaskQueues {
  readonly #last = new Map<string, Promise<unknown>>();

  /** Rejects if `task` rejects. A failed task does not block the next one. */
  async take<T>(name: string, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(name) ?? Promise.resolve();
    const current = before.then(task, task);
    this.#last.set(name, current);
    try {
      return await current;
    } finally {
      if (this.#last.get(name) === current) this.#last.delete(name);
    }
  }
}
