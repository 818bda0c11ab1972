/**
 * Pull requests on code hosts. There is one port, and one folder per adapter. Adapters load their libraries on first
 * use.
 */
export { publicHosts } from "./code-host.ts";
export type {
  CodeHost,
  CodeHostCapabilities,
  CodeHostProject,
  CommitStatus,
  HookTarget,
  ThreadComment,
  NewPullRequest,
  OpenPullRequest,
  PullRequest,
  PullRequestChanges,
  PullRequestExtras,
  PullRequestQuery,
  PullRequestState,
  PullRequestRemark,
  Review,
} from "./code-host.ts";
export { createLocalCodeHost } from "./local/local-code-host.ts";
export type { LocalCodeHostOptions } from "./local/local-code-host.ts";
export { createPullRequests } from "./local/pull-requests.ts";
export type {
  PullRequests,
  LocalPullRequest,
  PullRequestComment,
  RecordAction,
} from "./local/pull-requests.ts";
export { createGitHubCodeHost } from "./github/github-code-host.ts";
export type { GitHubApp, GitHubCodeHostOptions } from "./github/connections.ts";
export { createGiteaCodeHost } from "./gitea/gitea-code-host.ts";
export { createGitLabCodeHost } from "./gitlab/gitlab-code-host.ts";
