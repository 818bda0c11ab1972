import { OctavoError } from "@octavo/site/core";
import type {
  CodeHostProject,
  LocalPullRequest,
  PullRequest,
  RecordAct,
} from "../codehost/index.ts";
import type { Person } from "../git/index.ts";
import type { ReviewServices } from "./tools.ts";

/** Whether a pull request can be merged with a click, and if not, the reason. */
export type Mergeability =
  | { readonly canMerge: true }
  /** `conflicts` names the files that both sides changed. */
  | { readonly canMerge: false; readonly reason: string; readonly conflicts: readonly string[] };

export interface MergeRequest {
  readonly project: CodeHostProject;
  readonly number: number;
  readonly by: Person;
  readonly record?: RecordAct | undefined;
}

/**
 * Merges a pull request and then records the merge. After a crash between the two, the next reader detects the merge
 * from the branches.
 */
export async function mergePullRequest(
  { pullRequests, hosting, work }: ReviewServices,
  { project, number, by, record }: MergeRequest,
): Promise<PullRequest> {
  const repository = await hosting.prepare(project);
  const pull = await pullRequests.read(project.id, number);
  const { head, base, state, title } = pull.pullRequest;
  if (state === "merged") return pull.pullRequest;
  const reason = refuseMerge(pull.pullRequest);
  if (reason !== undefined) throw new OctavoError("conflict", reason);
  const names = [`refs/heads/${head}`, `refs/heads/${base}`] as const;
  const refs = await hosting.readRefs(repository, names);
  const [headCommit, baseCommit] = [refs.get(names[0]), refs.get(names[1])];
  if (headCommit === undefined || baseCommit === undefined) {
    throw new OctavoError("conflict", "One of its branches has been deleted.");
  }
  const merge = {
    base,
    baseCommit,
    headCommit,
    author: by,
    message: `Merge pull request #${number} from ${head}\n\n${title}`,
    at: new Date(),
  };
  const mergeCommit = await work.createMerge(repository, merge);
  await hosting.publishMerge(project, { branch: base, commit: mergeCommit, expected: baseCommit });
  const ending = { state: "merged", headCommit, mergeCommit } as const;
  return (await pullRequests.end(pull, ending, record)).pullRequest;
}

/** Checks whether the pull request can be merged, without merging it. */
export async function checkMergeability(
  { hosting, work, remember }: ReviewServices,
  pull: LocalPullRequest,
): Promise<Mergeability> {
  const reason = refuseMerge(pull.pullRequest);
  if (reason !== undefined) return { canMerge: false, reason, conflicts: [] };
  const { projectId, pullRequest, headCommit } = pull;
  const repository = hosting.repositoryOf(projectId);
  const name = `refs/heads/${pullRequest.base}`;
  const baseCommit = (await hosting.readRefs(repository, [name])).get(name) ?? pull.baseCommit;
  const key = `merge ${repository.path} ${baseCommit} ${headCommit}`;
  const { tree, conflicts } = await remember(key, () =>
    work.previewMerge(repository, { baseCommit, headCommit }),
  );
  if (tree !== undefined) return { canMerge: true };
  return { canMerge: false, reason: `Both sides changed the same lines.`, conflicts };
}

/** Returns the reason why a pull request cannot be merged, or undefined if git may try. */
function refuseMerge({ number, state, isDraft }: PullRequest): string | undefined {
  if (state !== "open") return `Pull request ${number} is ${state}.`;
  return isDraft ? `Pull request ${number} is a draft.` : undefined;
}
