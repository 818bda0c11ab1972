import { writeCommit } from "./commit.ts";
import type { CommitRecord } from "./commit.ts";
import { findMergeBase } from "./compare.ts";
import { mergeTrees } from "./merge.ts";
import type { Mirror } from "../repository.ts";
import type { GitTools } from "../program/tools.ts";

export interface CommitMerge extends Omit<CommitRecord, "tree" | "parents"> {
  /** The commit that takes the other's changes. Both are full commits in the repository. */
  readonly ours: string;
  readonly theirs: string;
}

export interface MergedCommits {
  /** With both as parents. */
  readonly commit: string;
  /** Files that both sides changed differently: in the commit they have git's markers. Such a commit is never pushed. */
  readonly conflicts: readonly string[];
}

/**
 * Writes a commit that merges one commit into another. Undefined if there is nothing to merge, or the histories are
 * unrelated. The same values give the same commit. Moves no branch.
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
