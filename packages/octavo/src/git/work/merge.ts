import { OctavoError } from "@octavo/site/core";
import { writeCommit } from "./commit.ts";
import type { Person } from "./commit.ts";
import { findMergeBase } from "./compare.ts";
import { gitError } from "../program/failure.ts";
import { isFullCommit } from "../mirror/ref.ts";
import type { Mirror } from "../repository.ts";
import { callGit } from "../program/tools.ts";
import type { GitTools } from "../program/tools.ts";

export interface Merge {
  /** Short name of the branch that takes the commits. */
  readonly base: string;
  /** Where both are, as full commits in the repository. */
  readonly baseCommit: string;
  readonly headCommit: string;
  readonly author: Person;
  /** Of the merge commit, where one is needed. */
  readonly message: string;
  readonly at: Date;
}

export interface MergePreview {
  /** Undefined where it cannot be merged. */
  readonly tree?: string;
  /** Paths that both sides changed differently; empty where they merge. */
  readonly conflicts: readonly string[];
}

const maxListedConflicts = 20;

/** The result of a merge, without performing it. */
export async function previewMerge(
  tools: GitTools,
  mirror: Mirror,
  { baseCommit, headCommit }: Pick<Merge, "baseCommit" | "headCommit">,
): Promise<MergePreview> {
  const { tree, conflicts } = await mergeTrees(tools, mirror, [baseCommit, headCommit]);
  return tree === undefined || conflicts.length > 0 ? { conflicts } : { tree, conflicts };
}

/**
 * The tree of a merge of two commits. Where both sides changed a file differently, it is among `conflicts`, and the
 * tree has it with git's markers around both versions. No tree for unrelated histories.
 */
export async function mergeTrees(
  tools: GitTools,
  mirror: Mirror,
  [baseCommit, headCommit]: readonly [string, string],
): Promise<MergePreview> {
  if (!isFullCommit(baseCommit) || !isFullCommit(headCommit)) {
    throw new OctavoError("invalid_input", "Commits to merge must be full commit names.");
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
    { cause: gitError(result) },
  );
}

/** Paths for a sentence. */
export function formatPaths(conflicts: readonly string[]): string {
  const names = conflicts.slice(0, maxListedConflicts).map((path) => JSON.stringify(path));
  const more = conflicts.length - names.length;
  return more > 0 ? `${names.join(", ")} and ${more} more` : names.join(", ");
}

/**
 * The commit that a branch gets when `headCommit` is merged into it: `headCommit` itself if possible, else a merge
 * commit, which is written; `baseCommit` if it already contains the commits. Moves no branch. Throws `conflict`, naming
 * the files, if both sides changed the same lines.
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
      `It cannot be merged into ${merge.base}: both sides changed ${formatPaths(conflicts)}. ` +
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
