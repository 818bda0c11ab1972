import { OctavoError } from "@octavo/site/core";
import { writeCommit } from "./commit.ts";
import type { CommitRecord } from "./commit.ts";
import { listed, previewMerge } from "./merge.ts";
import { askObjects } from "./ref.ts";
import type { Mirror } from "./repository.ts";
import type { GitTools } from "./tools.ts";

export interface CarryOver extends Omit<CommitRecord, "tree" | "parents"> {
  /** What it changes since its history left that of `onto` is carried over. */
  readonly commit: string;
  /** Where others have gone on meanwhile. Both are full commits that the repository holds. */
  readonly onto: string;
}

/**
 * Makes a commit on top of `onto` that brings what `commit` brings, and gives back its full name; `onto`
 * itself where all of it is there already. The same values give the same commit. Throws `conflict`,
 * naming the files, where both sides changed the same lines.
 */
export async function carryOver(
  tools: GitTools,
  mirror: Mirror,
  { commit, onto, ...record }: CarryOver,
): Promise<string> {
  const merge = { baseCommit: onto, headCommit: commit };
  const { tree, conflicts } = await previewMerge(tools, mirror, merge);
  if (tree === undefined) {
    throw new OctavoError(
      "conflict",
      `Others changed the same lines at the same time: ${listed(conflicts)}.`,
      { details: { conflicts } },
    );
  }
  const [known = ""] = await askObjects(tools, mirror, [`${onto}^{tree}`]);
  if (known.startsWith(`${tree} `)) return onto;
  return await writeCommit(tools, mirror, { ...record, tree, parents: [onto] });
}
