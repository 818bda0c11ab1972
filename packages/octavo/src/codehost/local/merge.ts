import { OctavoError } from "@octavo/site/core";
import type { Person } from "../../git/index.ts";
import type { CodeHostProject } from "../code-host.ts";
import type { PullRequestRow, RecordAct } from "./pull-request-rows.ts";
import type { LocalTools } from "./refresh.ts";
import { isHostedHere, toRemoteRepository } from "../../hosting/index.ts";
import type { HostedRepository } from "../../hosting/index.ts";

export interface MergeRequest {
  readonly project: CodeHostProject;
  readonly repository: HostedRepository;
  /** As it is now. */
  readonly row: PullRequestRow;
  readonly by: Person;
  readonly record?: RecordAct | undefined;
}

/**
 * Merges, then records it: after a crash in between, the next reader sees from the branches that it was merged.
 */
export async function mergePullRequest(
  { rows, hosting }: LocalTools,
  { project, repository, row, by, record }: MergeRequest,
): Promise<PullRequestRow> {
  if (row.state === "merged") return row;
  const reason = refuseMerge(row);
  if (reason !== undefined) throw new OctavoError("conflict", reason);
  const names = [`refs/heads/${row.head}`, `refs/heads/${row.base}`] as const;
  const refs = await hosting.readRefs(repository, names);
  const [headCommit, baseCommit] = [refs.get(names[0]), refs.get(names[1])];
  if (headCommit === undefined || baseCommit === undefined) {
    throw new OctavoError("conflict", "One of its branches was deleted meanwhile.");
  }
  const merge = {
    base: row.base,
    baseCommit,
    headCommit,
    author: by,
    message: `Merge pull request #${row.number} from ${row.head}\n\n${row.title}`,
    at: new Date(),
  };
  const mergeCommit = isHostedHere(project)
    ? await hosting.merge(repository, merge)
    : await hosting.mergeOutside(repository, merge, toRemoteRepository(project));
  return await rows.end(row, { state: "merged", headCommit, mergeCommit }, record);
}

/** Why it cannot be merged; undefined if git may try. */
export function refuseMerge(row: PullRequestRow): string | undefined {
  if (row.state !== "open") return `Pull request ${row.number} is ${row.state}.`;
  return row.is_draft ? `Pull request ${row.number} is a draft.` : undefined;
}
