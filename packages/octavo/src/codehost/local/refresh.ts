import type { GitHosting, GitWork, HostedRepository } from "../../git/index.ts";
import type { PullRequestRow, PullRequestRows } from "./pull-request-rows.ts";
import type { Repositories } from "./repositories.ts";

/** What the parts of the embedded host share. */
export interface LocalTools {
  readonly rows: PullRequestRows;
  readonly hosting: GitHosting;
  readonly work: GitWork;
  readonly repositories: Repositories;
}

/** Keeps the commits of a pull request when its branch is gone. */
export function pullRequestRef(number: number): string {
  return `refs/pull/${number}/head`;
}

/**
 * Brings an open pull request in line with its branches: people push, remove and merge branches with
 * git alone. Merged is one whose commits its base holds; closed is one whose branch is gone without.
 */
export async function refresh(
  { rows, hosting, work }: LocalTools,
  repository: HostedRepository,
  row: PullRequestRow,
): Promise<PullRequestRow> {
  if (row.state !== "open") return row;
  const kept = pullRequestRef(row.number);
  const names = [`refs/heads/${row.head}`, `refs/heads/${row.base}`, kept];
  const refs = await hosting.readRefs(repository, names);
  const [head, base] = [refs.get(`refs/heads/${row.head}`), refs.get(`refs/heads/${row.base}`)];
  if (base === undefined) return await rows.end(row, { state: "closed" });

  const last = head ?? row.head_commit;
  const common = await work.findMergeBase(repository, { from: base, to: last });
  const isAllThere = common === last;
  if (isAllThere && (await holds(work, repository, base, row.head_commit))) {
    return await rows.end(row, { state: "merged", headCommit: last, mergeCommit: base });
  }
  if (head === undefined) return await rows.end(row, { state: "closed" });

  if (refs.get(kept) !== head) await hosting.updateRef(repository, { name: kept, to: head });
  const baseCommit = common ?? row.base_commit;
  // A branch that was reset to what its base holds has nothing of its own: it stays as it was known.
  if (isAllThere || (row.head_commit === head && row.base_commit === baseCommit)) return row;
  return await rows.move(row, { headCommit: head, baseCommit });
}

async function holds(
  work: GitWork,
  repository: HostedRepository,
  branch: string,
  commit: string,
): Promise<boolean> {
  return (await work.findMergeBase(repository, { from: branch, to: commit })) === commit;
}
