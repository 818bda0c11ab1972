import { z } from "zod";
import { gitHubPageSize, writerAssociations } from "./connections.ts";
import type { GitHubCall } from "./connections.ts";
import type { PullRequestRemark, Review, ThreadComment } from "../code-host.ts";
import type { ThreadAnswer, OwnCommentStore, CodeHostOperations } from "../create-code-host.ts";
import { readNewest, readReply } from "../replies.ts";

const maxLineCommentPages = 5;
/** The maximum number of pages that are searched for the service's own comment. */
const maxOwnCommentPages = 10;

const user = z.object({ login: z.string(), type: z.string().optional() }).nullish();

const createdAt = z.iso.datetime({ offset: true });

/** The fields that are read from comments on a pull request as a whole. */
const commentReply = z.object({
  id: z.int().positive(),
  user,
  /** The App through which the comment was written. */
  performed_via_github_app: z.object({ id: z.int() }).nullish(),
  author_association: z.string(),
  body: z.string().nullish(),
  created_at: createdAt,
});

/** The fields that are read from reviews. A review that its author has not submitted has no submission time. */
const reviewReply = commentReply.omit({ id: true, created_at: true }).extend({
  state: z.string(),
  submitted_at: createdAt.nullish(),
});

/** The fields that are read from comments on lines. */
const threadCommentReply = z.object({
  id: z.int().positive(),
  in_reply_to_id: z.int().positive().nullish(),
  user,
  author_association: z.string(),
  body: z.string(),
  created_at: createdAt,
  path: z.string(),
  line: z.int().positive().nullish(),
  diff_hunk: z.string(),
});

const loginReply = z.object({ login: z.string() });

/** The comments and reviews of a pull request. */
export const gitHubComments = {
  comment: addComment,
  listComments,
  listReviews,
  listLineComments,
  answerLineComment,
  openOwnComments,
} satisfies Partial<CodeHostOperations<GitHubCall>>;

async function addComment(
  { client, common }: GitHubCall,
  number: number,
  body: string,
): Promise<void> {
  // The request is not retried, because a retry after a lost response would add the comment twice.
  const request = { ...common.request, retries: 0 };
  const parameters = { ...common, issue_number: number, body, request };
  await client.octokit.rest.issues.createComment(parameters);
}

async function listComments(
  { client, common }: GitHubCall,
  number: number,
): Promise<PullRequestRemark[]> {
  const parameters = { ...common, issue_number: number, per_page: gitHubPageSize };
  const comments = await readNewest(async (page) =>
    toPage(commentReply, await client.octokit.rest.issues.listComments({ ...parameters, page })),
  );
  return comments.map(toRemark);
}

async function listReviews({ client, common }: GitHubCall, number: number): Promise<Review[]> {
  const parameters = { ...common, pull_number: number, per_page: gitHubPageSize };
  const reviews = await readNewest(async (page) =>
    toPage(reviewReply, await client.octokit.rest.pulls.listReviews({ ...parameters, page })),
  );
  return reviews.flatMap(toReview);
}

/** Lists the newest comments on lines, in chronological order. */
async function listLineComments(
  { client, common }: GitHubCall,
  number: number,
): Promise<ThreadComment[]> {
  const comments: ThreadComment[] = [];
  for (let page = 1; page <= maxLineCommentPages; page += 1) {
    const { data } = await client.octokit.rest.pulls.listReviewComments({
      ...common,
      pull_number: number,
      sort: "created",
      direction: "desc",
      per_page: gitHubPageSize,
      page,
    });
    const replies = readReply(z.array(threadCommentReply), data, "GitHub");
    comments.push(...replies.map(toThreadComment));
    if (replies.length < gitHubPageSize) break;
  }
  return comments.toReversed();
}

async function answerLineComment(
  { client, common }: GitHubCall,
  number: number,
  { threadId, body }: ThreadAnswer,
): Promise<void> {
  // The request is not retried, because a retry after a lost response would add the reply twice.
  const request = { ...common.request, retries: 0 };
  const parameters = { pull_number: number, comment_id: threadId, body };
  await client.octokit.rest.pulls.createReplyForReviewComment({
    ...common,
    ...parameters,
    request,
  });
}

function openOwnComments(
  { client, common, appId, translate }: GitHubCall,
  number: number,
): OwnCommentStore {
  const { issues, users } = client.octokit.rest;
  const run = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw translate(error);
    }
  };
  /** Returns a predicate that recognizes the login's own comments. An App's comments are recognized by the App's ID. */
  const createOwnPredicate = async (): Promise<
    (reply: z.infer<typeof commentReply>) => boolean
  > => {
    if (appId !== undefined) {
      return ({ performed_via_github_app: app }) => String(app?.id) === appId;
    }
    const { headers, request } = common;
    const { data } = await users.getAuthenticated({ headers, request });
    const { login } = readReply(loginReply, data, "GitHub");
    return ({ user }) => user?.login === login;
  };
  return {
    list: () =>
      run(async () => {
        const isOwn = await createOwnPredicate();
        const ownComments: z.infer<typeof commentReply>[] = [];
        for (let page = 1; page <= maxOwnCommentPages; page += 1) {
          const parameters = { ...common, issue_number: number, per_page: gitHubPageSize, page };
          const { data } = await issues.listComments(parameters);
          const replies = readReply(z.array(commentReply), data, "GitHub");
          ownComments.push(...replies.filter(isOwn));
          if (replies.length < gitHubPageSize) break;
        }
        return ownComments.map(({ id, body }) => ({ id, body: body ?? "" }));
      }),
    add: (body) =>
      run(async () => {
        const request = { ...common.request, retries: 0 };
        const { data } = await issues.createComment({
          ...common,
          issue_number: number,
          body,
          request,
        });
        return readReply(commentReply, data, "GitHub").id;
      }),
    edit: (id, body) =>
      run(async () => void (await issues.updateComment({ ...common, comment_id: id, body }))),
    remove: (id) =>
      run(async () => void (await issues.deleteComment({ ...common, comment_id: id }))),
  };
}

/** Parses one page of a list. */
function toPage<Reply>(
  schema: z.ZodType<Reply>,
  { data, headers }: { data: unknown; headers: { link?: string | undefined } },
) {
  return { items: readReply(z.array(schema), data, "GitHub"), link: headers.link };
}

function toRemark(reply: Omit<z.infer<typeof commentReply>, "id">): PullRequestRemark {
  return {
    author: reply.user?.login ?? "ghost",
    isByMember: writerAssociations.has(reply.author_association) && reply.user?.type !== "Bot",
    body: reply.body ?? "",
    createdAt: new Date(reply.created_at),
  };
}

/** Returns an empty list for a review that its author has not submitted. */
function toReview({ submitted_at, ...reply }: z.infer<typeof reviewReply>): Review[] {
  if (submitted_at === undefined || submitted_at === null) return [];
  const requestsChanges = reply.state === "CHANGES_REQUESTED";
  return [{ ...toRemark({ ...reply, created_at: submitted_at }), requestsChanges }];
}

function toThreadComment(reply: z.infer<typeof threadCommentReply>): ThreadComment {
  return {
    id: reply.id,
    threadId: reply.in_reply_to_id ?? undefined,
    author: reply.user?.login ?? "ghost",
    isByMember: writerAssociations.has(reply.author_association),
    body: reply.body,
    createdAt: new Date(reply.created_at),
    path: reply.path,
    line: reply.line ?? undefined,
    diff: reply.diff_hunk,
  };
}
