/**
 * Pull requests on code hosts: one port, and one folder per adapter. Adapters load their libraries on first
 * use.
 */
export type {
  CodeHost,
  CodeHostCapabilities,
  CodeHostProject,
  NewPullRequest,
  PullRequest,
  PullRequestChanges,
  PullRequestExtras,
  PullRequestQuery,
  PullRequestState,
} from "./code-host.ts";
export { createLocalCodeHost } from "./local/local-code-host.ts";
export type {
  LocalCodeHost,
  LocalCodeHostOptions,
  PullRequestComment,
  PullRequestList,
} from "./local/local-code-host.ts";
export type { Mergeability, PullRequestDiff, PullRequestPage } from "./local/pull-request-page.ts";
export { createGitHubCodeHost } from "./github/github-code-host.ts";
export type { GitHubApp } from "./github/client.ts";
export type { GitHubCodeHostOptions } from "./github/options.ts";
export { publicGitHubHosts } from "./github/repository-address.ts";
