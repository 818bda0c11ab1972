import type { IncomingMessage, ServerResponse } from "node:http";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { initializeBare, isComplete } from "./bare.ts";
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
import type { ServeResult, ServeRequest } from "./serve.ts";

/**
 * Bare repositories that the service hosts: creates them, serves clones and pushes over HTTP, and merges.
 * Their hooks never run. All methods throw `OctavoError`.
 */
export interface GitHosting {
  /** Creates an empty one with HEAD on `main`; leaves an existing one unchanged. */
  create(repository: HostedRepository): Promise<void>;
  /** Removes one with its content; does nothing if there is none. */
  remove(repository: HostedRepository): Promise<void>;
  /**
   * Updates a copy to another repository's current branches and tags. Branches below `octavo/` exist only in the
   * copy, and are neither copied nor removed.
   */
  follow(
    repository: HostedRepository,
    source: RemoteRepository,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Handles one HTTP request from git; see `serveGit`. */
  serve(
    http: { readonly request: IncomingMessage; readonly response: ServerResponse },
    request: ServeRequest,
  ): Promise<ServeResult>;
  /** The commits of the refs with these full names, or below them. */
  readRefs(repository: HostedRepository, names: readonly string[]): Promise<Map<string, string>>;
  /** Moves one ref, if it stands where the caller expects it; else `conflict`. */
  updateRef(repository: HostedRepository, update: RefUpdate): Promise<void>;
  previewMerge(
    repository: HostedRepository,
    commits: Pick<Merge, "baseCommit" | "headCommit">,
  ): Promise<MergePreview>;
  /** Returns the base branch's new commit; throws `conflict` if it cannot be merged. */
  merge(repository: HostedRepository, merge: Merge): Promise<string>;
}

/** Each uses two processes and the memory of a pack; further requests are refused until one ends. */
const maxTransfers = 16;

/** Opens nothing until it is first used; `options` as of `createGit`. */
export function createGitHosting(options: GitOptions): GitHosting {
  const open = openOnce(() => openTools(options));
  const openedTools = async () => (await open()).tools;
  let served = 0;
  return {
    async create(repository) {
      if (await isComplete(repository.path)) return;
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
      if (served >= maxTransfers) {
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

/** Only one caller at a time, across all processes, creates or updates a repository. */
async function lock({ path }: HostedRepository, signal?: AbortSignal): Promise<AsyncDisposable> {
  await mkdir(dirname(path), { recursive: true });
  return await acquireLock(`${path}.lock`, signal);
}
