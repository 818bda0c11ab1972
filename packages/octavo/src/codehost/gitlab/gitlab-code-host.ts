import { z } from "zod";
import { OctavoError, createInputError, isOctavoError } from "@octavo/site/core";
import type {
  CodeHost,
  CodeHostProject,
  CommitStatus,
  HookTarget,
  NewPullRequest,
  OpenPullRequests,
  PullRequest,
  PullRequestChanges,
  PullRequestExtras,
  PullRequestQuery,
  Remark,
  ThreadComment,
} from "../code-host.ts";
import { createCodeHost, maxOpen, statusName } from "../create-code-host.ts";
import type { ThreadAnswer, OwnComments } from "../create-code-host.ts";
import { createRefusals } from "../refusals.ts";
import { readNewest, readReply } from "../replies.ts";
import {
  findOrCreatePullRequest,
  readRestReply,
  removeRestHooks,
  sendRestRequest,
} from "../rest-host.ts";
import type { RestCall, RestHostOptions } from "../rest-host.ts";
import { createGitLabConnections, hostLabel, parseGitLabRepository } from "./repository.ts";
import {
  convertDiscussions,
  convertMergeRequest,
  convertNote,
  convertOpenMergeRequest,
  diffListReply,
  discussionReply,
  projectHookListReply,
  memberListReply,
  mergeRequestReply,
  noteReply,
  splitDraftTitle,
  accountListReply,
  accountReply,
} from "./replies.ts";
import type { MergeRequestReply } from "./replies.ts";

/** The maximum number of entries of a page. */
const pageSize = 100;
const listedMergeRequests = 30;
const maxComments = 100;
const maxNotePages = 5;
const maxDiffPages = 3;
/** The maximum number of pages in which the service's own comment is looked for. */
const maxOwnPages = 10;
const maxHookPages = 3;
const maxLineComments = 500;
/** The least access level with which people may write: the role Developer. */
const developer = 30;

/** Creates the code host for gitlab.com and self-managed GitLab. `README.md` lists the rights of a token. */
export function createGitLabCodeHost(options: RestHostOptions): CodeHost {
  const parse = ({ repository }: CodeHostProject) =>
    parseGitLabRepository(repository, options.serverUrls);
  return createCodeHost<RestCall>({
    name: "gitlab",
    label: hostLabel,
    pullRequestUrl: (project, number) => `${parse(project).webUrl}/-/merge_requests/${number}`,
    ...createGitLabConnections(parse, options),
    operations: {
      listMissingRights,
      find: search,
      create: findOrCreate,
      get: async (call, number) => convertMergeRequest(await read(call, number)),
      update: change,
      comment,
      listComments,
      listLineComments,
      answerLineComment: answerThread,
      addExtras,
      listOpen,
      setStatus,
      openOwnComments,
      hooks: {
        ensure: ensureHook,
        remove: async (call, url) => removeRestHooks(call, await findHooks(call, url)),
      },
    },
  });
}

const accessReply = z.object({ access_level: z.int() }).nullish();
const rightsReply = z.object({
  permissions: z.object({ project_access: accessReply, group_access: accessReply }).nullish(),
});
const tokenReply = z.object({ scopes: z.array(z.string()) });

async function listMissingRights(call: RestCall): Promise<string[]> {
  const { permissions } = await readRestReply(call, rightsReply, { path: "" });
  const { project_access: own, group_access: group } = permissions ?? {};
  const level = Math.max(own?.access_level ?? 0, group?.access_level ?? 0);
  const missing = level < developer ? ["at least the role Developer"] : [];
  const scopes = await readScopes(call);
  return scopes.includes("api") ? missing : ["the scope api", ...missing];
}

/** Returns the scopes of the token. A token that may not read itself, such as one of OAuth, counts as sufficient. */
async function readScopes({ client, signal }: RestCall): Promise<readonly string[]> {
  try {
    const { data } = await client({ path: "/personal_access_tokens/self", signal });
    return readReply(tokenReply, data, hostLabel).scopes;
  } catch (error) {
    if (isOctavoError(error, "forbidden") || isOctavoError(error, "not_found")) return ["api"];
    throw error;
  }
}

async function comment(call: RestCall, number: number, body: string): Promise<void> {
  // It is sent once, because a comment whose response was lost would be added twice.
  const note = { body: escapeQuickActions(body) };
  const path = `/merge_requests/${number}/notes`;
  await sendRestRequest(call, { method: "POST", path, body: note, isOnce: true });
}

async function listComments(call: RestCall, number: number): Promise<readonly Remark[]> {
  const notes = await readComments(call, number);
  const members = await readMembers(
    call,
    notes.map(({ author }) => author),
  );
  return notes.map((note) => convertNote(note, members));
}

async function listLineComments(call: RestCall, number: number): Promise<readonly ThreadComment[]> {
  const discussions = await readDiscussions(call, number);
  const notes = discussions.flatMap((discussion) => discussion.notes);
  if (!notes.some(({ position }) => position)) return [];
  const members = await readMembers(
    call,
    notes.map(({ author }) => author),
  );
  const diffs = await readDiffs(call, number);
  return convertDiscussions(discussions, { members, diffs }).slice(-maxLineComments);
}

async function answerThread(
  call: RestCall,
  number: number,
  { threadId, body }: ThreadAnswer,
): Promise<void> {
  const discussions = await readDiscussions(call, number);
  const found = discussions.find(({ notes }) => notes[0]?.id === threadId);
  if (!found) throw new OctavoError("not_found", `There is no thread ${threadId} on a line.`);
  const path = `/merge_requests/${number}/discussions/${encodeURIComponent(found.id)}/notes`;
  const note = { body: escapeQuickActions(body) };
  await sendRestRequest(call, { method: "POST", path, body: note, isOnce: true });
}

async function read(call: RestCall, number: number): Promise<MergeRequestReply> {
  return await readRestReply(call, mergeRequestReply, { path: `/merge_requests/${number}` });
}

async function search(
  call: RestCall,
  { head, base, state }: PullRequestQuery,
): Promise<PullRequest | undefined> {
  // A merge request that GitLab is merging is neither opened nor merged, so all are listed.
  const query = {
    source_branch: head,
    ...(base === undefined ? {} : { target_branch: base }),
    state: "all",
    order_by: "created_at",
    sort: "desc",
    per_page: listedMergeRequests,
  };
  const replies = await readRestReply(call, z.array(mergeRequestReply), {
    path: "/merge_requests",
    query,
  });
  const own = replies
    // A branch of a fork may have the same name.
    .filter(({ source_project_id, target_project_id }) => source_project_id === target_project_id)
    .map((reply) => convertMergeRequest(reply));
  const open = own.find((found) => found.state === "open");
  return open ?? (state === "any" ? own[0] : undefined);
}

async function findOrCreate(call: RestCall, wanted: NewPullRequest): Promise<PullRequest> {
  const { title, body, head, base, isDraft = false } = wanted;
  const fields = {
    title: isDraft ? `Draft: ${title}` : title,
    description: escapeQuickActions(body),
    source_branch: head,
    target_branch: base,
  };
  return await findOrCreatePullRequest(call, wanted, {
    noun: "merge request",
    branchesPath: "/repository/branches",
    search: (query) => search(call, query),
    async hasCommits(from, to) {
      const query = { ref_name: `${from}..${to}`, per_page: 1 };
      const commits = await readRestReply(call, z.array(z.unknown()), {
        path: "/repository/commits",
        query,
      });
      return commits.length > 0;
    },
    async create() {
      const request = { method: "POST", path: "/merge_requests", body: fields } as const;
      return convertMergeRequest(await readRestReply(call, mergeRequestReply, request));
    },
  });
}

async function change(
  call: RestCall,
  number: number,
  { title, body }: PullRequestChanges,
): Promise<PullRequest> {
  const { prefix } = splitDraftTitle(await read(call, number));
  const fields = {
    ...(title === undefined ? {} : { title: prefix + title }),
    ...(body === undefined ? {} : { description: escapeQuickActions(body) }),
  };
  return convertMergeRequest(await edit(call, number, fields));
}

async function edit(call: RestCall, number: number, body: unknown): Promise<MergeRequestReply> {
  const request = { method: "PUT", path: `/merge_requests/${number}`, body } as const;
  return await readRestReply(call, mergeRequestReply, request);
}

/**
 * Escapes lines that GitLab would carry out as commands, such as `/merge`. It ignores those in fenced code, where a
 * backslash would be seen.
 */
function escapeQuickActions(text: string): string {
  let fence: string | undefined;
  const lines = text.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence === undefined) fence = mark;
    else if (mark?.startsWith(fence)) fence = undefined;
    return fence === undefined ? line.replace(/^( {0,3})\/(?=[a-z])/i, "$1\\/") : line;
  });
  return lines.join("\n");
}

type NoteReply = z.infer<typeof noteReply>;

/** Returns the newest comments on the merge request as a whole, in order. */
async function readComments(call: RestCall, number: number): Promise<NoteReply[]> {
  const found: NoteReply[] = [];
  for (let page = 1; page <= maxNotePages && found.length < maxComments; page += 1) {
    const query = { order_by: "created_at", sort: "desc", per_page: pageSize, page };
    const path = `/merge_requests/${number}/notes`;
    const notes = await readRestReply(call, z.array(noteReply), { path, query });
    found.push(...notes.filter(({ system, type }) => !system && type !== "DiffNote"));
    if (notes.length < pageSize) break;
  }
  return found.slice(0, maxComments).toReversed();
}

async function readDiscussions(call: RestCall, number: number) {
  return await readNewest(async (page) => {
    const path = `/merge_requests/${number}/discussions`;
    const { data, headers } = await sendRestRequest(call, {
      path,
      query: { per_page: pageSize, page },
    });
    const items = readReply(z.array(discussionReply), data, hostLabel);
    return { items, link: headers.get("link") };
  });
}

async function readDiffs(call: RestCall, number: number): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (let page = 1; page <= maxDiffPages; page += 1) {
    const query = { per_page: pageSize, page };
    const path = `/merge_requests/${number}/diffs`;
    const diffs = await readRestReply(call, diffListReply, { path, query });
    for (const { new_path, diff } of diffs) found.set(new_path, diff);
    if (diffs.length < pageSize) break;
  }
  return found;
}

/** Returns the IDs of those people who may write to the repository, also as members of a group. */
async function readMembers(
  call: RestCall,
  people: readonly { readonly id: number }[],
): Promise<ReadonlySet<number>> {
  const authors = [...new Set(people.map(({ id }) => id))];
  const members = new Set<number>();
  for (let at = 0; at < authors.length; at += pageSize) {
    const query = { "user_ids[]": authors.slice(at, at + pageSize), per_page: pageSize };
    const path = "/members/all";
    for (const { id, access_level } of await readRestReply(call, memberListReply, {
      path,
      query,
    })) {
      if (access_level >= developer) members.add(id);
    }
  }
  return members;
}

async function listOpen(call: RestCall): Promise<OpenPullRequests> {
  const order = { state: "opened", order_by: "created_at", sort: "desc", per_page: pageSize };
  const replies: MergeRequestReply[] = [];
  for (let page = 1; replies.length <= maxOpen; page += 1) {
    const request = { path: "/merge_requests", query: { ...order, page } };
    const found = await readRestReply(call, z.array(mergeRequestReply), request);
    replies.push(...found);
    if (found.length < pageSize) break;
  }
  const listed = replies.slice(0, maxOpen);
  const members = await readMembers(
    call,
    listed.flatMap(({ author }) => author ?? []),
  );
  const pullRequests = listed.flatMap((reply) => convertOpenMergeRequest(reply, members));
  return { pullRequests, hasMore: replies.length > maxOpen };
}

async function setStatus(
  call: RestCall,
  { commit, branch, state, description, url }: CommitStatus,
): Promise<void> {
  const shown = state === "failure" ? "failed" : state;
  // GitLab looks for a branch that has the commit, and a fork's commit is on none, so the branch is named.
  const body = { state: shown, ref: branch, name: statusName, description, target_url: url };
  try {
    await sendRestRequest(call, { method: "POST", path: `/statuses/${commit}`, body });
  } catch (error) {
    // GitLab refuses the state that a status has already.
    const isSame =
      isOctavoError(error, "invalid_input") && /Cannot transition status/i.test(error.message);
    if (!isSame || state !== "pending") throw error;
  }
}

function openOwnComments(call: RestCall, number: number): OwnComments {
  const notes = `/merge_requests/${number}/notes`;
  return {
    async list() {
      const { data } = await call.client({ path: "/user", signal: call.signal });
      const { id: ownId } = readReply(accountReply, data, hostLabel);
      const found: NoteReply[] = [];
      for (let page = 1; page <= maxOwnPages; page += 1) {
        const query = { order_by: "created_at", sort: "asc", per_page: pageSize, page };
        const listed = await readRestReply(call, z.array(noteReply), { path: notes, query });
        found.push(...listed.filter(({ author }) => author.id === ownId));
        if (listed.length < pageSize) break;
      }
      return found.filter(({ system }) => !system);
    },
    async add(body) {
      const note = { body: escapeQuickActions(body) };
      const request = { method: "POST", path: notes, body: note, isOnce: true } as const;
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

async function ensureHook(call: RestCall, { url, secret }: HookTarget): Promise<void> {
  const events = { push_events: true, merge_requests_events: true };
  const body = { url, token: secret, ...events };
  const [id, ...others] = await findHooks(call, url);
  await removeRestHooks(call, others);
  if (id === undefined)
    await sendRestRequest(call, { method: "POST", path: "/hooks", body, isOnce: true });
  else await sendRestRequest(call, { method: "PUT", path: `/hooks/${id}`, body });
}

async function findHooks(call: RestCall, url: string): Promise<number[]> {
  const found: number[] = [];
  for (let page = 1; page <= maxHookPages; page += 1) {
    const query = { per_page: pageSize, page };
    const hooks = await readRestReply(call, projectHookListReply, { path: "/hooks", query });
    found.push(...hooks.filter((hook) => hook.url === url).map(({ id }) => id));
    if (hooks.length < pageSize) break;
  }
  return found;
}

async function addExtras(
  call: RestCall,
  number: number,
  { labels, reviewers }: PullRequestExtras,
): Promise<readonly string[]> {
  const refusals = createRefusals();
  if (labels.length > 0) {
    await refusals.attempt(`The labels ${labels.join(", ")} were not added`, () =>
      edit(call, number, { add_labels: labels.join(",") }),
    );
  }
  if (reviewers.length === 0) return refusals.sentences;
  const { reviewers: known = [] } = await read(call, number);
  let asked = (known ?? []).map(({ id }) => id);
  for (const name of reviewers) {
    await refusals.attempt(`${name} was not asked for a review`, async () => {
      const id = await findUser(call, name);
      if (asked.includes(id)) return;
      // All are set at once. Without a paid plan, GitLab keeps one of them and does not say so.
      const reply = await edit(call, number, { reviewer_ids: [...asked, id] });
      const kept = (reply.reviewers ?? []).map((reviewer) => reviewer.id);
      if (asked.length > 0 && kept.length <= asked.length) {
        await edit(call, number, { reviewer_ids: asked });
        throw createInputError("This GitLab allows one reviewer only.");
      }
      if (!kept.includes(id)) throw createInputError("GitLab does not allow this reviewer here.");
      asked = kept;
    });
  }
  return refusals.sentences;
}

async function findUser({ client, signal }: RestCall, name: string): Promise<number> {
  if (name.includes("/")) throw createInputError("GitLab does not ask groups for reviews.");
  const { data } = await client({ path: "/users", query: { username: name }, signal });
  const [user] = readReply(accountListReply, data, hostLabel);
  if (user) return user.id;
  throw createInputError(`GitLab has no user ${name}.`);
}
