import { createLocalCodeHost } from "../../packages/octavo/src/codehost/local/local-code-host.ts";
import { createPullRequests } from "../../packages/octavo/src/codehost/local/pull-requests.ts";
import type { CodeHost } from "../../packages/octavo/src/codehost/code-host.ts";
import type { PullRequests } from "../../packages/octavo/src/codehost/local/pull-requests.ts";
import type { GitWork } from "../../packages/octavo/src/git/work/work.ts";
import { createGitWork } from "../../packages/octavo/src/git/work/work.ts";
import type { GitLimits } from "../../packages/octavo/src/git/program/tools.ts";
import { createHosting } from "../../packages/octavo/src/hosting/hosting.ts";
import type { Hosting, HostingOptions } from "../../packages/octavo/src/hosting/hosting.ts";
import type { HostingLimits } from "../../packages/octavo/src/hosting/tools.ts";
import { createReviews } from "../../packages/octavo/src/reviews/reviews.ts";
import type { Reviews } from "../../packages/octavo/src/reviews/reviews.ts";

/** Of git, and of repositories that people push to. */
export type TestLimits = Partial<GitLimits & HostingLimits>;

export interface LocalHostOptions extends Omit<HostingOptions, "limits"> {
  readonly limits?: TestLimits;
  readonly pullRequestUrl?: (projectId: string, number: number) => string;
}

/** The service's own code host, and what it stands on. */
export interface LocalHost {
  readonly hosting: Hosting;
  readonly work: GitWork;
  readonly pullRequests: PullRequests;
  readonly host: CodeHost;
  readonly reviews: Reviews;
}

export function createLocalHost(options: LocalHostOptions): LocalHost {
  const { limits = {}, db } = options;
  const {
    pullRequestUrl = (id, number) => `https://octavo.example/projects/${id}/pulls/${number}`,
  } = options;
  const git = { ...options.git, limits: { ...options.git.limits, ...limits } };
  const hosting = createHosting({ ...options, git, limits });
  const work = createGitWork(git);
  const pullRequests = createPullRequests({ db, hosting, work, pullRequestUrl });
  const host = createLocalCodeHost({ hosting, pullRequests, author: "Octavo" });
  const reviews = createReviews({ pullRequests, hosting, work });
  return { hosting, work, pullRequests, host, reviews };
}
