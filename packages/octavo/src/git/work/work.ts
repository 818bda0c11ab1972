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
import { commitFiles } from "./commit.ts";
import type { NewCommit } from "./commit.ts";
import { openTools } from "../git.ts";
import type { GitOptions } from "../git.ts";
import { createMerge, mergeCommits, previewMerge, rebaseCommit } from "./merge.ts";
import type { CommitMerge, Merge, MergedCommits, MergePreview, Rebase } from "./merge.ts";
import { openMirror } from "../mirror/mirror.ts";
import { openOnce } from "../../core/index.ts";
import { pushBranch, removeBranch } from "./push.ts";
import type { BranchRemoval, Push } from "./push.ts";
import { readFileAt, listFolderAt } from "../mirror/files-at-commit.ts";
import type { FileAtCommit, FolderAtCommit, FolderEntries } from "../mirror/files-at-commit.ts";
import type { Mirror, Repository } from "../repository.ts";
import type { GitTools } from "../program/tools.ts";

/**
 * Turns the files of a checkout into commits on one of the service's own branches. Because a checkout does not have a
 * `.git` folder, commits are written directly into the repository's mirror (or into the copy), and pushing creates the
 * branch. Hooks do not run, and the repository's configuration is not read.
 *
 * All methods throw `OctavoError`; the errors do not contain credentials.
 */
export interface GitWork {
  /**
   * Returns the differences between a checkout's files and its commit. Sorted by path, relative to the checkout's
   * folder.
   */
  findChanges(
    repository: Repository,
    checkout: CheckoutState,
    signal?: AbortSignal,
  ): Promise<GitFileChange[]>;
  /**
   * Writes a commit with only the given paths and returns its full hash; undefined if they do not differ from the
   * parent. The same values produce the same commit.
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
   * Rebases a commit's changes onto a second commit. Returns the new commit, or the second one if it already contains
   * the changes. Throws `conflict` if both changed the same lines.
   */
  rebase(repository: Repository, plan: Rebase): Promise<string>;
  /** Returns the result of a merge without performing it. */
  previewMerge(
    repository: Repository,
    commits: Pick<Merge, "baseCommit" | "headCommit">,
  ): Promise<MergePreview>;
  /**
   * Returns the commit at which a branch will be after a person merges another branch into it. Writes the commit if it
   * is new. Does not move a branch. Throws `conflict` if both branches changed the same lines.
   */
  createMerge(repository: Repository, merge: Merge): Promise<string>;
  /**
   * Writes a commit that merges one commit into another; undefined if there is nothing to merge. If there are
   * `conflicts`, the commit contains those files with conflict markers and must not be pushed.
   */
  merge(repository: Repository, merge: CommitMerge): Promise<MergedCommits | undefined>;
  /**
   * Returns a regular file's text at a commit. Undefined for anything else: links, folders, missing files and files
   * that are too large.
   */
  readFile(
    repository: Repository,
    file: FileAtCommit,
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /** Lists a folder's entries at a commit; empty if the folder does not exist. Omits links and submodules. */
  listFolder(
    repository: Repository,
    folder: FolderAtCommit,
    signal?: AbortSignal,
  ): Promise<FolderEntries>;
  /** Returns a unified diff. Throws `too_large` if it is larger than `maxBytes`. */
  diff(repository: Repository, range: DiffRequest): Promise<string>;
  /** Returns the files that differ between two commits. */
  changedFiles(repository: Repository, range: CommitRange): Promise<GitFileChange[]>;
  /** Returns the same files as `listChangedFiles`, with the number of lines changed in each. */
  measureChanges(repository: Repository, range: CommitRange): Promise<MeasuredChange[]>;
  /**
   * Lists the commits in `to` that are not in `from`, newest first. If `from` is omitted, lists the newest commits in
   * `to`.
   */
  listCommits(repository: Repository, list: CommitList): Promise<CommitSummary[]>;
  /** Returns the newest common ancestor; undefined if there is none. */
  findMergeBase(repository: Repository, range: CommitRange): Promise<string | undefined>;
}

/**
 * Creates access to git's work operations. Does not start anything before its first use. Shares its mirrors with
 * `createGit` if the options are the same.
 */
export function createGitWork(options: GitOptions): GitWork {
  const open = openOnce(() => openTools(options).then(({ tools }) => tools));
  const at = async (repository: Repository): Promise<[GitTools, Mirror]> => {
    const tools = await open();
    return [tools, await openMirror(tools, repository)];
  };
  return {
    async findChanges(repository, checkout, signal) {
      return await findChanges(...(await at(repository)), checkout, signal);
    },
    async commit(repository, commit, signal) {
      return await commitFiles(...(await at(repository)), commit, signal);
    },
    async push(repository, push, signal) {
      await pushBranch(...(await at(repository)), push, signal);
    },
    async removeBranch(repository, removal, signal) {
      await removeBranch(...(await at(repository)), removal, signal);
    },
    async rebase(repository, plan) {
      return await rebaseCommit(...(await at(repository)), plan);
    },
    async merge(repository, merge) {
      return await mergeCommits(...(await at(repository)), merge);
    },
    async previewMerge(repository, commits) {
      return await previewMerge(...(await at(repository)), commits);
    },
    async createMerge(repository, merge) {
      return await createMerge(...(await at(repository)), merge);
    },
    async readFile(repository, file, signal) {
      return await readFileAt(...(await at(repository)), file, signal);
    },
    async listFolder(repository, folder, signal) {
      return await listFolderAt(...(await at(repository)), folder, signal);
    },
    async diff(repository, range) {
      return await diff(...(await at(repository)), range);
    },
    async changedFiles(repository, range) {
      return await listChangedFiles(...(await at(repository)), range);
    },
    async measureChanges(repository, range) {
      return await measureChanges(...(await at(repository)), range);
    },
    async listCommits(repository, list) {
      return await listCommits(...(await at(repository)), list);
    },
    async findMergeBase(repository, range) {
      return await findMergeBase(...(await at(repository)), range);
    },
  };
}
