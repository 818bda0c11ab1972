import type { GitWork } from "../../git/index.ts";
import type { RememberFact } from "./fact-cache.ts";
import type { PullRequestRow, PullRequestRows } from "./pull-request-rows.ts";
import type { GitHosting, HostedRepository, Repositories } from "../../hosting/index.ts";

/** What the parts of the embedded host share. */
export interface LocalTools {
  readonly rows: PullRequestRows;
  readonly hosting: GitHosting;
  readonly work: GitWork;
  readonly repositories: Repositories;
  readonly remember: RememberFact;
}

/** The ref that preserves a pull request's commits after its branch is deleted. */
export function pullRequestRef(number: number): string {
  return `refs/pull/${number}/head`;
}

/**
 * Updates an open pull request from its branches: people push, delete and merge branches with git alone. It is
 * merged if its base contains its commits, and closed if its branch was deleted otherwise.
 */
export async function refresh(
  { rows, hosting, work }: LocalTools,
  repository: HostedRepository,
  row: PullRequestRow,
): Promise<PullRequestRow> {
  if (row.state !== "open") return row;
  const pullRef = pullRequestRef(row.number);
  const names = [`refs/heads/${row.head}`, `refs/heads/${row.base}`, pullRef];
  const refs = await hosting.readRefs(repository, names);
  const [head, base] = [refs.get(`refs/heads/${row.head}`), refs.get(`refs/heads/${row.base}`)];
  if (base === undefined) return await rows.end(row, { state: "closed" });

  const last = head ?? row.head_commit;
  const common = await work.findMergeBase(repository, { from: base, to: last });
  const isContained = common === last;
  if (isContained && (await containsCommit(work, repository, base, row.head_commit))) {
    return await rows.end(row, { state: "merged", headCommit: last, mergeCommit: base });
  }
  if (head === undefined) return await rows.end(row, { state: "closed" });

  if (refs.get(pullRef) !== head) await hosting.updateRef(repository, { name: pullRef, to: head });
  const baseCommit = common ?? row.base_commit;
  // A branch that was reset to a commit of its base has no commits of its own: keeps the recorded ones.
  if (isContained || (row.head_commit === head && row.base_commit === baseCommit)) return row;
  return await rows.move(row, { headCommit: head, baseCommit });
}

async function containsCommit(
  work: GitWork,
  repository: HostedRepository,
  branch: string,
  commit: string,
): Promise<boolean> {
  return (await work.findMergeBase(repository, { from: branch, to: commit })) === commit;
}
