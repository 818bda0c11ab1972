import { z } from "zod";
import { isOctavoError } from "@octavo/site/core";
import {
  giteaPageSize,
  readGiteaMembers,
  readOwnLogin,
  createdReply,
  createGiteaConnections,
  giteaRepositoryReply,
} from "./repository.ts";
import type { GiteaCall } from "./repository.ts";
import { giteaComments } from "./comments.ts";
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
import type { RestRequest, RestHostOptions } from "../rest-host.ts";

/** The maximum number of pages to read from a list. */
const maxPages = 40;
const time = z.iso.datetime({ offset: true });
const user = z.object({ login: z.string() }).nullish();

/** The fields that are read from responses about pull requests. */
const pullReply = z.object({
  number: z.int().positive(),
  html_url: z.url(),
  state: z.enum(["open", "closed"]),
  title: z.string(),
  body: z.string().nullish(),
  /** Gitea 1.21 omits this field. */
  draft: z.boolean().nullish(),
  created_at: time,
  closed_at: time.nullish(),
  merged_at: time.nullish(),
  user,
  /** `label` is the branch. After the branch is deleted, `ref` no longer names it. */
  head: z.object({ label: z.string(), repo_id: z.int(), sha: z.string() }),
  base: z.object({ label: z.string(), repo_id: z.int() }),
});

type PullReply = z.infer<typeof pullReply>;

/** The server returns null for a pull request that it failed to read. */
const pullListReply = z.array(pullReply.nullable());

const labelListReply = z.array(z.object({ id: z.int(), name: z.string() }));

const repositoryHookListReply = z.array(
  z.object({ id: z.int(), config: z.record(z.string(), z.string()).nullish() }),
);

const commitListReply = z.array(z.object({ sha: z.string() }));

/**
 * Creates the code host for Gitea and Forgejo, which share a REST API except for a few operations. `README.md` lists
 * the rights of a token.
 */
export function createGiteaCodeHost(options: RestHostOptions): CodeHost {
  return createCodeHost<GiteaCall>({
    name: "gitea",
    label: "Gitea and Forgejo",
    ...createGiteaConnections(options),
    operations: {
      listMissingRights,
      find: search,
      create: findOrCreate,
      get: async (call, number) => convertPullRequest(await read(call, number)),
      update: change,
      ...giteaComments,
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

/**
 * Tries to change issue 0 and pull request 0, which never exist. A server checks a token's scopes first, so the
 * response reveals a missing scope.
 */
async function listMissingRights(call: GiteaCall): Promise<string[]> {
  const { permissions } = await readRestReply(call, giteaRepositoryReply, { path: "" });
  const missing = permissions?.push === false ? ["write access to the repository"] : [];
  const tryChange = (path: string) => sendRestRequest(call, { method: "PATCH", path, body: {} });
  for (const [scope, probe] of [
    ["read:user", () => readOwnLogin(call)],
    ["write:issue", () => tryChange("/issues/0")],
    ["write:repository", () => tryChange("/pulls/0")],
  ] as const) {
    try {
      await probe();
    } catch (error) {
      if (isOctavoError(error, "forbidden")) missing.unshift(`the scope ${scope}`);
      else if (!isOctavoError(error, "not_found")) throw error;
    }
  }
  return missing;
}

async function read(call: GiteaCall, number: number): Promise<PullReply> {
  return await readRestReply(call, pullReply, { path: `/pulls/${number}` });
}

/** Lists pull requests, newest first. */
async function* listPullRequests(
  call: GiteaCall,
  state: "open" | "closed",
): AsyncGenerator<PullReply> {
  const path = `${call.path}/pulls`;
  for await (const reply of listItems(call, pullListReply, { path, query: { state } })) {
    if (reply) yield reply;
  }
}

/** Lists the items of all pages of a list. The path is relative to the API's address. */
async function* listItems<Item>(
  { client, program, signal }: GiteaCall,
  schema: z.ZodType<readonly Item[]>,
  { path, query }: Pick<RestRequest, "path" | "query">,
): AsyncGenerator<Item> {
  for (let page = 1; page <= maxPages; page += 1) {
    const { data, headers } = await client({
      path,
      query: { ...query, page, limit: giteaPageSize },
      signal,
    });
    yield* readReply(schema, data, program);
    if (!headers.get("link")?.includes('rel="next"')) return;
  }
}

/** Searches by listing, because these servers cannot search pull requests by branch. */
async function search(
  call: GiteaCall,
  { head, base, state }: PullRequestQuery,
): Promise<PullRequest | undefined> {
  const states = state === "open" ? (["open"] as const) : (["open", "closed"] as const);
  for (const listedState of states) {
    for await (const reply of listPullRequests(call, listedState)) {
      // The list includes pull requests from forks, whose branches may have the same name.
      const isOwn = reply.head.repo_id === reply.base.repo_id;
      const matchesQuery =
        reply.head.label === head && (base === undefined || reply.base.label === base);
      if (isOwn && matchesQuery) return convertPullRequest(reply);
    }
  }
  return undefined;
}

async function findOrCreate(call: GiteaCall, wanted: NewPullRequest): Promise<PullRequest> {
  return await findOrCreatePullRequest(call, wanted, {
    noun: "pull request",
    branchesPath: "/branches",
    search: (query) => search(call, query),
    async hasCommits(base, head) {
      const fields = { stat: false, verification: false, files: false };
      const query = { sha: head, not: base, limit: 1, ...fields };
      const commits = await readRestReply(call, commitListReply, { path: "/commits", query });
      return commits.length > 0;
    },
    create: () => create(call, wanted),
  });
}

/** The draft prefix is chosen by the server's operator and cannot be queried, so the usual prefixes are tried. */
const draftPrefixes = ["WIP: ", "Draft: "];

async function create(
  call: GiteaCall,
  { title, body, head, base, isDraft = false }: NewPullRequest,
): Promise<PullRequest> {
  const [first = "", ...others] = isDraft ? draftPrefixes : [];
  const fields = { title: first + title, body, head, base };
  const request = { method: "POST", path: "/pulls", body: fields } as const;
  let reply = await readRestReply(call, pullReply, request);
  for (const prefix of isDraft ? [...others, ""] : []) {
    if (splitTitle(reply).isDraft) break;
    await edit(call, reply.number, { title: prefix + title });
    reply = await read(call, reply.number);
  }
  return convertPullRequest(reply);
}

async function change(
  call: GiteaCall,
  number: number,
  { title, body }: PullRequestChanges,
): Promise<PullRequest> {
  const { prefix } = splitTitle(await read(call, number));
  await edit(call, number, {
    ...(title === undefined ? {} : { title: prefix + title }),
    ...(body === undefined ? {} : { body }),
  });
  return convertPullRequest(await read(call, number));
}

/** Edits a pull request as an issue, because Gitea 1.21 cannot empty the body of a pull request otherwise. */
async function edit(call: GiteaCall, number: number, body: PullRequestChanges): Promise<void> {
  await sendRestRequest(call, { method: "PATCH", path: `/issues/${number}`, body });
}

/** Reviewers are requested one by one, because a server rejects the whole list if it rejects one name. */
async function addExtras(
  call: GiteaCall,
  number: number,
  { labels, reviewers }: PullRequestExtras,
): Promise<readonly string[]> {
  const refusals = createRefusals();
  if (labels.length > 0) {
    await refusals.attempt(`The labels ${labels.join(", ")} were not added`, async () => {
      const ids = await findLabels(call, labels);
      const path = `/issues/${number}/labels`;
      await sendRestRequest(call, { method: "POST", path, body: { labels: ids } });
    });
  }
  for (const name of reviewers) {
    await refusals.attempt(`${name} was not asked for a review`, async () => {
      const slash = name.indexOf("/");
      const body = slash < 0 ? { reviewers: [name] } : { team_reviewers: [name.slice(slash + 1)] };
      await sendRestRequest(call, {
        method: "POST",
        path: `/pulls/${number}/requested_reviewers`,
        body,
      });
    });
  }
  return refusals.sentences;
}

async function listOpen(call: GiteaCall): Promise<OpenPullRequests> {
  const replies: PullReply[] = [];
  for await (const reply of listPullRequests(call, "open")) {
    replies.push(reply);
    if (replies.length > maxListedPullRequests) break;
  }
  if (replies.length === 0) return { pullRequests: [], hasMore: false };
  const members = await readGiteaMembers(call);
  const pullRequests = replies
    .slice(0, maxListedPullRequests)
    .map((one) => convertOpenPullRequest(one, members));
  return { pullRequests, hasMore: replies.length > maxListedPullRequests };
}

async function setStatus(
  call: GiteaCall,
  { commit, state, description, url }: CommitStatus,
): Promise<void> {
  const body = { context: statusName, state, description, target_url: url };
  await sendRestRequest(call, { method: "POST", path: `/statuses/${commit}`, body });
}

/** Replaces an existing hook, because editing a hook on these servers does not change its secret. */
async function ensureHook(call: GiteaCall, { url, secret }: HookTarget): Promise<void> {
  await removeRestHooks(call, await findHookIds(call, url));
  const config = { url, secret, content_type: "json" };
  // `pull_request` includes pushes of new commits to a pull request.
  const fields = { type: "gitea", active: true, events: ["push", "pull_request"] };
  const body = { ...fields, config };
  await sendRestRequest(call, { method: "POST", path: "/hooks", body, isSentOnce: true });
}

async function findHookIds(call: GiteaCall, url: string): Promise<number[]> {
  const found: number[] = [];
  const path = `${call.path}/hooks`;
  for await (const { id, config } of listItems(call, repositoryHookListReply, { path })) {
    if (config?.["url"] === url) found.push(id);
  }
  return found;
}

/** The color of the labels that the service creates, the same as GitHub's default. */
const labelColor = "#ededed";

/** Returns the IDs of labels of the repository or its organization. Creates missing labels, as GitHub does. */
async function findLabels(call: GiteaCall, names: readonly string[]): Promise<readonly number[]> {
  const known = new Map<string, number>();
  const { path, owner } = call;
  for (const listPath of [`/orgs/${encodeURIComponent(owner)}/labels`, `${path}/labels`]) {
    for (const { id, name } of await readLabels(call, listPath)) known.set(name.toLowerCase(), id);
  }
  const ids: number[] = [];
  for (const name of names) {
    const id = known.get(name.toLowerCase());
    if (id !== undefined) ids.push(id);
    else {
      const body = { name, color: labelColor };
      const request = { method: "POST", path: "/labels", body, isSentOnce: true } as const;
      ids.push((await readRestReply(call, createdReply, request)).id);
    }
  }
  return ids;
}

async function readLabels(call: GiteaCall, path: string): Promise<z.output<typeof labelListReply>> {
  const found: z.output<typeof labelListReply> = [];
  try {
    for await (const label of listItems(call, labelListReply, { path })) found.push(label);
  } catch (error) {
    // The owner is a person, or the token does not grant access to the organization's labels.
    const isUnavailable = isOctavoError(error, "not_found") || isOctavoError(error, "forbidden");
    if (!isUnavailable || path.startsWith(call.path)) throw error;
  }
  return found;
}

/** Matches the two title prefixes that mark a draft by default on these servers. */
const defaultDraftPrefixPattern = /^\s*(?:WIP:|\[WIP\])\s*/i;
/** Also matches the prefixes that operators often add. */
const draftPrefixPattern = /^\s*(?:WIP:|\[WIP\]|Draft:|\[Draft\])\s*/i;

/**
 * Splits a title into its draft prefix and the text after it. The prefix is empty unless the pull request is a draft.
 */
function splitTitle({ title, draft }: Pick<PullReply, "title" | "draft">): {
  readonly isDraft: boolean;
  readonly prefix: string;
  readonly rest: string;
} {
  const isDraft = draft ?? defaultDraftPrefixPattern.test(title);
  const [prefix = ""] = (isDraft && draftPrefixPattern.exec(title)) || [];
  return { isDraft, prefix, rest: title.slice(prefix.length) };
}

function convertPullRequest(reply: PullReply): PullRequest {
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

function convertOpenPullRequest(reply: PullReply, members: ReadonlySet<string>): OpenPullRequest {
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
