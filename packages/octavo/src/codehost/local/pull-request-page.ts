import { isOctavoError, sha256 } from "@octavo/site/core";
import type { CommitSummary, MeasuredChange } from "../../git/index.ts";
import type { PullRequest } from "../code-host.ts";
import { refuseMerge } from "./merge.ts";
import type { PullRequestRow } from "./pull-request-rows.ts";
import type { LocalTools } from "./refresh.ts";
import type { HostedRepository } from "../../hosting/index.ts";

/** Whether it can be merged with a click, and if not, why. */
export type Mergeability =
  | { readonly canMerge: true }
  /** `conflicts` names the files that both sides changed. */
  | { readonly canMerge: false; readonly reason: string; readonly conflicts: readonly string[] };

/** The content of a pull request's page. All of it is untrusted text: escape it. */
export interface PullRequestPage {
  readonly pullRequest: PullRequest;
  readonly author: string;
  readonly headCommit: string;
  readonly baseCommit: string;
  /** Newest first, at most 250. */
  readonly commits: readonly CommitSummary[];
  readonly files: readonly MeasuredChange[];
  readonly mergeability: Mergeability;
}

const maxCommits = 250;
const maxDiffBytes = 1024 * 1024;

/** Some of a pull request's files; a renamed one by both of its paths. */
export interface PullRequestDiff extends Pick<PullRequestPage, "baseCommit" | "headCommit"> {
  readonly paths: readonly string[];
  /** Unchanged lines around each change; 3 if absent. */
  readonly contextLines?: number;
}

export interface PullRequestPageRequest {
  readonly repository: HostedRepository;
  /** As it is now. */
  readonly row: PullRequestRow;
  readonly pullRequest: PullRequest;
}

export async function describePullRequest(
  tools: LocalTools,
  request: PullRequestPageRequest,
): Promise<PullRequestPage> {
  const { work, remember } = tools;
  const { repository, row, pullRequest } = request;
  const range = { from: row.base_commit, to: row.head_commit };
  const key = `${repository.path} ${range.from} ${range.to}`;
  const [commits, files, mergeability] = await Promise.all([
    remember(`commits ${key}`, () => work.listCommits(repository, { ...range, limit: maxCommits })),
    remember(`files ${key}`, () => work.measureChanges(repository, range)),
    tryMerge(tools, request),
  ]);
  return {
    pullRequest,
    author: row.author,
    headCommit: row.head_commit,
    baseCommit: row.base_commit,
    commits,
    files,
    mergeability,
  };
}

/** Unified; undefined if it is too large for a page. */
export async function readPullRequestDiff(
  { work, remember }: LocalTools,
  repository: HostedRepository,
  { baseCommit: from, headCommit: to, paths, contextLines }: PullRequestDiff,
): Promise<string | undefined> {
  const lines = contextLines !== undefined && { contextLines };
  const request = { from, to, paths, maxBytes: maxDiffBytes, ...lines };
  try {
    return await remember(`diff ${repository.path} ${sha256(JSON.stringify(request))}`, () =>
      work.diff(repository, request),
    );
  } catch (error) {
    if (isOctavoError(error, "too_large")) return undefined;
    throw error;
  }
}

async function tryMerge(
  { hosting, remember }: LocalTools,
  { repository, row }: PullRequestPageRequest,
): Promise<Mergeability> {
  const reason = refuseMerge(row);
  if (reason !== undefined) return { canMerge: false, reason, conflicts: [] };
  const name = `refs/heads/${row.base}`;
  const baseCommit = (await hosting.readRefs(repository, [name])).get(name) ?? row.base_commit;
  const commits = { baseCommit, headCommit: row.head_commit };
  const key = `merge ${repository.path} ${baseCommit} ${row.head_commit}`;
  const { tree, conflicts } = await remember(key, () => hosting.previewMerge(repository, commits));
  if (tree !== undefined) return { canMerge: true };
  return { canMerge: false, reason: `Both sides changed the same lines.`, conflicts };
}
