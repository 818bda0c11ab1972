import type { IncomingMessage, ServerResponse } from "node:http";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { initializeBare, isWhole } from "./bare.ts";
import { openTools } from "./git.ts";
import type { GitOptions } from "./git.ts";
import { followMirror, readHostedRefs, updateHostedRef } from "./hosted-refs.ts";
import type { RefUpdate } from "./hosted-refs.ts";
import { acquireLock } from "./lock.ts";
import { mergeInto, previewMerge } from "./merge.ts";
import type { Merge, MergePreview } from "./merge.ts";
import { openOnce } from "./open-once.ts";
import type { HostedRepository, RemoteRepository } from "./repository.ts";
import { serveGit } from "./serve.ts";
import type { Served, ServeRequest } from "./serve.ts";

/**
 * Bare repositories that the service keeps itself: made, given out and filled over HTTP, and merged in.
 * Their hooks never run. All throw `OctavoError`.
 */
export interface GitHosting {
  /** Makes an empty one with its HEAD on `main`; leaves one that is there as it is. */
  create(repository: HostedRepository): Promise<void>;
  /** Takes one away with all that is in it; nothing where there is none. */
  remove(repository: HostedRepository): Promise<void>;
  /**
   * Makes a repository a copy of another's branches and tags as they are now. Branches below `octavo/`
   * live in the copy only, and are neither taken over nor removed.
   */
  follow(
    repository: HostedRepository,
    source: RemoteRepository,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Answers one HTTP request of git's; `serveGit` says what holds. */
  serve(
    http: { readonly request: IncomingMessage; readonly response: ServerResponse },
    request: ServeRequest,
  ): Promise<Served>;
  /** Where the refs stand that have these full names, or lie below them. */
  readRefs(repository: HostedRepository, names: readonly string[]): Promise<Map<string, string>>;
  /** Moves one ref, if it stands where the caller expects it; else `conflict`. */
  updateRef(repository: HostedRepository, update: RefUpdate): Promise<void>;
  previewMerge(
    repository: HostedRepository,
    commits: Pick<Merge, "baseCommit" | "headCommit">,
  ): Promise<MergePreview>;
  /** Gives back where the base branch stands then; `conflict` where it cannot be. */
  merge(repository: HostedRepository, merge: Merge): Promise<string>;
}

/** Each is two processes and the memory of a pack; more wait for nobody, they are told to come again. */
const maximumServed = 16;

/** Opens nothing until it is first used; `options` as of `createGit`. */
export function createGitHosting(options: GitOptions): GitHosting {
  const open = openOnce(() => openTools(options));
  const openedTools = async () => (await open()).tools;
  let served = 0;
  return {
    async create(repository) {
      if (await isWhole(repository.path)) return;
      const tools = await openedTools();
      await using _lock = await lock(repository);
      await initializeBare(tools, repository.path);
    },
    async remove({ path }) {
      const removed = `${path}.removed-${process.pid}-${Date.now()}`;
      await rename(path, removed).catch((error: NodeJS.ErrnoException) => {
        if (error.code !== "ENOENT") throw error;
      });
      await rm(removed, { recursive: true, force: true });
    },
    async follow(repository, source, signal) {
      const { tools, sources } = await open();
      const mirror = await sources.update(source, signal);
      await using _lock = await lock(repository, signal);
      await initializeBare(tools, repository.path, signal);
      await followMirror(tools, repository, { mirror, signal });
    },
    async serve(http, request) {
      if (served >= maximumServed) {
        throw new OctavoError("unavailable", "Too many transfers are running; try again soon.", {
          details: { retryAfterSeconds: 5 },
        });
      }
      served++;
      try {
        return await serveGit(await openedTools(), http, request);
      } finally {
        served--;
      }
    },
    async readRefs(repository, names) {
      return await readHostedRefs(await openedTools(), repository, names);
    },
    async updateRef(repository, update) {
      await updateHostedRef(await openedTools(), repository, update);
    },
    async previewMerge(repository, commits) {
      return await previewMerge(await openedTools(), repository, commits);
    },
    async merge(repository, merge) {
      return await mergeInto(await openedTools(), repository, merge);
    },
  };
}

/** One caller at a time, of all processes, makes a repository or brings it up to date. */
async function lock({ path }: HostedRepository, signal?: AbortSignal): Promise<AsyncDisposable> {
  await mkdir(dirname(path), { recursive: true });
  return await acquireLock(`${path}.lock`, signal);
}
