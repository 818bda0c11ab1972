import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { accountReply, gitLabPageSize, readGitLabMembers, gitLabLabel } from "./repository.ts";
import type { PullRequestRemark, ThreadComment } from "../code-host.ts";
import type { ThreadAnswer, OwnCommentStore, CodeHostOperations } from "../create-code-host.ts";
import { readNewest, readReply } from "../replies.ts";
import { readRestReply, sendRestRequest } from "../rest-host.ts";
import type { RestCall } from "../rest-host.ts";

const maxComments = 100;
const maxNotePages = 5;
const maxDiffPages = 3;
/** The maximum number of pages that are searched for the service's own comment. */
const maxOwnCommentPages = 10;
const maxLineComments = 500;
const time = z.iso.datetime({ offset: true });

const noteReply = z.object({
  id: z.int().positive(),
  type: z.string().nullish(),
  body: z.string(),
  author: accountReply,
  created_at: time,
  /** Whether GitLab itself wrote the comment, about a change to the merge request. */
  system: z.boolean(),
  position: z
    .object({ new_path: z.string().nullish(), new_line: z.int().positive().nullish() })
    .nullish(),
});

type NoteReply = z.infer<typeof noteReply>;

const discussionReply = z.object({ id: z.string(), notes: z.array(noteReply) });

type DiscussionReply = z.infer<typeof discussionReply>;

const diffListReply = z.array(z.object({ new_path: z.string(), diff: z.string() }));

/** The comments on a merge request, as a whole and on lines. */
export const gitLabComments = {
  comment: addComment,
  listComments,
  listLineComments,
  answerLineComment,
  openOwnComments,
} satisfies Partial<CodeHostOperations<RestCall>>;

async function addComment(call: RestCall, number: number, body: string): Promise<void> {
  // The request is not retried, because a retry after a lost response would add the comment twice.
  const note = { body: escapeQuickActions(body) };
  const path = `/merge_requests/${number}/notes`;
  await sendRestRequest(call, { method: "POST", path, body: note, isSentOnce: true });
}

async function listComments(call: RestCall, number: number): Promise<readonly PullRequestRemark[]> {
  const notes = await readNotes(call, number);
  const members = await readGitLabMembers(
    call,
    notes.map(({ author }) => author),
  );
  return notes.map((note) => convertNote(note, members));
}

async function listLineComments(call: RestCall, number: number): Promise<readonly ThreadComment[]> {
  const discussions = await readDiscussions(call, number);
  const notes = discussions.flatMap((discussion) => discussion.notes);
  if (!notes.some(({ position }) => position)) return [];
  const members = await readGitLabMembers(
    call,
    notes.map(({ author }) => author),
  );
  const diffs = await readDiffs(call, number);
  return convertDiscussions(discussions, { members, diffs }).slice(-maxLineComments);
}

async function answerLineComment(
  call: RestCall,
  number: number,
  { threadId, body }: ThreadAnswer,
): Promise<void> {
  const discussions = await readDiscussions(call, number);
  const found = discussions.find(({ notes }) => notes[0]?.id === threadId);
  if (!found)
    throw new OctavoError("not_found", `There is no line comment with the ID ${threadId}.`);
  const path = `/merge_requests/${number}/discussions/${encodeURIComponent(found.id)}/notes`;
  const note = { body: escapeQuickActions(body) };
  await sendRestRequest(call, { method: "POST", path, body: note, isSentOnce: true });
}

/**
 * Escapes lines that GitLab would execute as commands, such as `/merge`. Lines in fenced code stay unchanged, because
 * GitLab does not execute them and the backslash would be visible.
 */
export function escapeQuickActions(text: string): string {
  let fence: string | undefined;
  const lines = text.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    return fence === undefined ? line.replace(/^( {0,3})\/(?=[a-z])/i, "$1\\/") : line;
  });
  return lines.join("\n");
}

/** Returns the newest comments on the merge request as a whole, in chronological order. */
async function readNotes(call: RestCall, number: number): Promise<NoteReply[]> {
  const found: NoteReply[] = [];
  for (let page = 1; page <= maxNotePages && found.length < maxComments; page += 1) {
    const query = { order_by: "created_at", sort: "desc", per_page: gitLabPageSize, page };
    const path = `/merge_requests/${number}/notes`;
    const notes = await readRestReply(call, z.array(noteReply), { path, query });
    found.push(...notes.filter(({ system, type }) => !system && type !== "DiffNote"));
    if (notes.length < gitLabPageSize) break;
  }
  return found.slice(0, maxComments).toReversed();
}

async function readDiscussions(call: RestCall, number: number) {
  return await readNewest(async (page) => {
    const path = `/merge_requests/${number}/discussions`;
    const { data, headers } = await sendRestRequest(call, {
      path,
      query: { per_page: gitLabPageSize, page },
    });
    const items = readReply(z.array(discussionReply), data, gitLabLabel);
    return { items, link: headers.get("link") };
  });
}

async function readDiffs(call: RestCall, number: number): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let page = 1; page <= maxDiffPages; page += 1) {
    const query = { per_page: gitLabPageSize, page };
    const path = `/merge_requests/${number}/diffs`;
    const diffs = await readRestReply(call, diffListReply, { path, query });
    for (const { new_path, diff } of diffs) found.set(new_path, diff);
    if (diffs.length < gitLabPageSize) break;
  }
  return found;
}

function openOwnComments(call: RestCall, number: number): OwnCommentStore {
  const notes = `/merge_requests/${number}/notes`;
  return {
    async list() {
      const { data } = await call.client({ path: "/user", signal: call.signal });
      const { id: ownId } = readReply(accountReply, data, gitLabLabel);
      const found: NoteReply[] = [];
      for (let page = 1; page <= maxOwnCommentPages; page += 1) {
        const query = { order_by: "created_at", sort: "asc", per_page: gitLabPageSize, page };
        const listed = await readRestReply(call, z.array(noteReply), { path: notes, query });
        found.push(...listed.filter(({ author }) => author.id === ownId));
        if (listed.length < gitLabPageSize) break;
      }
      return found.filter(({ system }) => !system);
    },
    async add(body) {
      const note = { body: escapeQuickActions(body) };
      const request = { method: "POST", path: notes, body: note, isSentOnce: true } as const;
      return (await readRestReply(call, noteReply, request)).id;
    },
    async edit(id, body) {
      const note = { body: escapeQuickActions(body) };
      await sendRestRequest(call, { method: "PUT", path: `${notes}/${id}`, body: note });
    },
    async remove(id) {
      await sendRestRequest(call, { method: "DELETE", path: `${notes}/${id}` });
    },
  };
}

function convertNote(note: NoteReply, members: ReadonlySet<number>): PullRequestRemark {
  return {
    author: note.author.username,
    isByMember: members.has(note.author.id),
    body: note.body,
    createdAt: new Date(note.created_at),
  };
}

/** The diffs of a merge request, keyed by file path. */
type Diffs = ReadonlyMap<string, string>;

/** Converts the notes of discussions on lines to comments, sorted by ID. */
function convertDiscussions(
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

const hunkHeaderPattern = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/;

/**
 * Returns the hunk of a diff that contains a line of the new file, up to that line. Returns an empty string if no hunk
 * contains the line.
 */
function cutDiff(diff: string, line: number | undefined): string {
  let hunk: string[] = [];
  let nextLine = 0;
  for (const text of diff.split("\n")) {
    const start = hunkHeaderPattern.exec(text)?.[1];
    if (start === undefined) hunk.push(text);
    else [hunk, nextLine] = [[text], Number(start)];
    const isInNewFile = start === undefined && (text.startsWith("+") || text.startsWith(" "));
    if (!isInNewFile) continue;
    if (nextLine === line) return hunk.join("\n");
    nextLine += 1;
  }
  return "";
}
