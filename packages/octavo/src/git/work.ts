import { carryOver } from "./carry-over.ts";
import type { CarryOver } from "./carry-over.ts";
import { findChanges } from "./changes.ts";
import type { CheckoutState } from "./changes.ts";
import { commitFiles } from "./commit.ts";
import type { NewCommit } from "./commit.ts";
import { changedFiles, diff, findMergeBase, listCommits } from "./compare.ts";
import type { CommitRange, CommitSummary, FileChange } from "./compare.ts";
import { openTools } from "./git.ts";
import type { GitOptions } from "./git.ts";
import { mirrorOf } from "./mirror.ts";
import { openOnce } from "./open-once.ts";
import { pushBranch, removeBranch } from "./push.ts";
import type { BranchRemoval, Push } from "./push.ts";
import { readFileAt } from "./read-file.ts";
import type { FileAtCommit } from "./read-file.ts";
import type { Mirror, Repository } from "./repository.ts";
import type { GitTools } from "./tools.ts";

/**
 * Turns the files of a checkout into commits on a branch of the service's own. A checkout has no `.git`
 * folder: commits are written straight into the repository's mirror (a hosted repository is its own),
 * and a branch begins to exist when it is pushed. No hook runs, nothing is signed, no configuration of
 * the repository is read.
 *
 * All throw `OctavoError`; no credentials stand in any of them.
 */
export interface GitWork {
  /** What differs between the files of a checkout and its commit, relative to its folder, by path. */
  findChanges(
    repository: Repository,
    checkout: CheckoutState,
    signal?: AbortSignal,
  ): Promise<FileChange[]>;
  /**
   * Writes a commit with the given paths only and gives back its full name; undefined where they are as
   * in the parent. The same values give the same commit.
   */
  commit(
    repository: Repository,
    commit: NewCommit,
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /**
   * Pushes one commit that `repository` holds to one branch of `target`; refuses every branch that is
   * not below `octavo/`, and every one that is not where the caller expects it. Harmless when repeated.
   */
  push(repository: Repository, push: Push, signal?: AbortSignal): Promise<void>;
  /** Takes away one branch below `octavo/` that is where the caller expects it. Harmless when repeated. */
  removeBranch(repository: Repository, removal: BranchRemoval, signal?: AbortSignal): Promise<void>;
  /**
   * Brings what a commit brings on top of another; gives back the new commit, or the other where it has
   * all of it. Throws `conflict` where both changed the same lines.
   */
  carryOver(repository: Repository, plan: CarryOver): Promise<string>;
  /** A plain file's text at a commit; undefined for all else: links, folders, nothing, a larger one. */
  readFile(
    repository: Repository,
    file: FileAtCommit,
    signal?: AbortSignal,
  ): Promise<string | undefined>;
  /** A unified diff; throws `too_large` beyond `maxBytes`. */
  diff(
    repository: Repository,
    range: CommitRange & { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
  ): Promise<string>;
  /** Files that differ between two commits. */
  changedFiles(repository: Repository, range: CommitRange): Promise<FileChange[]>;
  /** Commits that `to` has and `from` has not, newest first. */
  listCommits(
    repository: Repository,
    range: CommitRange & { readonly limit: number },
  ): Promise<CommitSummary[]>;
  /** The newest commit that both histories have; undefined where there is none. */
  findMergeBase(repository: Repository, range: CommitRange): Promise<string | undefined>;
}

/** Opens nothing until it is first used; `options` as of `createGit`, whose mirrors it works on. */
export function createGitWork(options: GitOptions): GitWork {
  const open = openOnce(() => openTools(options).then(({ tools }) => tools));
  const at = async (repository: Repository): Promise<[GitTools, Mirror]> => {
    const tools = await open();
    return [tools, "path" in repository ? repository : mirrorOf(tools, repository)];
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
    async carryOver(repository, plan) {
      return await carryOver(...(await at(repository)), plan);
    },
    async readFile(repository, file, signal) {
      return await readFileAt(...(await at(repository)), file, signal);
    },
    async diff(repository, range) {
      return await diff(...(await at(repository)), range);
    },
    async changedFiles(repository, range) {
      return await changedFiles(...(await at(repository)), range);
    },
    async listCommits(repository, range) {
      return await listCommits(...(await at(repository)), range);
    },
    async findMergeBase(repository, range) {
      return await findMergeBase(...(await at(repository)), range);
    },
  };
}
