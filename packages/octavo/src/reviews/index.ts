/** Pull requests on the service's own code host for the pages that people use: lists, diffs, comments and merges. */
export { createReviews } from "./reviews.ts";
export type { PullRequestList, Reviews } from "./reviews.ts";
export type { Mergeability } from "./merge.ts";
export type { PullRequestDiff, PullRequestPage } from "./pull-request-page.ts";
/** The code host's types that callers need to show pull requests. */
export type { PullRequest, PullRequestComment, PullRequestState } from "../codehost/index.ts";
