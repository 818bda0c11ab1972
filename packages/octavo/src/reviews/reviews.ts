import { OctavoError } from "@octavo/site/core";
import type {
  CodeHostProject,
  PullRequest,
  PullRequestComment,
  PullRequestState,
  RecordAct,
} from "../codehost/index.ts";
import type { FileAtCommit, Person } from "../git/index.ts";
import { createFactCache } from "./fact-cache.ts";
import { mergePullRequest } from "./merge.ts";
import { describePullRequest, readPullRequestDiff } from "./pull-request-page.ts";
import type { PullRequestDiff, PullRequestPage } from "./pull-request-page.ts";
import type { ReviewServices } from "./tools.ts";

export interface PullRequestList {
  readonly state?: PullRequestState;
  /** Only pull requests with a smaller number are listed. */
  readonly before?: number;
  readonly limit: number;
}

/**
 * The operations with which people view and end pull requests on the service's own code host. All methods throw
 * `OctavoError`, like those of `CodeHost`.
 */
export interface Reviews {
  /** Lists pull requests, newest first, each in its last known state. */
  list(projectId: string, query: PullRequestList): Promise<PullRequest[]>;
  /** Returns the content of a pull request's pages, except for its files. */
  describe(projectId: string, number: number): Promise<PullRequestPage>;
  /** Returns the unified diff of some of the pull request's files, or undefined if the diff is too large for a page. */
  diff(projectId: string, request: PullRequestDiff): Promise<string | undefined>;
  /** Returns the text of a file at a commit, or undefined if there is no regular file of at most `maxBytes`. */
  readFile(projectId: string, file: FileAtCommit): Promise<string | undefined>;
  /**
   * Merges a pull request into the base branch. If the hosted repository is a copy, merges into the base branch of the
   * external repository. Idempotent. Throws `conflict` if the pull request was closed, is a draft or cannot be merged,
   * and `forbidden` if the project's credentials may not push to the branch. `record` runs in the transaction that ends
   * the pull request.
   */
  merge(
    project: CodeHostProject,
    number: number,
    by: Person,
    record?: RecordAct,
  ): Promise<PullRequest>;
  /** Makes a draft ready to be merged. Idempotent. Throws `conflict` if the pull request has ended. */
  markReady(projectId: string, number: number): Promise<PullRequest>;
  /** Closes a pull request without merging it. Idempotent. Throws `conflict` if it was merged. */
  close(projectId: string, number: number, record?: RecordAct): Promise<PullRequest>;
  /** Lists comments, oldest first. */
  listComments(projectId: string, number: number, limit: number): Promise<PullRequestComment[]>;
  /** Adds a person's comment. */
  addComment(
    projectId: string,
    number: number,
    comment: { author: string; body: string },
  ): Promise<void>;
}

export function createReviews(options: Omit<ReviewServices, "remember">): Reviews {
  const { pullRequests, hosting, work } = options;
  const tools: ReviewServices = { ...options, remember: createFactCache() };
  return {
    async list(projectId, query) {
      const list = await pullRequests.list(projectId, query);
      return list.map(({ pullRequest }) => pullRequest);
    },
    describe: (projectId, number) => describePullRequest(tools, projectId, number),
    diff: (projectId, request) => readPullRequestDiff(tools, projectId, request),
    async readFile(projectId, file) {
      const repository = hosting.repositoryOf(projectId);
      const key = `file ${repository.path} ${JSON.stringify(file)}`;
      return await tools.remember(key, () => work.readFile(repository, file));
    },
    merge: (project, number, by, record) =>
      mergePullRequest(tools, { project, number, by, record }),
    async markReady(projectId, number) {
      const { state } = (await pullRequests.read(projectId, number)).pullRequest;
      if (state === "open") {
        return (await pullRequests.change(projectId, number, { isDraft: false })).pullRequest;
      }
      throw new OctavoError("conflict", `Pull request ${number} was ${state}.`);
    },
    async close(projectId, number, record) {
      const open = await pullRequests.read(projectId, number);
      const { pullRequest } = await pullRequests.end(open, { state: "closed" }, record);
      if (pullRequest.state === "closed") return pullRequest;
      throw new OctavoError(
        "conflict",
        `Pull request ${number} was merged, so it cannot be closed.`,
      );
    },
    listComments: (projectId, number, limit) => pullRequests.listComments(projectId, number, limit),
    addComment: (projectId, number, comment) => pullRequests.addComment(projectId, number, comment),
  };
}
