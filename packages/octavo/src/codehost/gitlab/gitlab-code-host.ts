import { z } from "zod";
import { createInputError, isOctavoError } from "@octavo/site/core";
import {
  accountReply,
  gitLabPageSize,
  readGitLabMembers,
  gitLabLabel,
  createGitLabConnections,
  developerAccessLevel,
} from "./repository.ts";
import { gitLabComments, escapeQuickActions } from "./comments.ts";
import type {
  CodeHost,
  CommitStatus,
  HookTarget,
  NewPullRequest,
  OpenPullRequests,
  PullRequest,
  PullRequestChanges,
  PullRequestExtras,
  PullRequestQuery,
  OpenPullRequest,
} from "../code-host.ts";
import { createCodeHost, maxListedPullRequests, statusName } from "../create-code-host.ts";
import { createRefusals } from "../refusals.ts";
import { readReply } from "../replies.ts";
import {
  findOrCreatePullRequest,
  readRestReply,
  removeRestHooks,
  sendRestRequest,
} from "../rest-host.ts";
import type { RestCall, RestHostOptions } from "../rest-host.ts";

const searchPageSize = 30;
const maxHookPages = 3;
const time = z.iso.datetime({ offset: true });

/** The fields that are read from responses about merge requests. */
const mergeRequestReply = z.object({
  iid: z.int().positive(),
  web_url: z.url(),
  /** `locked` while GitLab is merging the merge request. */
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
  /** The head commit. Null while GitLab prepares the merge request. */
  sha: z.string().nullish(),
  reviewers: z.array(z.object({ id: z.int() })).nullish(),
});

type MergeRequestReply = z.infer<typeof mergeRequestReply>;

const accountListReply = z.array(accountReply);
const projectHookListReply = z.array(z.object({ id: z.int(), url: z.string() }));

/** Creates the code host for gitlab.com and self-managed GitLab. `README.md` lists the rights of a token. */
export function createGitLabCodeHost(options: RestHostOptions): CodeHost {
  return createCodeHost<RestCall>({
    name: "gitlab",
    label: gitLabLabel,
    ...createGitLabConnections(options),
    operations: {
      listMissingRights,
      find: search,
      create: findOrCreate,
      get: async (call, number) => convertMergeRequest(await read(call, number)),
      update: change,
      ...gitLabComments,
      addExtras,
      listOpen,
      setStatus,
      hooks: {
        ensure: ensureHook,
        remove: async (call, url) => removeRestHooks(call, await findHookIds(call, url)),
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
  const missing = level < developerAccessLevel ? ["at least the Developer role"] : [];
  const scopes = await readScopes(call);
  return scopes.includes("api") ? missing : ["the scope api", ...missing];
}

/**
 * Returns the scopes of the token. A token that may not query its own scopes, such as an OAuth token, is treated as
 * sufficient.
 */
async function readScopes({ client, signal }: RestCall): Promise<readonly string[]> {
  try {
    const { data } = await client({ path: "/personal_access_tokens/self", signal });
    return readReply(tokenReply, data, gitLabLabel).scopes;
  } catch (error) {
    if (isOctavoError(error, "forbidden") || isOctavoError(error, "not_found")) return ["api"];
    throw error;
  }
}

async function read(call: RestCall, number: number): Promise<MergeRequestReply> {
  return await readRestReply(call, mergeRequestReply, { path: `/merge_requests/${number}` });
}

async function search(
  call: RestCall,
  { head, base, state }: PullRequestQuery,
): Promise<PullRequest | undefined> {
  // A merge request that GitLab is merging is neither `opened` nor `merged`, so all states are requested.
  const query = {
    source_branch: head,
    ...(base === undefined ? {} : { target_branch: base }),
    state: "all",
    order_by: "created_at",
    sort: "desc",
    per_page: searchPageSize,
  };
  const replies = await readRestReply(call, z.array(mergeRequestReply), {
    path: "/merge_requests",
    query,
  });
  const ownPullRequests = replies
    // The search also finds merge requests from forks whose branches have the same name.
    .filter(({ source_project_id, target_project_id }) => source_project_id === target_project_id)
    .map((reply) => convertMergeRequest(reply));
  const open = ownPullRequests.find((found) => found.state === "open");
  return open ?? (state === "any" ? ownPullRequests[0] : undefined);
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

async function listOpen(call: RestCall): Promise<OpenPullRequests> {
  const order = { state: "opened", order_by: "created_at", sort: "desc", per_page: gitLabPageSize };
  const replies: MergeRequestReply[] = [];
  for (let page = 1; replies.length <= maxListedPullRequests; page += 1) {
    const request = { path: "/merge_requests", query: { ...order, page } };
    const found = await readRestReply(call, z.array(mergeRequestReply), request);
    replies.push(...found);
    if (found.length < gitLabPageSize) break;
  }
  const listed = replies.slice(0, maxListedPullRequests);
  const members = await readGitLabMembers(
    call,
    listed.flatMap(({ author }) => author ?? []),
  );
  const pullRequests = listed.flatMap((reply) => convertOpenMergeRequest(reply, members));
  return { pullRequests, hasMore: replies.length > maxListedPullRequests };
}

async function setStatus(
  call: RestCall,
  { commit, branch, state, description, url }: CommitStatus,
): Promise<void> {
  const gitLabState = state === "failure" ? "failed" : state;
  // By default, GitLab looks for a branch that contains the commit, and finds no such branch for a fork's commit.
  const body = { state: gitLabState, ref: branch, name: statusName, description, target_url: url };
  try {
    await sendRestRequest(call, { method: "POST", path: `/statuses/${commit}`, body });
  } catch (error) {
    // GitLab rejects a state that the status already has.
    const isSame =
      isOctavoError(error, "invalid_input") && /Cannot transition status/i.test(error.message);
    if (!isSame || state !== "pending") throw error;
  }
}

async function ensureHook(call: RestCall, { url, secret }: HookTarget): Promise<void> {
  const events = { push_events: true, merge_requests_events: true };
  const body = { url, token: secret, ...events };
  const [id, ...others] = await findHookIds(call, url);
  await removeRestHooks(call, others);
  if (id === undefined)
    await sendRestRequest(call, { method: "POST", path: "/hooks", body, isSentOnce: true });
  else await sendRestRequest(call, { method: "PUT", path: `/hooks/${id}`, body });
}

async function findHookIds(call: RestCall, url: string): Promise<number[]> {
  const ids: number[] = [];
  for (let page = 1; page <= maxHookPages; page += 1) {
    const query = { per_page: gitLabPageSize, page };
    const hooks = await readRestReply(call, projectHookListReply, { path: "/hooks", query });
    ids.push(...hooks.filter((hook) => hook.url === url).map(({ id }) => id));
    if (hooks.length < gitLabPageSize) break;
  }
  return ids;
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
  const { reviewers: current } = await read(call, number);
  let requestedIds = (current ?? []).map(({ id }) => id);
  for (const name of reviewers) {
    await refusals.attempt(`${name} was not asked for a review`, async () => {
      const id = await findUser(call, name);
      if (requestedIds.includes(id)) return;
      // All reviewers are set in one request. Without a paid plan, GitLab silently keeps only one of them.
      const reply = await edit(call, number, { reviewer_ids: [...requestedIds, id] });
      const keptIds = (reply.reviewers ?? []).map((reviewer) => reviewer.id);
      if (requestedIds.length > 0 && keptIds.length <= requestedIds.length) {
        await edit(call, number, { reviewer_ids: requestedIds });
        throw createInputError("This GitLab server allows only one reviewer.");
      }
      if (!keptIds.includes(id))
        throw createInputError("GitLab does not allow this reviewer here.");
      requestedIds = keptIds;
    });
  }
  return refusals.sentences;
}

async function findUser({ client, signal }: RestCall, name: string): Promise<number> {
  if (name.includes("/"))
    throw createInputError("Reviews cannot be requested from groups on GitLab.");
  const { data } = await client({ path: "/users", query: { username: name }, signal });
  const [user] = readReply(accountListReply, data, gitLabLabel);
  if (user) return user.id;
  throw createInputError(`GitLab has no user ${name}.`);
}

const draftPrefixPattern = /^\s*(?:\[draft\]|\(draft\)|draft:)\s*/i;

/**
 * Splits a title into its draft prefix and the text after it. The prefix is empty unless the merge request is a draft.
 */
function splitDraftTitle({ title, draft }: Pick<MergeRequestReply, "title" | "draft">): {
  readonly prefix: string;
  readonly rest: string;
} {
  const [prefix = ""] = (draft && draftPrefixPattern.exec(title)) || [];
  return { prefix, rest: title.slice(prefix.length) };
}

const states = { opened: "open", locked: "open", merged: "merged", closed: "closed" } as const;

function convertMergeRequest(reply: MergeRequestReply): PullRequest {
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

/** Returns an empty list for a merge request that GitLab is still preparing. */
function convertOpenMergeRequest(
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
