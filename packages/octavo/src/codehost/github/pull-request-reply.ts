import { z } from "zod";
import type { OpenPullRequest, PullRequest, Remark, Review, ThreadComment } from "../code-host.ts";

const user = z.object({ login: z.string(), type: z.string().optional() }).nullish();

/** The fields that are read from GitHub's responses. */
export const pullRequestReply = z.object({
  number: z.int().positive(),
  html_url: z.url(),
  state: z.enum(["open", "closed"]),
  title: z.string(),
  body: z.string().nullish(),
  draft: z.boolean().optional(),
  created_at: z.iso.datetime({ offset: true }),
  closed_at: z.iso.datetime({ offset: true }).nullish(),
  merged_at: z.iso.datetime({ offset: true }).nullish(),
  head: z.object({
    ref: z.string(),
    repo: z.object({ full_name: z.string() }).nullish(),
  }),
  base: z.object({ ref: z.string() }),
});
type PullRequestReply = z.infer<typeof pullRequestReply>;

/** The fields that are read in a list of open pull requests. The repository of a deleted fork is null. */
export const openPullRequestReply = pullRequestReply.extend({
  user,
  author_association: z.string(),
  head: pullRequestReply.shape.head.extend({ sha: z.string() }),
  base: pullRequestReply.shape.base.extend({ repo: z.object({ full_name: z.string() }) }),
});

const createdAt = z.iso.datetime({ offset: true });

/** The fields that are read of comments on a pull request as a whole. */
export const commentReply = z.object({
  id: z.int().positive(),
  user,
  /** The App with which the comment was written. */
  performed_via_github_app: z.object({ id: z.int() }).nullish(),
  author_association: z.string(),
  body: z.string().nullish(),
  created_at: createdAt,
});

/** The fields that are read of reviews. A review that its author has not sent has no time. */
export const reviewReply = commentReply.omit({ id: true, created_at: true }).extend({
  state: z.string(),
  submitted_at: createdAt.nullish(),
});

/** The fields that are read of comments on lines. */
export const threadCommentReply = z.object({
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

/** The relations to a repository that people who write in it have. */
const memberships: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);

export function toRemark(reply: Omit<z.infer<typeof commentReply>, "id">): Remark {
  return {
    author: reply.user?.login ?? "ghost",
    isByMember: memberships.has(reply.author_association) && reply.user?.type !== "Bot",
    body: reply.body ?? "",
    createdAt: new Date(reply.created_at),
  };
}

/** Returns nothing for a review that its author has not sent. */
export function toReview({ submitted_at, ...reply }: z.infer<typeof reviewReply>): Review[] {
  if (submitted_at === undefined || submitted_at === null) return [];
  const requestsChanges = reply.state === "CHANGES_REQUESTED";
  return [{ ...toRemark({ ...reply, created_at: submitted_at }), requestsChanges }];
}

export function toThreadComment(reply: z.infer<typeof threadCommentReply>): ThreadComment {
  return {
    id: reply.id,
    threadId: reply.in_reply_to_id ?? undefined,
    author: reply.user?.login ?? "ghost",
    isByMember: memberships.has(reply.author_association),
    body: reply.body,
    createdAt: new Date(reply.created_at),
    path: reply.path,
    line: reply.line ?? undefined,
    diff: reply.diff_hunk,
  };
}

export const loginReply = z.object({ login: z.string() });
export const hookReply = z.object({
  id: z.int(),
  config: z.object({ url: z.string().optional() }),
});

export const repositoryReply = z.object({
  full_name: z.string(),
  permissions: z.object({ push: z.boolean() }).optional(),
  owner: z.object({ login: z.string() }),
});

export function toPullRequest(reply: PullRequestReply): PullRequest {
  const endedAt = reply.merged_at ?? reply.closed_at;
  return {
    number: reply.number,
    url: reply.html_url,
    state: reply.merged_at ? "merged" : reply.state,
    title: reply.title,
    body: reply.body ?? "",
    head: reply.head.ref,
    base: reply.base.ref,
    isDraft: reply.draft ?? false,
    createdAt: new Date(reply.created_at),
    ...(endedAt ? { endedAt: new Date(endedAt) } : {}),
  };
}

export function toOpenPullRequest(reply: z.infer<typeof openPullRequestReply>): OpenPullRequest {
  const { number, url, title, head, base } = toPullRequest(reply);
  return {
    number,
    url,
    title,
    author: reply.user?.login ?? "ghost",
    isByMember: memberships.has(reply.author_association),
    isFromFork: reply.head.repo?.full_name !== reply.base.repo.full_name,
    headCommit: reply.head.sha,
    head,
    base,
    ref: `refs/pull/${number}/head`,
  };
}
