import { z } from "zod";
import type { OpenPullRequest, PullRequest, Remark, ThreadComment } from "../code-host.ts";

const time = z.iso.datetime({ offset: true });
export const accountReply = z.object({ id: z.int(), username: z.string() });

/** The fields that are read from responses about merge requests. */
export const mergeRequestReply = z.object({
  iid: z.int().positive(),
  web_url: z.url(),
  /** `locked` while GitLab merges it. */
  state: z.enum(["opened", "closed", "merged", "locked"]),
  title: z.string(),
  description: z.string().nullish(),
  draft: z.boolean(),
  created_at: time,
  closed_at: time.nullish(),
  merged_at: time.nullish(),
  source_branch: z.string(),
  target_branch: z.string(),
  source_project_id: z.int().nullish(),
  target_project_id: z.int(),
  author: accountReply.nullish(),
  /** The head. Null while GitLab prepares the merge request. */
  sha: z.string().nullish(),
  reviewers: z.array(z.object({ id: z.int() })).nullish(),
});
export type MergeRequestReply = z.infer<typeof mergeRequestReply>;

export const noteReply = z.object({
  id: z.int().positive(),
  type: z.string().nullish(),
  body: z.string(),
  author: accountReply,
  created_at: time,
  /** Whether GitLab itself wrote it, about a change of the merge request. */
  system: z.boolean(),
  position: z
    .object({ new_path: z.string().nullish(), new_line: z.int().positive().nullish() })
    .nullish(),
});
type NoteReply = z.infer<typeof noteReply>;

export const discussionReply = z.object({ id: z.string(), notes: z.array(noteReply) });
type DiscussionReply = z.infer<typeof discussionReply>;

export const memberListReply = z.array(z.object({ id: z.int(), access_level: z.int() }));
export const accountListReply = z.array(accountReply);
export const projectHookListReply = z.array(z.object({ id: z.int(), url: z.string() }));
export const diffListReply = z.array(z.object({ new_path: z.string(), diff: z.string() }));

const draftPrefix = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i;

/** Splits a title into its draft prefix, which is empty if it is not a draft, and the rest. */
export function splitDraftTitle({ title, draft }: Pick<MergeRequestReply, "title" | "draft">): {
  readonly prefix: string;
  readonly rest: string;
} {
  const [prefix = ""] = (draft && draftPrefix.exec(title)) || [];
  return { prefix, rest: title.slice(prefix.length) };
}

const states = { opened: "open", locked: "open", merged: "merged", closed: "closed" } as const;

export function convertMergeRequest(reply: MergeRequestReply): PullRequest {
  const endedAt = reply.merged_at ?? reply.closed_at;
  const state = states[reply.state];
  return {
    number: reply.iid,
    url: reply.web_url,
    state,
    title: splitDraftTitle(reply).rest,
    body: reply.description ?? "",
    head: reply.source_branch,
    base: reply.target_branch,
    isDraft: reply.draft,
    createdAt: new Date(reply.created_at),
    ...(endedAt && state !== "open" ? { endedAt: new Date(endedAt) } : {}),
  };
}

/** Returns nothing for a merge request that GitLab still prepares. */
export function convertOpenMergeRequest(
  reply: MergeRequestReply,
  members: ReadonlySet<number>,
): OpenPullRequest[] {
  const { author, sha, source_project_id, target_project_id } = reply;
  if (!sha) return [];
  const { number, url, title, head, base } = convertMergeRequest(reply);
  return [
    {
      number,
      url,
      title,
      author: author?.username ?? "ghost",
      isByMember: author ? members.has(author.id) : false,
      isFromFork: source_project_id !== target_project_id,
      headCommit: sha,
      head,
      base,
      ref: `refs/merge-requests/${number}/head`,
    },
  ];
}

export function convertNote(note: NoteReply, members: ReadonlySet<number>): Remark {
  return {
    author: note.author.username,
    isByMember: members.has(note.author.id),
    body: note.body,
    createdAt: new Date(note.created_at),
  };
}

/** The changes of a merge request as diffs, by the path of the file. */
type Diffs = ReadonlyMap<string, string>;

/** Converts the discussions on lines, which are threads, to comments in order. */
export function convertDiscussions(
  discussions: readonly DiscussionReply[],
  { members, diffs }: { readonly members: ReadonlySet<number>; readonly diffs: Diffs },
): ThreadComment[] {
  const comments = discussions.flatMap(({ notes }) => {
    const [first] = notes;
    const path = first?.position?.new_path;
    if (!first || !path) return [];
    const line = first.position?.new_line ?? undefined;
    const diff = cutDiff(diffs.get(path) ?? "", line);
    return notes
      .filter(({ system }) => !system)
      .map((note) => ({
        ...convertNote(note, members),
        id: note.id,
        threadId: note.id === first.id ? undefined : first.id,
        path,
        line,
        diff,
      }));
  });
  return comments.toSorted((a, b) => a.id - b.id);
}

const hunkHead = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/** Returns the hunk of a diff that contains a line of the new file, up to that line; empty if there is none. */
function cutDiff(diff: string, line: number | undefined): string {
  let hunk: string[] = [];
  let next = 0;
  for (const text of diff.split("\n")) {
    const start = hunkHead.exec(text)?.[1];
    if (start === undefined) hunk.push(text);
    else [hunk, next] = [[text], Number(start)];
    const isInNew = start === undefined && (text.startsWith("+") || text.startsWith(" "));
    if (!isInNew) continue;
    if (next === line) return hunk.join("\n");
    next += 1;
  }
  return "";
}
