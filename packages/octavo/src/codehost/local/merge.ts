import { OctavoError } from "@octavo/site/core";
import type { HostedRepository, Person } from "../../git/index.ts";
import type { CodeHostProject } from "../code-host.ts";
import type { PullRequestRow, RecordAct } from "./pull-request-rows.ts";
import type { LocalTools } from "./refresh.ts";
import { isHostedHere } from "./repositories.ts";

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
  const reason = refuseMerge(project, row);
  if (reason !== undefined) throw new OctavoError("conflict", reason);
  const names = [`refs/heads/${row.head}`, `refs/heads/${row.base}`] as const;
  const refs = await hosting.readRefs(repository, names);
  const [headCommit, baseCommit] = [refs.get(names[0]), refs.get(names[1])];
  if (headCommit === undefined || baseCommit === undefined) {
    throw new OctavoError("conflict", "One of its branches was deleted meanwhile.");
  }
  const mergeCommit = await hosting.merge(repository, {
    base: row.base,
    baseCommit,
    headCommit,
    author: by,
    message: `Merge pull request #${row.number} from ${row.head}\n\n${row.title}`,
    at: new Date(),
  });
  return await rows.end(row, { state: "merged", headCommit, mergeCommit }, record);
}

/** Why it cannot be merged here; undefined if git may try. */
export function refuseMerge(project: CodeHostProject, row: PullRequestRow): string | undefined {
  if (row.state !== "open") return `Pull request ${row.number} is ${row.state}.`;
  if (!isHostedHere(project)) {
    return (
      `This is a copy of ${project.repository}: fetch the branch ${row.head} from here, merge it there, and ` +
      "the pull request is merged when the copy follows."
    );
  }
  if (row.is_draft) return `Pull request ${row.number} is a draft.`;
  return undefined;
}
