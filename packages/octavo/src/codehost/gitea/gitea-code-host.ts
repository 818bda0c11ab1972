import type { z } from "zod";
import { OctavoError, isOctavoError } from "@octavo/site/core";
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
  Review,
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
import type { RestRequest, RestHostOptions } from "../rest-host.ts";
import {
  createGiteaConnections,
  giteaRepositoryReply,
  parseGiteaRepository,
} from "./repository.ts";
import type { GiteaCall } from "./repository.ts";
import {
  commentListReply,
  commitListReply,
  convertOpenPullRequest,
  repositoryHookListReply,
  labelListReply,
  createdReply,
  lineCommentListReply,
  pullListReply,
  pullReply,
  reviewListReply,
  splitTitle,
  convertPullRequest,
  convertRemark,
  convertReview,
  convertLineComments,
  userListReply,
  userReply,
} from "./replies.ts";
import type { LineCommentReply, PullReply } from "./replies.ts";

/** Servers serve at most 50 entries unless their operator changes it. */
const pageSize = 50;
/** The maximum number of pages of a list that are read. */
const maxPages = 40;
const maxComments = 100;
const maxLineComments = 500;

/**
 * Creates the code host for Gitea and Forgejo, which have the same REST API but for a few operations. `README.md` lists
 * the rights of a token.
 */
export function createGiteaCodeHost(options: RestHostOptions): CodeHost {
  const parse = ({ repository }: CodeHostProject) =>
    parseGiteaRepository(repository, options.serverUrls);

  return createCodeHost<GiteaCall>({
    name: "gitea",
    label: "Gitea and Forgejo",
    pullRequestUrl: (project, number) => `${parse(project).webUrl}/pulls/${number}`,
    ...createGiteaConnections(parse, options),
    operations: {
      listMissingRights,
      find: search,
      create: findOrCreate,
      get: async (call, number) => convertPullRequest(await read(call, number)),
      update: change,
      comment,
      listComments,
      listReviews,
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

/**
 * A server checks the scopes of a token before it looks for what a request changes, so requests to change number 0,
 * which nothing has, show a missing scope.
 */
async function listMissingRights(call: GiteaCall): Promise<string[]> {
  const { permissions } = await readRestReply(call, giteaRepositoryReply, { path: "" });
  const missing = permissions?.push === false ? ["write access to the repository"] : [];
  const change = (path: string) => sendRestRequest(call, { method: "PATCH", path, body: {} });
  for (const [scope, use] of [
    ["read:user", () => readOwnLogin(call)],
    ["write:issue", () => change("/issues/0")],
    ["write:repository", () => change("/pulls/0")],
  ] as const) {
    try {
      await use();
    } catch (error) {
      if (isOctavoError(error, "forbidden")) missing.unshift(`the scope ${scope}`);
      else if (!isOctavoError(error, "not_found")) throw error;
    }
  }
  return missing;
}

async function comment(call: GiteaCall, number: number, body: string): Promise<void> {
  // It is sent once, because a comment whose response was lost would be added twice.
  const request = { method: "POST", body: { body }, isOnce: true } as const;
  await sendRestRequest(call, { ...request, path: `/issues/${number}/comments` });
}

async function listComments(call: GiteaCall, number: number): Promise<readonly Remark[]> {
  const comments = await readRestReply(call, commentListReply, {
    path: `/issues/${number}/comments`,
  });
  const members = await readMembers(call);
  return comments.slice(-maxComments).map((one) => convertRemark(one, members));
}

async function listReviews(call: GiteaCall, number: number): Promise<readonly Review[]> {
  const reviews = await readReviews(call, number);
  const members = await readMembers(call);
  return reviews.flatMap((review) => convertReview(review, members));
}

async function listLineComments(
  call: GiteaCall,
  number: number,
): Promise<readonly ThreadComment[]> {
  const comments = await readLineComments(call, number);
  return convertLineComments(comments, await readMembers(call)).slice(-maxLineComments);
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

/** Lists the items of all pages of a list. The path is below the API's address. */
async function* listItems<Item>(
  { client, program, signal }: GiteaCall,
  schema: z.ZodType<readonly Item[]>,
  { path, query }: Pick<RestRequest, "path" | "query">,
): AsyncGenerator<Item> {
  for (let page = 1; page <= maxPages; page += 1) {
    const { data, headers } = await client({
      path,
      query: { ...query, page, limit: pageSize },
      signal,
    });
    yield* readReply(schema, data, program);
    if (!headers.get("link")?.includes('rel="next"')) return;
  }
}

/** Searches by listing, because these servers do not search pull requests by their branch. */
async function search(
  call: GiteaCall,
  { head, base, state }: PullRequestQuery,
): Promise<PullRequest | undefined> {
  const states = state === "open" ? (["open"] as const) : (["open", "closed"] as const);
  for (const listed of states) {
    for await (const reply of listPullRequests(call, listed)) {
      // A branch of a fork may have the same name.
      const isOwn = reply.head.repo_id === reply.base.repo_id;
      const isFound =
        reply.head.label === head && (base === undefined || reply.base.label === base);
      if (isOwn && isFound) return convertPullRequest(reply);
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

/** A draft has a prefix that the server's operator chose and that cannot be asked for, so the usual ones are tried. */
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

/** Edits a pull request as an issue, because Gitea 1.21 ignores an empty body of a pull request. */
async function edit(call: GiteaCall, number: number, body: PullRequestChanges): Promise<void> {
  await sendRestRequest(call, { method: "PATCH", path: `/issues/${number}`, body });
}

/** Returns the login names of the people who may write to the repository. */
async function readMembers(call: GiteaCall): Promise<ReadonlySet<string>> {
  const users = await readRestReply(call, userListReply, { path: "/assignees" });
  return new Set(users.map(({ login }) => login));
}

async function readReviews(
  call: GiteaCall,
  number: number,
): Promise<z.output<typeof reviewListReply>> {
  return await readNewest(async (page) => {
    const query = { page, limit: pageSize };
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

/**
 * Answers in the review of the thread's first comment on Forgejo. Gitea cannot add to a review, so the answer is a
 * review of its own on the same line, which its pages show in the same thread.
 */
async function answerThread(
  call: GiteaCall,
  number: number,
  { threadId, body }: ThreadAnswer,
): Promise<void> {
  const comments = await readLineComments(call, number);
  const first = comments.find(({ id }) => id === threadId);
  if (!first) throw new OctavoError("not_found", `There is no comment ${threadId} on a line.`);
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
      ? { method: "POST", path: `${reviews}/${reviewId}/comments`, body: comment, isOnce: true }
      : { method: "POST", path: reviews, body: { event: "COMMENT", comments: [comment] }, isOnce: true }, // prettier-ignore
  );
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
    if (replies.length > maxOpen) break;
  }
  if (replies.length === 0) return { pullRequests: [], hasMore: false };
  const members = await readMembers(call);
  const pullRequests = replies.slice(0, maxOpen).map((one) => convertOpenPullRequest(one, members));
  return { pullRequests, hasMore: replies.length > maxOpen };
}

async function setStatus(
  call: GiteaCall,
  { commit, state, description, url }: CommitStatus,
): Promise<void> {
  const body = { context: statusName, state, description, target_url: url };
  await sendRestRequest(call, { method: "POST", path: `/statuses/${commit}`, body });
}

/** Returns the name of the person or program whose token it is. */
async function readOwnLogin({ client, program, signal }: GiteaCall): Promise<string> {
  const { data } = await client({ path: "/user", signal });
  return readReply(userReply, data, program).login;
}

function openOwnComments(call: GiteaCall, number: number): OwnComments {
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
      const request = { method: "POST", path, body: { body }, isOnce: true } as const;
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

/** Makes the hook again, because these servers keep the secret of a hook that is edited. */
async function ensureHook(call: GiteaCall, { url, secret }: HookTarget): Promise<void> {
  await removeRestHooks(call, await findHooks(call, url));
  const config = { url, secret, content_type: "json" };
  // The second event includes new commits of a pull request.
  const fields = { type: "gitea", active: true, events: ["push", "pull_request"] };
  const body = { ...fields, config };
  await sendRestRequest(call, { method: "POST", path: "/hooks", body, isOnce: true });
}

async function findHooks(call: GiteaCall, url: string): Promise<number[]> {
  const found: number[] = [];
  const path = `${call.path}/hooks`;
  for await (const { id, config } of listItems(call, repositoryHookListReply, { path })) {
    if (config?.["url"] === url) found.push(id);
  }
  return found;
}

/** The color of a label that is created for its name, the same as on GitHub. */
const labelColor = "#ededed";

/** Returns the IDs of labels of the repository or its organization. Missing labels are created, as GitHub does. */
async function findLabels(call: GiteaCall, names: readonly string[]): Promise<readonly number[]> {
  const known = new Map<string, number>();
  const { path, owner } = call;
  for (const list of [`/orgs/${encodeURIComponent(owner)}/labels`, `${path}/labels`]) {
    for (const { id, name } of await readLabels(call, list)) known.set(name.toLowerCase(), id);
  }
  const ids: number[] = [];
  for (const name of names) {
    const id = known.get(name.toLowerCase());
    if (id !== undefined) ids.push(id);
    else {
      const body = { name, color: labelColor };
      const request = { method: "POST", path: "/labels", body, isOnce: true } as const;
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
    // The owner is a person, or the token does not open the organization's labels.
    const isClosed = isOctavoError(error, "not_found") || isOctavoError(error, "forbidden");
    if (!isClosed || path.startsWith(call.path)) throw error;
  }
  return found;
}
