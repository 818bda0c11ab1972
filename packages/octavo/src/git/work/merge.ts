import { OctavoError } from "@octavo/site/core";
import { isFullCommit, queryObjects } from "../mirror/ref.ts";
import { createGitError } from "../program/failure.ts";
import { callGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";
import type { Mirror } from "../repository.ts";
import { writeCommit } from "./commit.ts";
import type { CommitRecord, Person } from "./commit.ts";
import { findMergeBase } from "./compare.ts";

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
  /** Undefined if the histories cannot be merged. */
  readonly tree?: string;
  /** The paths that both sides changed differently; empty if the sides merge cleanly. */
  readonly conflicts: readonly string[];
}

const maxListedConflicts = 20;

/** Returns the result of a merge without performing it. */
export async function previewMerge(
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
    throw new OctavoError("invalid_input", "Commits to merge must be full commit hashes.");
  }
  const args = ["merge-tree", "--write-tree", "--no-messages", "--name-only", "-z"];
  const result = await callGit(tools, [...args, baseCommit, headCommit], {
    environment: { GIT_DIR: mirror.path },
  });
  const [tree = "", ...conflicts] = result.stdout.split("\0").filter((field) => field !== "");
  if (result.exitCode === 0) return { tree, conflicts: [] };
  if (result.exitCode === 1) return { tree, conflicts: [...new Set(conflicts)] };
  if (/unrelated histories/i.test(result.stderr)) return { conflicts: ["."] };
  const isOld = /usage:|unknown option|not a valid object name --write-tree/i.test(result.stderr);
  throw new OctavoError(
    isOld ? "unavailable" : "internal",
    isOld ? "Merging needs git 2.38 or newer." : "The branches could not be merged.",
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
 * Returns the commit at which a branch will be after `headCommit` is merged into it. This is `headCommit` itself if
 * possible, otherwise a new merge commit, or `baseCommit` if it already contains the commits. Does not move a branch.
 * Throws `conflict`, naming the files, if both sides changed the same lines.
 */
export async function createMerge(tools: GitTools, mirror: Mirror, merge: Merge): Promise<string> {
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

export interface CommitMerge extends Omit<CommitRecord, "tree" | "parents"> {
  /** The commit into which the other is merged. Both are full hashes of commits in the repository. */
  readonly ours: string;
  readonly theirs: string;
}

export interface MergedCommits {
  /** The merge commit, with both commits as parents. */
  readonly commit: string;
  /**
   * Files that both sides changed differently. The commit contains them with conflict markers and must never be pushed.
   */
  readonly conflicts: readonly string[];
}

/**
 * Writes a commit that merges one commit into another. Returns undefined if there is nothing to merge, or if the
 * histories are unrelated. The same values produce the same commit. Does not move a branch.
 */
export async function mergeCommits(
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

export interface Rebase extends Omit<CommitRecord, "tree" | "parents"> {
  /** The commit to rebase, with its changes since its history forked from that of `onto`. */
  readonly commit: string;
  /** The new parent. Both are full hashes of commits in the repository. */
  readonly onto: string;
  /** A commit that `commit` merged. The new commit merges it too. */
  readonly merged?: string | undefined;
}

/**
 * Creates a commit on top of `onto` with the changes of `commit`, and returns its full hash; returns `onto` itself if
 * it already contains all changes. The same values produce the same commit. Throws `conflict`, naming the files, if
 * both sides changed the same lines.
 */
export async function rebaseCommit(
  tools: GitTools,
  mirror: Mirror,
  { commit, onto, merged, ...record }: Rebase,
): Promise<string> {
  const merge = { baseCommit: onto, headCommit: commit };
  const { tree, conflicts } = await previewMerge(tools, mirror, merge);
  if (tree === undefined) {
    throw new OctavoError(
      "conflict",
      `Others changed the same lines at the same time: ${formatPaths(conflicts)}.`,
      { details: { conflicts } },
    );
  }
  const [known = ""] = await queryObjects(tools, mirror, [`${onto}^{tree}`]);
  if (known.startsWith(`${tree} `)) return onto;
  return await writeCommit(tools, mirror, {
    ...record,
    tree,
    parents: [onto, ...(merged === undefined ? [] : [merged])],
  });
}
