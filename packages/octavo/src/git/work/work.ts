import { OctavoError, cleanRelativePath, createInputError } from "@octavo/site/core";
import {
  findChanges,
  listChangedFiles,
  diff,
  findMergeBase,
  listCommits,
  measureChanges,
} from "./compare.ts";
import type {
  CheckoutState,
  CommitList,
  CommitRange,
  CommitSummary,
  DiffRequest,
  GitFileChange,
  MeasuredChange,
} from "./compare.ts";
import { commitFiles, writeCommit } from "./commit.ts";
import type { NewCommit, CommitRecord, Person } from "./commit.ts";
import { openTools } from "../git.ts";
import type { GitOptions } from "../git.ts";
import { openMirror } from "../mirror/mirror.ts";
import { openOnce } from "../../core/index.ts";
import { pushBranch, removeBranch } from "./push.ts";
import type { BranchRemoval, Push } from "./push.ts";
import type { Mirror, Repository } from "../repository.ts";
import type { GitTools } from "../program/tools.ts";
import { callGit, readGit } from "../program/tools.ts";
import { isFullCommit, queryObjects } from "../mirror/ref.ts";
import { createGitError } from "../program/failure.ts";

export interface Merge {
  /** The short name of the branch that receives the commits. */
  readonly base: string;
  /** The tips of both branches, as full hashes of commits in the repository. */
  readonly baseCommit: string;
  readonly headCommit: string;
  readonly author: Person;
  /** The message of the merge commit, if one is needed. */
  readonly message: string;
  readonly at: Date;
}

export interface MergePreview {
  /** The merged tree; undefined if the histories cannot be merged. */
  readonly tree?: string;
  /** The paths that both sides changed differently; empty if the sides merge cleanly. */
  readonly conflicts: readonly string[];
}

interface CommitMerge extends Omit<CommitRecord, "tree" | "parents"> {
  /** The commit into which the other is merged. Both are full hashes of commits in the repository. */
  readonly ours: string;
  readonly theirs: string;
}

interface MergedCommits {
  /** The merge commit, with both commits as parents. */
  readonly commit: string;
  /**
   * Files that both sides changed differently. The commit contains them with conflict markers and must never be pushed.
   */
  readonly conflicts: readonly string[];
}

interface Rebase extends Omit<CommitRecord, "tree" | "parents"> {
  /** The commit to rebase, with its changes since its history diverged from the history of `onto`. */
  readonly commit: string;
  /** The new parent. Both are full hashes of commits in the repository. */
  readonly onto: string;
  /** A commit that `commit` merged. The new commit merges it too. */
  readonly merged?: string | undefined;
}

interface Revert extends Omit<CommitRecord, "tree" | "parents"> {
  /** The changes to undo: those between the two commits, as full hashes. */
  readonly from: string;
  readonly to: string;
  /** The parent of the new commit, whose history contains `to`. */
  readonly onto: string;
}

export interface FileAtCommit {
  /** The full hash of a commit in the repository. */
  readonly commit: string;
  /** The path from the repository's root. */
  readonly path: string;
  /** The maximum size of the file. Larger files are not read. */
  readonly maxBytes: number;
}

export interface FolderAtCommit {
  /** The full hash of a commit in the repository. */
  readonly commit: string;
  /** The path from the repository's root; empty for the root. */
  readonly folder: string;
}

/** The names in a folder. Each list is sorted. */
export interface FolderEntries {
  /** Regular files. */
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/**
 * Turns the files of a checkout into commits on one of the service's own branches. Because a checkout does not have a
 * `.git` folder, commits are written directly into the repository's mirror (or into the copy), and pushing creates the
 * branch. Hooks do not run, and the repository's configuration is not read.
 *
 * All methods throw `OctavoError`; the errors do not contain credentials.
 */
export interface GitWork {
  /**
   * Returns the differences between a checkout's files and its commit, sorted by path relative to the checkout's
   * folder.
   */
  findChanges(
    repository: Repository,
    checkout: CheckoutState,
    signal?: AbortSignal,
  ): Promise<GitFileChange[]>;
  /**
   * Writes a commit with only the given paths and returns its full hash. Returns undefined if they do not differ from
   * the parent. The same values produce the same commit.
   */
  commit(
    repository: Repository,
    commit: NewCommit,
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /**
   * Pushes one commit of `repository` to one branch of `target`. Rejects a branch that is not the service's own, or
   * that is not at the expected commit. Idempotent.
   */
  push(repository: Repository, push: Push, signal?: AbortSignal): Promise<void>;
  /** Removes one of the service's own branches if it is at the expected commit. Idempotent. */
  removeBranch(repository: Repository, removal: BranchRemoval, signal?: AbortSignal): Promise<void>;
  /**
   * Rebases a commit's changes onto a second commit. Returns the new commit, or the second commit if it already
   * contains the changes. Throws `conflict` if both changed the same lines.
   */
  rebase(repository: Repository, plan: Rebase): Promise<string>;
  /**
   * Writes a commit that undoes changes and returns its full hash. Later changes to other lines remain. Throws
   * `conflict` if later commits changed the same lines, or if all of the changes have already been undone.
   */
  revert(repository: Repository, plan: Revert): Promise<string>;
  /** Returns the result of a merge without performing it. */
  previewMerge(
    repository: Repository,
    commits: Pick<Merge, "baseCommit" | "headCommit">,
  ): Promise<MergePreview>;
  /**
   * Returns the commit to which a branch will point after a person merges another branch into it. Writes the commit if
   * it is new. Does not move a branch. Throws `conflict` if both branches changed the same lines.
   */
  createMerge(repository: Repository, merge: Merge): Promise<string>;
  /**
   * Writes a commit that merges one commit into another. Returns undefined if there is nothing to merge. If there are
   * `conflicts`, the commit contains those files with conflict markers and must not be pushed.
   */
  merge(repository: Repository, merge: CommitMerge): Promise<MergedCommits | undefined>;
  /**
   * Returns a regular file's text at a commit. Returns undefined for anything else: links, folders, missing files and
   * files that are too large.
   */
  readFile(
    repository: Repository,
    file: FileAtCommit,
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /**
   * Lists a folder's entries at a commit. The result is empty if the folder does not exist. Omits links and submodules.
   */
  listFolder(
    repository: Repository,
    folder: FolderAtCommit,
    signal?: AbortSignal,
  ): Promise<FolderEntries>;
  /** Returns a unified diff. Throws `too_large` if it is larger than `maxBytes`. */
  diff(repository: Repository, range: DiffRequest): Promise<string>;
  /** Returns the files that differ between two commits. */
  listChangedFiles(repository: Repository, range: CommitRange): Promise<GitFileChange[]>;
  /** Returns the same files as `listChangedFiles`, with the number of lines changed in each. */
  measureChanges(repository: Repository, range: CommitRange): Promise<MeasuredChange[]>;
  /**
   * Lists the commits in `to` that are not in `from`, newest first. If `from` is omitted, lists the newest commits in
   * `to`.
   */
  listCommits(repository: Repository, list: CommitList): Promise<CommitSummary[]>;
  /** Returns the newest common ancestor, or undefined if there is none. */
  findMergeBase(repository: Repository, range: CommitRange): Promise<string | undefined>;
}

/**
 * Creates access to git's work operations. Starts nothing before its first use. Shares its mirrors with `createGit` if
 * the options are the same.
 */
export function createGitWork(options: GitOptions): GitWork {
  const open = openOnce(() => openTools(options).then(({ tools }) => tools));
  const openRepository = async (repository: Repository): Promise<[GitTools, Mirror]> => {
    const tools = await open();
    return [tools, await openMirror(tools, repository)];
  };
  return {
    async findChanges(repository, checkout, signal) {
      return await findChanges(...(await openRepository(repository)), checkout, signal);
    },
    async commit(repository, commit, signal) {
      return await commitFiles(...(await openRepository(repository)), commit, signal);
    },
    async push(repository, push, signal) {
      await pushBranch(...(await openRepository(repository)), push, signal);
    },
    async removeBranch(repository, removal, signal) {
      await removeBranch(...(await openRepository(repository)), removal, signal);
    },
    async rebase(repository, plan) {
      return await rebaseCommit(...(await openRepository(repository)), plan);
    },
    async revert(repository, plan) {
      return await revertChanges(...(await openRepository(repository)), plan);
    },
    async merge(repository, merge) {
      return await mergeCommits(...(await openRepository(repository)), merge);
    },
    async previewMerge(repository, commits) {
      return await previewMerge(...(await openRepository(repository)), commits);
    },
    async createMerge(repository, merge) {
      return await createMerge(...(await openRepository(repository)), merge);
    },
    async readFile(repository, file, signal) {
      return await readFileAt(...(await openRepository(repository)), file, signal);
    },
    async listFolder(repository, folder, signal) {
      return await listFolderAt(...(await openRepository(repository)), folder, signal);
    },
    async diff(repository, range) {
      return await diff(...(await openRepository(repository)), range);
    },
    async listChangedFiles(repository, range) {
      return await listChangedFiles(...(await openRepository(repository)), range);
    },
    async measureChanges(repository, range) {
      return await measureChanges(...(await openRepository(repository)), range);
    },
    async listCommits(repository, list) {
      return await listCommits(...(await openRepository(repository)), list);
    },
    async findMergeBase(repository, range) {
      return await findMergeBase(...(await openRepository(repository)), range);
    },
  };
}

const maxListedConflicts = 20;

/** Returns the result of a merge without performing it. */
async function previewMerge(
  tools: GitTools,
  mirror: Mirror,
  { baseCommit, headCommit }: Pick<Merge, "baseCommit" | "headCommit">,
): Promise<MergePreview> {
  const { tree, conflicts } = await mergeTrees(tools, mirror, [baseCommit, headCommit]);
  return tree === undefined || conflicts.length > 0 ? { conflicts } : { tree, conflicts };
}

/**
 * Returns the tree of a merge of two commits. `conflicts` lists the files that both sides changed differently; the tree
 * contains them with conflict markers. There is no tree for unrelated histories.
 */
async function mergeTrees(
  tools: GitTools,
  mirror: Mirror,
  [baseCommit, headCommit]: readonly [string, string],
): Promise<MergePreview> {
  if (!isFullCommit(baseCommit) || !isFullCommit(headCommit)) {
    throw createInputError("Commits to merge must be full commit hashes.");
  }
  const args = ["merge-tree", "--write-tree", "--no-messages", "--name-only", "-z"];
  const result = await callGit(tools, [...args, baseCommit, headCommit], {
    environment: { GIT_DIR: mirror.path },
  });
  const [tree = "", ...conflicts] = result.stdout.split("\0").filter((field) => field !== "");
  if (result.exitCode === 0) return { tree, conflicts: [] };
  if (result.exitCode === 1) return { tree, conflicts: [...new Set(conflicts)] };
  if (/unrelated histories/i.test(result.stderr)) return { conflicts: ["."] };
  const isOldGit = /usage:|unknown option|not a valid object name --write-tree/i.test(
    result.stderr,
  );
  throw new OctavoError(
    isOldGit ? "unavailable" : "internal",
    isOldGit ? "Merging needs git 2.38 or newer." : "The branches could not be merged.",
    { cause: createGitError(result) },
  );
}

/** Formats paths for a sentence. */
function formatPaths(conflicts: readonly string[]): string {
  const names = conflicts.slice(0, maxListedConflicts).map((path) => JSON.stringify(path));
  const more = conflicts.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}

/**
 * Returns the commit to which a branch will point after `headCommit` is merged into it: `baseCommit` if it already
 * contains `headCommit`, `headCommit` if it contains `baseCommit`, otherwise a new merge commit. Does not move a branch.
 * Throws `conflict`, naming the files, if both sides changed the same lines.
 */
async function createMerge(tools: GitTools, mirror: Mirror, merge: Merge): Promise<string> {
  const { baseCommit, headCommit } = merge;
  const common = await findMergeBase(tools, mirror, { from: baseCommit, to: headCommit });
  if (common === headCommit) return baseCommit;
  return common === baseCommit ? headCommit : await commitMerge(tools, mirror, merge);
}

async function commitMerge(tools: GitTools, mirror: Mirror, merge: Merge): Promise<string> {
  const { tree, conflicts } = await previewMerge(tools, mirror, merge);
  if (tree === undefined) {
    throw new OctavoError(
      "conflict",
      `The branch cannot be merged into ${merge.base}: both sides changed ${formatPaths(conflicts)}. ` +
        `Merge ${merge.base} into the branch, resolve the conflicts there, and push.`,
      { details: { conflicts } },
    );
  }
  return await writeCommit(tools, mirror, {
    ...merge,
    tree,
    parents: [merge.baseCommit, merge.headCommit],
    committer: merge.author,
  });
}

/**
 * Writes a commit that merges one commit into another. Returns undefined if there is nothing to merge, or if the
 * histories are unrelated. The same values produce the same commit. Does not move a branch.
 */
async function mergeCommits(
  tools: GitTools,
  mirror: Mirror,
  { ours, theirs, ...record }: CommitMerge,
): Promise<MergedCommits | undefined> {
  const common = await findMergeBase(tools, mirror, { from: theirs, to: ours });
  if (common === undefined || common === theirs) return undefined;
  const { tree, conflicts } = await mergeTrees(tools, mirror, [ours, theirs]);
  if (tree === undefined) return undefined;
  const parents = [ours, theirs];
  return { commit: await writeCommit(tools, mirror, { ...record, tree, parents }), conflicts };
}

/**
 * Creates a commit on top of `onto` with the changes of `commit`, and returns its full hash. Returns `onto` itself if
 * it already contains all changes. The same values produce the same commit. Throws `conflict`, naming the files, if
 * both sides changed the same lines.
 */
async function rebaseCommit(
  tools: GitTools,
  mirror: Mirror,
  { commit, onto, merged, ...record }: Rebase,
): Promise<string> {
  const merge = { baseCommit: onto, headCommit: commit };
  const { tree, conflicts } = await previewMerge(tools, mirror, merge);
  if (tree === undefined) {
    throw new OctavoError(
      "conflict",
      `Someone else changed the same lines in the meantime, in ${formatPaths(conflicts)}.`,
      { details: { conflicts } },
    );
  }
  if (tree === (await readTree(tools, mirror, onto))) return onto;
  return await writeCommit(tools, mirror, {
    ...record,
    tree,
    parents: [onto, ...(merged === undefined ? [] : [merged])],
  });
}

/** Returns the full hash of the tree of a commit in the repository. */
async function readTree(tools: GitTools, mirror: Mirror, commit: string): Promise<string> {
  const [line = ""] = await queryObjects(tools, mirror, [`${commit}^{tree}`]);
  return line.split(" ")[0] ?? "";
}

/**
 * Creates a commit on top of `onto` that undoes the changes from the commit `from` to the commit `to`, which is part of
 * the history of `onto`. It merges a commit that restores the state of `from` on top of `to`.
 */
async function revertChanges(
  tools: GitTools,
  mirror: Mirror,
  { from, to, onto, ...record }: Revert,
): Promise<string> {
  const revertCommit = await writeCommit(tools, mirror, {
    ...record,
    tree: await readTree(tools, mirror, from),
    parents: [to],
  });
  const merge = { baseCommit: onto, headCommit: revertCommit };
  const { tree, conflicts } = await previewMerge(tools, mirror, merge);
  if (tree === undefined) {
    throw new OctavoError(
      "conflict",
      `The changes cannot be undone automatically, because later commits changed the same lines of ${formatPaths(conflicts)}. ` +
        "Undo them in these files on a branch of your own.",
      { details: { conflicts } },
    );
  }
  if (tree === (await readTree(tools, mirror, onto))) {
    throw new OctavoError("conflict", "All of these changes have already been undone.");
  }
  return await writeCommit(tools, mirror, { ...record, tree, parents: [onto] });
}

/**
 * Returns a regular file's text at a commit. Returns undefined for anything else: links, folders, submodules, missing
 * files and files that are too large.
 */
async function readFileAt(
  tools: GitTools,
  mirror: Mirror,
  { commit, path, maxBytes }: FileAtCommit,
  signal?: AbortSignal,
): Promise<string | undefined> {
  if (!isFullCommit(commit) || cleanRelativePath(path) !== path || path === "") return undefined;
  const list = await readGit(
    tools,
    mirror,
    ["ls-tree", "-z", "--format=%(objectmode) %(objectsize) %(objectname) %(path)", commit, path],
    { signal },
  );
  const [mode = "", size = "", object = "", ...named] = list.replace(/\0$/, "").split(" ");
  const isFile = /^100(?:644|755)$/.test(mode) && named.join(" ") === path;
  if (!isFile || Number(size) > maxBytes) return undefined;
  return await readGit(tools, mirror, ["cat-file", "blob", object], { signal });
}

/**
 * Lists a folder's entries at a commit. The result is empty if the folder does not exist. Omits links and submodules.
 */
async function listFolderAt(
  tools: GitTools,
  mirror: Mirror,
  { commit, folder }: FolderAtCommit,
  signal?: AbortSignal,
): Promise<FolderEntries> {
  const isClean = folder === "" || cleanRelativePath(folder) === folder;
  if (!isFullCommit(commit) || !isClean) return { files: [], folders: [] };
  const pathspecs = folder === "" ? [] : [`${folder}/`];
  const args = ["ls-tree", "-z", "--format=%(objectmode) %(path)", commit, ...pathspecs];
  const entries = (await readGit(tools, mirror, args, { signal })).split("\0");
  const prefix = "100644 ".length + (folder === "" ? 0 : folder.length + 1);
  const listNames = (mode: RegExp): string[] =>
    entries
      .filter((entry) => mode.test(entry))
      .map((entry) => entry.slice(prefix))
      .toSorted();
  return { files: listNames(/^100(?:644|755) /), folders: listNames(/^040000 /) };
}
