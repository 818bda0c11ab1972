import { isOctavoError, sha256 } from "@octavo/site/core";
import type { LocalPullRequest } from "../codehost/index.ts";
import type { CommitSummary, MeasuredChange } from "../git/index.ts";
import { checkMergeability } from "./merge.ts";
import type { Mergeability } from "./merge.ts";
import type { ReviewServices } from "./tools.ts";

/** The content of a pull request's page. All of it is untrusted text and must be escaped. */
export interface PullRequestPage extends LocalPullRequest {
  /** The commits, newest first, at most 250. */
  readonly commits: readonly CommitSummary[];
  readonly files: readonly MeasuredChange[];
  readonly mergeability: Mergeability;
}

const maxCommits = 250;
const maxDiffBytes = 1024 * 1024;

/** A selection of a pull request's files. To select a renamed file, list both of its paths. */
export interface PullRequestDiff extends Pick<PullRequestPage, "baseCommit" | "headCommit"> {
  readonly paths: readonly string[];
  /** The number of unchanged lines around each change. Defaults to 3. */
  readonly contextLines?: number;
}

/** Describes the pull request in its current state. */
export async function describePullRequest(
  tools: ReviewServices,
  projectId: string,
  number: number,
): Promise<PullRequestPage> {
  const { pullRequests, hosting, work, remember } = tools;
  const pull = await pullRequests.read(projectId, number);
  const { headCommit, baseCommit } = pull;
  const repository = hosting.repositoryOf(projectId);
  const range = { from: baseCommit, to: headCommit };
  const key = `${repository.path} ${baseCommit} ${headCommit}`;
  const [commits, files, mergeability] = await Promise.all([
    remember(`commits ${key}`, () => work.listCommits(repository, { ...range, limit: maxCommits })),
    remember(`files ${key}`, () => work.measureChanges(repository, range)),
    checkMergeability(tools, pull),
  ]);
  return { ...pull, commits, files, mergeability };
}

/** Returns a unified diff, or undefined if it is too large for a page. */
export async function readPullRequestDiff(
  { hosting, work, remember }: ReviewServices,
  projectId: string,
  { baseCommit: from, headCommit: to, paths, contextLines }: PullRequestDiff,
): Promise<string | undefined> {
  const repository = hosting.repositoryOf(projectId);
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
