import type { IncomingMessage, ServerResponse } from "node:http";
import { OctavoError } from "@octavo/site/core";
import {
  commitFolder,
  createMerge,
  discardRepository,
  openOnce,
  openTools,
  previewMerge,
  pushMerge,
  removeLeftovers,
} from "../git/index.ts";
import type { GitOptions, GitTools, Merge, MergePreview, RemoteRepository } from "../git/index.ts";
import { removeCopy, updateCopy } from "./copy/hosted-copy.ts";
import { followMirror, updateHostedRef } from "./hosted-refs.ts";
import type { HostedRepository, RefUpdate, RepositoryStore } from "./store/repository-store.ts";
import { publishRefs } from "./publish.ts";
import { serveGit } from "./http/serve.ts";
import type { ServeResult, ServeRequest } from "./http/serve.ts";

/**
 * Bare repositories that the service hosts: creates them, serves clones and pushes over HTTP, and merges.
 * Their hooks never run. What is read is true on every node when the call begins, and a change that was reported is
 * seen by every node. All methods throw `OctavoError`.
 */
export interface GitHosting {
  /** One that lasts in `store`, whether it exists or not, with this node's copy at `path`. */
  at(path: string, store: RepositoryStore): HostedRepository;
  /** Creates an empty one with HEAD on `main`; leaves an existing one unchanged. */
  create(repository: HostedRepository): Promise<void>;
  /** One commit of all files below `folder`, as the branch `main`; `conflict` if there is such a branch. */
  importFolder(repository: HostedRepository, folder: string, message: string): Promise<string>;
  /** Removes one with its content, and this node's copy; does nothing if there is none. */
  remove(repository: HostedRepository): Promise<void>;
  /** Removes this node's copy; leaves a folder that was never published. */
  removeCopy(repository: Pick<HostedRepository, "path">): Promise<void>;
  /**
   * Removes what dead processes left on this machine: of pushes, of mirrors, and of copies named `<name>.git` in
   * `repositoriesDir`. Needs no git.
   */
  removeLeftovers(repositoriesDir: string): Promise<void>;
  /**
   * Updates a copy to another repository's current branches and tags. Branches below `octavo/` exist only in the
   * copy, and are neither copied nor removed.
   */
  follow(
    repository: HostedRepository,
    source: RemoteRepository,
    signal?: AbortSignal,
  ): Promise<void>;
  /** Handles one HTTP request from git, and creates the repository on the first one; see `serveGit`. */
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
  /**
   * As `merge`, for a copy: the branch of the repository that it follows is moved, and the copy follows. Throws
   * `forbidden` if the credentials may not push to that branch, and otherwise as a fetch does.
   */
  mergeOutside(
    repository: HostedRepository,
    merge: Merge,
    target: RemoteRepository,
  ): Promise<string>;
}

/** Each uses two processes and the memory of a pack; further requests are refused until one ends. */
const maxTransfers = 16;

/** Opens nothing until it is first used; `options` as of `createGit`. */
export function createGitHosting(options: GitOptions): GitHosting {
  const open = openOnce(() => openTools(options));
  const openedTools = async () => (await open()).tools;
  let served = 0;
  return {
    at: (path, store) => openRepository(openedTools, path, store),
    async create(repository) {
      await updateCopy(await openedTools(), repository);
    },
    async importFolder(repository, folder, message) {
      const tools = await openedTools();
      await updateCopy(tools, repository);
      const to = await commitFolder(tools, repository, { folder, message });
      await updateHostedRef(tools, repository, { name: "refs/heads/main", to, expected: null });
      return to;
    },
    async remove(repository) {
      await repository.store.remove();
      await discardRepository(repository);
    },
    async removeCopy(repository) {
      await removeCopy(repository);
    },
    async removeLeftovers(repositoriesDir) {
      await removeLeftovers({ cacheDir: options.cacheDir, repositoriesDir });
    },
    async follow(repository, source, signal) {
      const { tools, sources } = await open();
      const mirror = await sources.update(source, signal);
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
      return await repository.store.readRefs(names);
    },
    async updateRef(repository, update) {
      await updateHostedRef(await openedTools(), repository, update);
    },
    async previewMerge(repository, commits) {
      const tools = await openedTools();
      await updateCopy(tools, repository);
      return await previewMerge(tools, repository, commits);
    },
    async merge(repository, merge) {
      const tools = await openedTools();
      await updateCopy(tools, repository);
      const commit = await createMerge(tools, repository, merge);
      if (commit === merge.baseCommit) return commit;
      const { base, baseCommit: expected } = merge;
      const name = `refs/heads/${base}`;
      await updateHostedRef(tools, repository, { name, to: commit, expected });
      return commit;
    },
    async mergeOutside(repository, merge, target) {
      const { tools, sources } = await open();
      await updateCopy(tools, repository);
      const commit = await createMerge(tools, repository, merge);
      const { base: branch, baseCommit: expected } = merge;
      if (commit !== expected) {
        await pushMerge(tools, repository, { target, branch, commit, expected });
      }
      await followMirror(tools, repository, { mirror: await sources.update(target) });
      return commit;
    },
  };
}

/** A repository whose copy git brings up to date by itself before it reads it. */
function openRepository(
  openedTools: () => Promise<GitTools>,
  path: string,
  store: RepositoryStore,
): HostedRepository {
  const repository: HostedRepository = {
    path,
    store,
    origin: {
      async updateCopy(signal) {
        await updateCopy(await openedTools(), repository, signal);
      },
      async moveRef({ objects, ...update }, signal) {
        const plan = { updates: [update], objects, signal };
        const lost = await publishRefs(await openedTools(), repository, plan);
        if (lost.length === 0) return true;
        const { name, to } = update;
        return ((await store.readRefs([name])).get(name) ?? null) === to;
      },
    },
  };
  return repository;
}
