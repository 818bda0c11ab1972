/** Pull requests on the service's own code host for the pages that people use: lists, diffs, comments and merges. */
export { createReviews } from "./reviews.ts";
export type { Reviews, PullRequestPage } from "./reviews.ts";
/** The code host's types that callers need to show, merge and close pull requests. */
export type {
  CodeHostProject,
  PullRequest,
  PullRequestComment,
  PullRequestState,
} from "../codehost/index.ts";
