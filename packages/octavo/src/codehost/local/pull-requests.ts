import { OctavoError } from "@octavo/site/core";
import { checkNewPullRequest, checkNumber } from "../check-text.ts";
import type { NewPullRequest } from "../code-host.ts";
import type { PullRequestRow } from "./pull-request-rows.ts";
import { pullRequestRef, refresh } from "./refresh.ts";
import type { LocalTools } from "./refresh.ts";
import type { HostedRepository } from "../../hosting/index.ts";

/** Open pull requests of one project that are refreshed together; the others are refreshed when they are read. */
const maxRefreshed = 100;

/** As it is now. */
export async function readFresh(
  tools: LocalTools,
  projectId: string,
  number: number,
): Promise<PullRequestRow> {
  checkNumber(number);
  const row = await tools.rows.read(projectId, number);
  return await refresh(tools, tools.repositories.at(projectId), row);
}

export async function findOpen(
  tools: LocalTools,
  projectId: string,
  branches: { readonly head: string; readonly base?: string | undefined },
): Promise<PullRequestRow | undefined> {
  const query = { ...branches, state: "open", limit: maxRefreshed } as const;
  for (const row of await tools.rows.list(projectId, query)) {
    const fresh = await refresh(tools, tools.repositories.at(projectId), row);
    if (fresh.state === "open") return fresh;
  }
  return undefined;
}

/** The existing open one, or a new one; the database ensures that there are never two. */
export async function findOrCreate(
  tools: LocalTools,
  projectId: string,
  wanted: NewPullRequest & { readonly author: string },
): Promise<PullRequestRow> {
  checkNewPullRequest(wanted);
  const found = await findOpen(tools, projectId, wanted);
  if (found) return found;
  const repository = tools.repositories.at(projectId);
  const commits = await compareBranches(tools, repository, wanted);
  const row = await tools.rows.insert(projectId, { ...wanted, ...commits });
  if (row) {
    const name = pullRequestRef(row.number);
    await tools.hosting.updateRef(repository, { name, to: row.head_commit });
    return row;
  }
  // Somebody else created one at the same moment.
  const other = await findOpen(tools, projectId, wanted);
  if (other) return other;
  throw new OctavoError(
    "conflict",
    "The pull request was closed or merged while it was created; try again.",
  );
}

/** Refreshes all open ones from their branches. */
export async function refreshAll(tools: LocalTools, projectId: string): Promise<void> {
  for (const row of await tools.rows.list(projectId, { state: "open", limit: maxRefreshed })) {
    await refresh(tools, tools.repositories.at(projectId), row);
  }
}

/** The commits of a new pull request. Throws if a branch is missing or there is nothing to propose. */
async function compareBranches(
  { hosting, work }: LocalTools,
  repository: HostedRepository,
  { head, base }: NewPullRequest,
): Promise<{ headCommit: string; baseCommit: string }> {
  const refs = await hosting.readRefs(repository, [`refs/heads/${head}`, `refs/heads/${base}`]);
  const headCommit = refs.get(`refs/heads/${head}`);
  const onBase = refs.get(`refs/heads/${base}`);
  if (headCommit === undefined || onBase === undefined) {
    const missing = headCommit === undefined ? head : base;
    throw new OctavoError(
      "ref_not_found",
      `The repository has no branch ${JSON.stringify(missing)}.`,
    );
  }
  const baseCommit = await work.findMergeBase(repository, { from: onBase, to: headCommit });
  if (baseCommit === undefined || baseCommit === headCommit) {
    throw new OctavoError(
      "conflict",
      `There is nothing to propose: ${base} already contains all commits of ${head}, or the two have no common history.`,
    );
  }
  return { headCommit, baseCommit };
}
