import { OctavoError } from "@octavo/site/core";
import { writeCommit } from "./commit.ts";
import type { CommitRecord } from "./commit.ts";
import { formatPaths, previewMerge } from "./merge.ts";
import { queryObjects } from "../mirror/ref.ts";
import type { Mirror } from "../repository.ts";
import type { GitTools } from "../program/tools.ts";

export interface Rebase extends Omit<CommitRecord, "tree" | "parents"> {
  /** Its changes since its history forked from that of `onto` are rebased. */
  readonly commit: string;
  /** The new parent. Both are full commits in the repository. */
  readonly onto: string;
  /** The commit that `commit` merged in, and so does the new one. */
  readonly merged?: string | undefined;
}

/**
 * Creates a commit on top of `onto` with the changes of `commit`, and returns its full name; returns `onto`
 * itself if it already contains all changes. The same values give the same commit. Throws `conflict`, naming the
 * files, if both sides changed the same lines.
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
