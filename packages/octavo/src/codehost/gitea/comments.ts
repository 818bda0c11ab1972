import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { giteaPageSize, readGiteaMembers, readOwnLogin, createdReply } from "./repository.ts";
import type { GiteaCall } from "./repository.ts";
import type { PullRequestRemark, Review, ThreadComment } from "../code-host.ts";
import type { ThreadAnswer, OwnCommentStore, CodeHostOperations } from "../create-code-host.ts";
import { readNewest, readReply } from "../replies.ts";
import { readRestReply, sendRestRequest } from "../rest-host.ts";

const maxComments = 100;
const maxLineComments = 500;

const time = z.iso.datetime({ offset: true });
const user = z.object({ login: z.string() }).nullish();

const commentListReply = z.array(
  z.object({ id: z.int(), user, body: z.string().nullish(), created_at: time }),
);

const reviewListReply = z.array(
  z.object({
    id: z.int(),
    user,
    state: z.string(),
    body: z.string().nullish(),
    submitted_at: time.nullish(),
    comments_count: z.int().nullish(),
  }),
);

type ReviewReply = z.infer<typeof reviewListReply>[number];

const lineCommentListReply = z.array(
  z.object({
    id: z.int().positive(),
    user,
    body: z.string(),
    created_at: time,
    path: z.string(),
    /** The line in the new file; 0 if the comment is not on a line of the new file. */
    position: z.int().nonnegative().nullish(),
    /** The line in the old file; 0 if the comment is not on a line of the old file. */
    original_position: z.int().nonnegative().nullish(),
    diff_hunk: z.string(),
    pull_request_review_id: z.int(),
  }),
);

type LineCommentReply = z.infer<typeof lineCommentListReply>[number];

/** The comments and reviews of a pull request. */
export const giteaComments = {
  comment: addComment,
  listComments,
  listReviews,
  listLineComments,
  answerLineComment,
  openOwnComments,
} satisfies Partial<CodeHostOperations<GiteaCall>>;

async function addComment(call: GiteaCall, number: number, body: string): Promise<void> {
  // The request is not retried, because a retry after a lost response would add the comment twice.
  const request = { method: "POST", body: { body }, isSentOnce: true } as const;
  await sendRestRequest(call, { ...request, path: `/issues/${number}/comments` });
}

async function listComments(
  call: GiteaCall,
  number: number,
): Promise<readonly PullRequestRemark[]> {
  const comments = await readRestReply(call, commentListReply, {
    path: `/issues/${number}/comments`,
  });
  const members = await readGiteaMembers(call);
  return comments.slice(-maxComments).map((comment) => convertRemark(comment, members));
}

async function listReviews(call: GiteaCall, number: number): Promise<readonly Review[]> {
  const reviews = await readReviews(call, number);
  const members = await readGiteaMembers(call);
  return reviews.flatMap((review) => convertReview(review, members));
}

async function listLineComments(
  call: GiteaCall,
  number: number,
): Promise<readonly ThreadComment[]> {
  const comments = await readLineComments(call, number);
  return convertLineComments(comments, await readGiteaMembers(call)).slice(-maxLineComments);
}

/**
 * Adds the reply to the review that contains the thread's first comment. Gitea cannot add comments to an existing
 * review, so on Gitea the reply becomes a separate review on the same line, which is shown in the same thread.
 */
async function answerLineComment(
  call: GiteaCall,
  number: number,
  { threadId, body }: ThreadAnswer,
): Promise<void> {
  const comments = await readLineComments(call, number);
  const first = comments.find(({ id }) => id === threadId);
  if (!first)
    throw new OctavoError("not_found", `There is no line comment with the ID ${threadId}.`);
  const { path, position, original_position, pull_request_review_id: reviewId } = first;
  const comment = {
    body,
    path,
    new_position: position ?? 0,
    old_position: original_position ?? 0,
  };
  const reviews = `/pulls/${number}/reviews`;
  await sendRestRequest(
    call,
    call.program === "Forgejo"
      ? { method: "POST", path: `${reviews}/${reviewId}/comments`, body: comment, isSentOnce: true }
      : { method: "POST", path: reviews, body: { event: "COMMENT", comments: [comment] }, isSentOnce: true }, // prettier-ignore
  );
}

async function readReviews(
  call: GiteaCall,
  number: number,
): Promise<z.output<typeof reviewListReply>> {
  return await readNewest(async (page) => {
    const query = { page, limit: giteaPageSize };
    const { data, headers } = await sendRestRequest(call, {
      path: `/pulls/${number}/reviews`,
      query,
    });
    return { items: readReply(reviewListReply, data, call.program), link: headers.get("link") };
  });
}

async function readLineComments(call: GiteaCall, number: number): Promise<LineCommentReply[]> {
  const found: LineCommentReply[] = [];
  for (const { id, state, comments_count } of await readReviews(call, number)) {
    if (state === "PENDING" || !comments_count) continue;
    const path = `/pulls/${number}/reviews/${id}/comments`;
    found.push(...(await readRestReply(call, lineCommentListReply, { path })));
  }
  return found;
}

function openOwnComments(call: GiteaCall, number: number): OwnCommentStore {
  return {
    async list() {
      const login = await readOwnLogin(call);
      const path = `/issues/${number}/comments`;
      const comments = await readRestReply(call, commentListReply, { path });
      const own = comments.filter(({ user }) => user?.login === login);
      return own.map(({ id, body }) => ({ id, body: body ?? "" }));
    },
    async add(body) {
      const path = `/issues/${number}/comments`;
      const request = { method: "POST", path, body: { body }, isSentOnce: true } as const;
      return (await readRestReply(call, createdReply, request)).id;
    },
    async edit(id, body) {
      await sendRestRequest(call, {
        method: "PATCH",
        path: `/issues/comments/${id}`,
        body: { body },
      });
    },
    async remove(id) {
      await sendRestRequest(call, { method: "DELETE", path: `/issues/comments/${id}` });
    },
  };
}

function convertRemark(
  { user: author, body, created_at }: Omit<z.infer<typeof commentListReply>[number], "id">,
  members: ReadonlySet<string>,
): PullRequestRemark {
  const login = author?.login ?? "ghost";
  return {
    author: login,
    isByMember: members.has(login),
    body: body ?? "",
    createdAt: new Date(created_at),
  };
}

/** Returns an empty list for a review that was not submitted and for a request for a review. */
function convertReview(reply: ReviewReply, members: ReadonlySet<string>): Review[] {
  const { submitted_at, state } = reply;
  if (!submitted_at || state === "PENDING" || state === "REQUEST_REVIEW") return [];
  const remark = convertRemark({ ...reply, created_at: submitted_at }, members);
  return [{ ...remark, requestsChanges: state === "REQUEST_CHANGES" }];
}

/**
 * Converts all comments on lines. As on the server's pages, comments on the same line form one thread. A thread begins
 * with a member's comment, so that members' comments never become part of a stranger's thread.
 */
function convertLineComments(
  replies: readonly LineCommentReply[],
  members: ReadonlySet<string>,
): ThreadComment[] {
  const threadIds = new Map<string, number>();
  return replies
    .toSorted((a, b) => a.id - b.id)
    .map((reply) => {
      const { id, path, position, original_position } = reply;
      const lineKey = JSON.stringify([path, position ?? 0, original_position ?? 0]);
      const threadId = threadIds.get(lineKey);
      const remark = convertRemark(reply, members);
      if (threadId === undefined && remark.isByMember) threadIds.set(lineKey, id);
      return {
        ...remark,
        id,
        threadId,
        body: reply.body,
        path,
        line: position || undefined,
        diff: reply.diff_hunk,
      };
    });
}
