import { z } from "zod";
import type { OpenPullRequest, PullRequest, Remark, Review, ThreadComment } from "../code-host.ts";

const time = z.iso.datetime({ offset: true });
const user = z.object({ login: z.string() }).nullish();

/** The fields that are read from responses about pull requests. */
export const pullReply = z.object({
  number: z.int().positive(),
  html_url: z.url(),
  state: z.enum(["open", "closed"]),
  title: z.string(),
  body: z.string().nullish(),
  /** Missing from Gitea 1.21. */
  draft: z.boolean().nullish(),
  created_at: time,
  closed_at: time.nullish(),
  merged_at: time.nullish(),
  user,
  /** `label` is the branch. `ref` is another name once the branch was deleted. */
  head: z.object({ label: z.string(), repo_id: z.int(), sha: z.string() }),
  base: z.object({ label: z.string(), repo_id: z.int() }),
});
export type PullReply = z.infer<typeof pullReply>;

/** An entry of a list is null if the server failed to read it. */
export const pullListReply = z.array(pullReply.nullable());

export const userReply = z.object({ login: z.string() });
export const userListReply = z.array(userReply);

export const commentListReply = z.array(
  z.object({ id: z.int(), user, body: z.string().nullish(), created_at: time }),
);

export const reviewListReply = z.array(
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

export const lineCommentListReply = z.array(
  z.object({
    id: z.int().positive(),
    user,
    body: z.string(),
    created_at: time,
    path: z.string(),
    /** The line in the new file, or 0. */
    position: z.int().nonnegative().nullish(),
    /** The line in the old file, or 0. */
    original_position: z.int().nonnegative().nullish(),
    diff_hunk: z.string(),
    pull_request_review_id: z.int(),
  }),
);
export type LineCommentReply = z.infer<typeof lineCommentListReply>[number];

export const labelListReply = z.array(z.object({ id: z.int(), name: z.string() }));
/** A label or comment that was made. */
export const createdReply = z.object({ id: z.int() });

export const repositoryHookListReply = z.array(
  z.object({ id: z.int(), config: z.record(z.string(), z.string()).nullish() }),
);

export const commitListReply = z.array(z.object({ sha: z.string() }));

/**
 * Matches the beginnings of titles that make a pull request a draft: first the two that servers know unless their
 * operator changes the list, then those that operators add.
 */
const usualDraftPrefix = /^\s*(?:WIP:|\[WIP\])\s*/i;
const draftPrefix = /^\s*(?:WIP:|\[WIP\]|Draft:|\[Draft\])\s*/i;

/** Splits a title into its draft prefix, which is empty if it is not a draft, and the rest. */
export function splitTitle({ title, draft }: Pick<PullReply, "title" | "draft">): {
  readonly isDraft: boolean;
  readonly prefix: string;
  readonly rest: string;
} {
  const isDraft = draft ?? usualDraftPrefix.test(title);
  const [prefix = ""] = (isDraft && draftPrefix.exec(title)) || [];
  return { isDraft, prefix, rest: title.slice(prefix.length) };
}

export function convertPullRequest(reply: PullReply): PullRequest {
  const endedAt = reply.merged_at ?? reply.closed_at;
  const { isDraft, rest } = splitTitle(reply);
  return {
    number: reply.number,
    url: reply.html_url,
    state: reply.merged_at ? "merged" : reply.state,
    title: rest,
    body: reply.body ?? "",
    head: reply.head.label,
    base: reply.base.label,
    isDraft,
    createdAt: new Date(reply.created_at),
    ...(endedAt ? { endedAt: new Date(endedAt) } : {}),
  };
}

export function convertOpenPullRequest(
  reply: PullReply,
  members: ReadonlySet<string>,
): OpenPullRequest {
  const { number, url, title, head, base } = convertPullRequest(reply);
  const author = reply.user?.login ?? "ghost";
  return {
    number,
    url,
    title,
    author,
    isByMember: members.has(author),
    isFromFork: reply.head.repo_id !== reply.base.repo_id,
    headCommit: reply.head.sha,
    head,
    base,
    ref: `refs/pull/${number}/head`,
  };
}

export function convertRemark(
  { user: author, body, created_at }: Omit<z.infer<typeof commentListReply>[number], "id">,
  members: ReadonlySet<string>,
): Remark {
  const login = author?.login ?? "ghost";
  return {
    author: login,
    isByMember: members.has(login),
    body: body ?? "",
    createdAt: new Date(created_at),
  };
}

/** Returns nothing for a review that was not sent, or that is only a request for one. */
export function convertReview(reply: ReviewReply, members: ReadonlySet<string>): Review[] {
  const { submitted_at, state } = reply;
  if (!submitted_at || state === "PENDING" || state === "REQUEST_REVIEW") return [];
  const remark = convertRemark({ ...reply, created_at: submitted_at }, members);
  return [{ ...remark, requestsChanges: state === "REQUEST_CHANGES" }];
}

/**
 * Converts all comments of a pull request. Those on the same line are one thread, as on the server's pages, which a
 * member begins: a stranger's comment must not make those of members parts of its own thread.
 */
export function convertLineComments(
  replies: readonly LineCommentReply[],
  members: ReadonlySet<string>,
): ThreadComment[] {
  const threads = new Map<string, number>();
  return replies
    .toSorted((a, b) => a.id - b.id)
    .map((reply) => {
      const { id, path, position, original_position } = reply;
      const place = JSON.stringify([path, position ?? 0, original_position ?? 0]);
      const threadId = threads.get(place);
      const remark = convertRemark(reply, members);
      if (threadId === undefined && remark.isByMember) threads.set(place, id);
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
