import { mkdir, rm } from "node:fs/promises";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import { openOnce, type AllowList } from "../core/index.ts";
import { discardRepository, initializeBare } from "./mirror/bare.ts";
import { createContentHistory } from "./history/content-history.ts";
import type { ContentHistory } from "./history/content-history.ts";
import { openGitHome } from "./program/environment.ts";
import { findMergeBase, listCommits, type CommitSummary } from "./work/compare.ts";
import { findLastChanges } from "./history/last-changes.ts";
import type { LastChanges, LastChangesQuery } from "./history/last-changes.ts";
import { locateMirror, openMirror, createMirrors, readRemoteRefs } from "./mirror/mirror.ts";
import { findBranch, findTree, listBranches, resolveRef } from "./mirror/ref.ts";
import type { Commit, Mirror, RemoteRepository, Repository } from "./repository.ts";
import { openSourceReader } from "./history/source-reader.ts";
import type { SourceReader } from "./history/source-reader.ts";
import { ownProcesses } from "./program/processes.ts";
import type { Processes } from "./program/processes.ts";
import type { CheckoutPoint, RemoteRefs, Mirrors } from "./mirror/mirror.ts";
import { callGit, defaultLimits, openWorkIndex, readGit } from "./program/tools.ts";
import type { GitLimits, GitLog, GitTools } from "./program/tools.ts";

export interface GitOptions {
  /**
   * The absolute path of a folder for mirrors and similar data. It may be deleted, and is created again when needed.
   */
  readonly cacheDir: string;
  readonly allow: AllowList;
  readonly log?: GitLog;
  readonly limits?: Partial<GitLimits>;
  /** The processes in which git runs. Defaults to child processes of this process. */
  readonly processes?: Processes;
}

export interface CheckoutSource {
  readonly repository: Repository;
  /** The directory to check out; `.` for the repository's root. */
  readonly directory: string;
}

export interface Checkout extends Commit {
  /** The folder that contains the directory's files (`targetDir`). */
  readonly dir: string;
}

/** A folder of files, and git's index of the files that it wrote there. Keep or remove both together. */
export interface ReusedFolder {
  readonly targetDir: string;
  /** A file outside `targetDir`. */
  readonly indexFile: string;
}

export interface UpdatedCheckout extends Checkout {
  /** The size of the files on a disk with blocks of 4 KiB. */
  readonly diskBytes: number;
}

type FilesAtCommit = Omit<LastChangesQuery, "directory">;

/**
 * The only access to git. Every call has an environment built from scratch, without hooks, filters, LFS or submodules,
 * and does not reach private or local addresses unless the operator has allowed them. Addresses, arguments,
 * configuration, errors and logs do not contain credentials.
 *
 * All methods throw `OctavoError`: `repository_unreachable` (with advice), `ref_not_found`, `site_invalid` (no commits,
 * no such directory), `invalid_input` (malformed address), `too_large`, `cancelled`, `unavailable` (git is not
 * installed on this machine).
 */
export interface Git {
  /** Returns an up-to-date copy of the repository. */
  fetchMirror(repository: Repository, signal?: AbortSignal): Promise<Mirror>;
  /**
   * Resolves a branch, a tag, a commit, or a prefix of a commit. Defaults to the remote's HEAD. Does not use the
   * network.
   */
  resolveRef(mirror: Mirror, ref?: string): Promise<Commit>;
  /**
   * Writes one directory at one commit into `targetDir`, which is created if missing and must be empty. Symbolic links
   * are written unchanged and may point outside it, so code that reads the files must check them.
   */
  checkout(
    source: CheckoutSource,
    point: CheckoutPoint,
    targetDir: string,
    signal?: AbortSignal,
  ): Promise<Checkout>;
  /**
   * Like `checkout`, but `reused` may contain an earlier checkout of any commit, in which only the files that differ
   * are written. Files that other programs changed are restored; files that other programs added may remain.
   */
  updateCheckout(
    source: CheckoutSource,
    point: CheckoutPoint,
    reused: ReusedFolder,
    signal?: AbortSignal,
  ): Promise<UpdatedCheckout>;
  /**
   * Opens a directory and its history at the commit of `point`, for reading without a checkout. Throws `not_found` if
   * the repository does not contain the directory at that commit.
   */
  openSource(
    source: CheckoutSource,
    point: CheckoutPoint,
    signal?: AbortSignal,
  ): Promise<SourceReader>;
  /**
   * For each given file of a directory, returns the day (such as `2026-11-20`) of the last commit that changed it, up
   * to a checked-out commit. Omits files whose day is not known.
   */
  findLastChanges(source: CheckoutSource, query: FilesAtCommit): Promise<LastChanges>;
  /** Reads the description of a commit that was checked out. */
  readCommit(repository: Repository, commit: string, signal?: AbortSignal): Promise<CommitSummary>;
  /**
   * Finds the commit at which a checked-out commit forks from a branch, whose copy is updated first. Returns undefined
   * if they have no common history. Throws `ref_not_found` if there is no such branch.
   */
  findForkCommit(
    repository: Repository,
    fork: { readonly commit: string; readonly branch: string },
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /** Opens the history of a directory's files up to a checked-out commit. */
  readContentHistory(
    source: CheckoutSource,
    commit: string,
    signal?: AbortSignal,
  ): Promise<ContentHistory>;
  /**
   * Returns the branch that `ref` names in the copy from the last checkout. Defaults to the branch of the remote's
   * HEAD. Returns undefined for a tag or a commit, or if there is no copy.
   */
  findBranch(repository: Repository, ref?: string): Promise<string | undefined>;
  /**
   * Asks a remote for the refs that match patterns such as `HEAD` and `refs/tags/*`, without fetching anything. Git also
   * lists longer names that end in a pattern.
   */
  readRefs(
    repository: RemoteRepository,
    patterns: readonly string[],
    signal?: AbortSignal,
  ): Promise<RemoteRefs>;
  /** Lists short branch names in the last fetched copy; the branch with the newest commit comes first. */
  listBranches(repository: Repository, limit: number): Promise<readonly string[]>;
  /** Creates an empty bare repository with HEAD on `main`; leaves an existing one unchanged. */
  createRepository(path: string): Promise<void>;
  /** Commits all files below `folder` as the branch `main` of a repository without commits. Returns the commit. */
  importFolder(path: string, folder: string, message: string): Promise<string>;
}

interface OpenedTools {
  readonly tools: GitTools;
  readonly mirrors: Mirrors;
}

/**
 * Creates the access to git. Does not start a process. Git is located on first use, so a service that never uses git
 * can run without it.
 */
export function createGit(options: GitOptions): Git {
  const open = openOnce<OpenedTools>(() => openTools(options));

  return {
    async fetchMirror(repository, signal) {
      const { mirrors } = await open();
      return await mirrors.update(repository, signal);
    },
    async resolveRef(mirror, ref) {
      const { tools } = await open();
      return await resolveRef(tools, mirror, ref);
    },
    async checkout({ repository, directory }, point, targetDir, signal) {
      return await retryIfDamaged(await open(), repository, async ({ tools, mirrors }) => {
        const located = await mirrors.locate(repository, point, signal);
        await checkOut(tools, { ...located, directory, targetDir, signal });
        return { dir: targetDir, ...located.at };
      });
    },
    async updateCheckout({ repository, directory }, point, reused, signal) {
      return await retryIfDamaged(await open(), repository, async ({ tools, mirrors }) => {
        const located = await mirrors.locate(repository, point, signal);
        const plan = { ...located, directory, targetDir: reused.targetDir, signal };
        const diskBytes = await updateFiles(tools, plan, reused.indexFile);
        return { dir: reused.targetDir, ...located.at, diskBytes };
      });
    },
    async openSource({ repository, directory }, point, signal) {
      return await retryIfDamaged(await open(), repository, async ({ tools, mirrors }) => {
        const located = await mirrors.locate(repository, point, signal);
        return await openSourceReader(tools, located, directory);
      });
    },
    async findLastChanges({ repository, directory }, query) {
      const { tools, mirrors } = await open();
      const { commit, signal } = query;
      const { mirror } = await mirrors.locate(repository, { commit }, signal);
      return await findLastChanges(tools, mirror, { ...query, directory });
    },
    async readCommit(repository, commit, signal) {
      return await readCommit(await open(), { repository, commit, signal });
    },
    async findForkCommit(repository, fork, signal) {
      return await findForkCommit(await open(), { repository, ...fork, signal });
    },
    async readContentHistory({ repository, directory }, commit, signal) {
      const { tools, mirrors } = await open();
      const { mirror } = await mirrors.locate(repository, { commit }, signal);
      return createContentHistory(tools, { mirror, commit, directory });
    },
    async findBranch(repository, ref) {
      const { tools } = await open();
      const mirror = await openMirror(tools, repository);
      return await findBranch(tools, mirror, ref);
    },
    async readRefs(repository, patterns, signal) {
      return await readRemoteRefs((await open()).tools, repository, patterns, signal);
    },
    async listBranches(repository, limit) {
      const { tools } = await open();
      return await listBranches(tools, await openMirror(tools, repository), limit);
    },
    async createRepository(path) {
      const { tools } = await open();
      await initializeBare(tools, path);
    },
    async importFolder(path, folder, message) {
      const { tools } = await open();
      return await importFolder(tools, { path }, { folder, message });
    },
  };
}

interface CheckoutPlan {
  readonly mirror: Mirror;
  readonly at: Commit;
  /** The path in the repository; `.` is its root. */
  readonly directory: string;
  /** The folder to write. It is created if missing; otherwise, it must be empty. */
  readonly targetDir: string;
  readonly signal: AbortSignal | undefined;
}

/**
 * Writes the files of one directory at one commit into `targetDir`, exactly as committed. Symbolic links remain links;
 * submodules are omitted; filters and hooks do not run. Throws `site_invalid` if the directory does not exist, and
 * `too_large` before anything is written.
 */
async function checkOut(tools: GitTools, plan: CheckoutPlan): Promise<void> {
  const { tree } = await measureTree(tools, plan);
  await using index = openWorkIndex(tools);
  await writeTree(tools, plan, { tree, indexFile: index.file });
}

/**
 * Like `checkOut`, but writes only the files that differ from the files that `indexFile` records. Returns the size of
 * all files on the disk.
 */
async function updateFiles(
  tools: GitTools,
  plan: CheckoutPlan,
  indexFile: string,
): Promise<number> {
  const { tree, diskBytes } = await measureTree(tools, plan);
  try {
    await writeTree(tools, plan, { tree, indexFile });
  } catch (error) {
    if (!isOctavoError(error, "internal")) throw error;
    // The index may be damaged. If the mirror is damaged, the second attempt fails too.
    await Promise.all([
      rm(plan.targetDir, { recursive: true, force: true }),
      rm(indexFile, { force: true }),
    ]);
    await writeTree(tools, plan, { tree, indexFile });
  }
  return diskBytes;
}

async function writeTree(
  tools: GitTools,
  { mirror, targetDir, signal }: CheckoutPlan,
  { tree, indexFile }: { readonly tree: string; readonly indexFile: string },
): Promise<void> {
  await mkdir(targetDir, { recursive: true });
  await readGit(tools, mirror, ["read-tree", "--reset", "-u", tree], {
    environment: { GIT_INDEX_FILE: indexFile, GIT_WORK_TREE: targetDir },
    signal,
  });
}

interface MeasuredTree {
  readonly tree: string;
  readonly diskBytes: number;
}

/** The block size of most file systems. */
const blockBytes = 4096;

/**
 * Finds the tree of a directory. Throws `too_large` if it contains too many files or bytes: a tree of a few kilobytes
 * can represent millions of files.
 */
async function measureTree(tools: GitTools, plan: CheckoutPlan): Promise<MeasuredTree> {
  const tree = await requireSiteTree(tools, plan);
  const { checkoutFiles, checkoutBytes } = tools.limits;
  const format = ["ls-tree", "-r", "--format=%(objectsize)", tree];
  const list = await readGit(tools, plan.mirror, format, { signal: plan.signal });
  let [files, bytes, diskBytes] = [0, 0, 0];
  for (const line of list.trimEnd().split("\n")) {
    // The size of a submodule is `-`.
    const size = Number.parseInt(line, 10) || 0;
    files++;
    bytes += size;
    diskBytes += Math.max(1, Math.ceil(size / blockBytes)) * blockBytes;
  }
  if (files <= checkoutFiles && bytes <= checkoutBytes) return { tree, diskBytes };
  throw new OctavoError(
    "too_large",
    `The site's folder contains more than ${checkoutFiles.toLocaleString("en")} files or ` +
      `${Math.round(checkoutBytes / 1024 ** 2).toLocaleString("en")} MB; it is too large to export.`,
  );
}

async function requireSiteTree(
  tools: GitTools,
  { mirror, at, directory }: CheckoutPlan,
): Promise<string> {
  const tree = await findTree(tools, mirror, { commit: at.commit, directory });
  if (tree !== undefined) return tree;
  throw new OctavoError(
    "site_invalid",
    `There is no folder ${JSON.stringify(directory)} in the repository at ${at.ref} (${at.commit.slice(0, 12)}). ` +
      "Correct the project's directory, or push the folder.",
  );
}

/** The author and committer of the service's own commits. */
const serviceIdentity = {
  GIT_AUTHOR_NAME: "Octavo",
  GIT_AUTHOR_EMAIL: "octavo@localhost",
  GIT_COMMITTER_NAME: "Octavo",
  GIT_COMMITTER_EMAIL: "octavo@localhost",
};

interface ImportedFolder {
  readonly folder: string;
  readonly message: string;
}

/** Commits all files below `folder` as the branch `main` of a repository that does not have commits yet. */
async function importFolder(
  tools: GitTools,
  repository: Mirror,
  source: ImportedFolder,
): Promise<string> {
  const commit = await commitFolder(tools, repository, source);
  // The branch must not exist yet. If someone has pushed in the meantime, the update fails.
  const nullHash = "0".repeat(commit.length);
  await readGit(tools, repository, ["update-ref", "refs/heads/main", commit, nullHash]);
  return commit;
}

/** Commits all files below `folder`, without a parent; does not create a ref. */
export async function commitFolder(
  tools: GitTools,
  repository: Mirror,
  { folder, message }: ImportedFolder,
): Promise<string> {
  await using index = openWorkIndex(tools);
  const environment = { ...serviceIdentity, GIT_INDEX_FILE: index.file, GIT_WORK_TREE: folder };
  const add = ["--literal-pathspecs", "add", "--all", "--force", "--", folder];
  await readGit(tools, repository, add, { environment });
  const tree = (await readGit(tools, repository, ["write-tree"], { environment })).trim();
  const options = { environment, input: `${message}\n` };
  return (await readGit(tools, repository, ["commit-tree", tree, "-F", "-"], options)).trim();
}

interface LocatedQuery {
  readonly repository: Repository;
  readonly commit: string;
  readonly signal: AbortSignal | undefined;
}

async function readCommit(
  { tools, mirrors }: OpenedTools,
  { repository, commit, signal }: LocatedQuery,
): Promise<CommitSummary> {
  const { mirror } = await mirrors.locate(repository, { commit }, signal);
  const [summary] = await listCommits(tools, mirror, { to: commit, limit: 1 });
  if (summary) return summary;
  throw new OctavoError("internal", "A commit that was checked out could not be read.");
}

async function findForkCommit(
  { tools, mirrors }: OpenedTools,
  { repository, commit, branch, signal }: LocatedQuery & { readonly branch: string },
): Promise<string | undefined> {
  const { at } = await mirrors.locate(repository, { ref: `refs/heads/${branch}` }, signal);
  const { mirror } = await mirrors.locate(repository, { commit }, signal);
  return await findMergeBase(tools, mirror, { from: at.commit, to: commit });
}

/** Runs `work`. If the repository's copy is corrupt, runs `work` once more with a new copy. */
async function retryIfDamaged<T>(
  opened: OpenedTools,
  repository: Repository,
  work: (opened: OpenedTools) => Promise<T>,
): Promise<T> {
  try {
    return await work(opened);
  } catch (error) {
    if (!isOctavoError(error) || !(await discardDamaged(opened.tools, repository, error))) {
      throw error;
    }
    return await work(opened);
  }
}

/** If `error` came from a corrupt copy on this machine, discards the copy and returns true. */
async function discardDamaged(
  tools: GitTools,
  repository: Repository,
  error: OctavoError,
): Promise<boolean> {
  if ("url" in repository) {
    if (error.code !== "internal") return false;
    tools.log("A mirror is damaged and will be fetched again", { url: repository.url, error });
    await discardRepository(locateMirror(tools, repository));
    return true;
  }
  if (!("origin" in repository)) return false;
  const isDamaged = error.code === "internal" || !(await hasAllTips(tools, repository));
  if (!isDamaged) return false;
  tools.log("A copy is damaged and will be created again", { path: repository.path, error });
  await discardRepository(repository);
  return true;
}

/** Reports whether the objects that refs point to exist. Returns false if the repository has lost packs. */
async function hasAllTips(tools: GitTools, { path }: Mirror): Promise<boolean> {
  const result = await callGit(tools, ["for-each-ref", "--format=%(objecttype)"], {
    environment: { GIT_DIR: path },
  });
  return result.exitCode === 0;
}

export async function openTools(options: GitOptions): Promise<OpenedTools> {
  const { cacheDir, allow, log = () => undefined, processes = ownProcesses } = options;
  const home = await openGitHome(cacheDir);
  const limits = { ...defaultLimits, ...options.limits };
  const tools: GitTools = { processes, home, cacheDir, allow, log, limits };
  await refuseOldGit(tools);
  return { tools, mirrors: createMirrors(tools) };
}

/**
 * Throws if git is older than 2.37. Older versions ignore `http.curloptResolve`, which restricts git to the addresses
 * that were checked.
 */
async function refuseOldGit(tools: GitTools): Promise<void> {
  const { stdout } = await callGit(tools, ["version"]);
  const [, major = "0", minor = "0"] = /(\d+)\.(\d+)/.exec(stdout) ?? [];
  if (Number(major) > 2 || (Number(major) === 2 && Number(minor) >= 37)) return;
  throw new OctavoError(
    "unavailable",
    `Octavo needs git 2.37 or newer; this machine has ${JSON.stringify(stdout.trim())}.`,
  );
}
