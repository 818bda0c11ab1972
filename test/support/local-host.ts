import {
  createLocalCodeHost,
  createPullRequests,
} from "../../packages/octavo/src/codehost/index.ts";
import type { CodeHost, PullRequests } from "../../packages/octavo/src/codehost/index.ts";
import { createGitWork } from "../../packages/octavo/src/git/index.ts";
import type { GitLimits, GitWork } from "../../packages/octavo/src/git/index.ts";
import { createHosting } from "../../packages/octavo/src/hosting/index.ts";
import type {
  Hosting,
  HostingLimits,
  HostingOptions,
} from "../../packages/octavo/src/hosting/index.ts";
import { createReviews } from "../../packages/octavo/src/reviews/index.ts";
import type { Reviews } from "../../packages/octavo/src/reviews/index.ts";

/** The limits of git, and of repositories that people push to. */
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
