import { z } from "zod";
import { OctavoError, isOctavoError, createInputError } from "@octavo/site/core";
import {
  gitHubPageSize,
  writerAssociations,
  repositoryReply,
  createConnections,
} from "./connections.ts";
import type { GitHubCall, GitHubCodeHostOptions } from "./connections.ts";
import { parseGitHubRepository } from "./repository-address.ts";
import { gitHubComments } from "./comments.ts";
import type { RemoteRepository } from "../../git/index.ts";
import type {
  CodeHost,
  CodeHostProject,
  CommitStatus,
  HookTarget,
  OpenPullRequest,
  OpenPullRequests,
  NewPullRequest,
  PullRequest,
  PullRequestChanges,
  PullRequestExtras,
  PullRequestQuery,
} from "../code-host.ts";
import { createCodeHost, maxListedPullRequests, statusName } from "../create-code-host.ts";
import { createRefusals } from "../refusals.ts";
import { readReply } from "../replies.ts";
import { toRemoteRepository } from "../../hosting/index.ts";

const searchPageSize = 30;
const user = z.object({ login: z.string(), type: z.string().optional() }).nullish();

/** The fields that are read from responses about pull requests. */
const pullRequestReply = z.object({
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
const openPullRequestReply = pullRequestReply.extend({
  user,
  author_association: z.string(),
  head: pullRequestReply.shape.head.extend({ sha: z.string() }),
  base: pullRequestReply.shape.base.extend({ repo: z.object({ full_name: z.string() }) }),
});

const hookReply = z.object({
  id: z.int(),
  config: z.object({ url: z.string().optional() }),
});

/**
 * Creates the code host for GitHub and GitHub Enterprise. It uses the REST API. `README.md` lists the permissions of a
 * token.
 */
export function createGitHubCodeHost(options: GitHubCodeHostOptions): CodeHost {
  const connections = createConnections(options);

  /** Returns the repository with the project's own credentials if they work for git, or else with the API's login. */
  async function getRemote(
    project: CodeHostProject,
    signal?: AbortSignal,
  ): Promise<RemoteRepository> {
    const { credentials, repository } = project;
    const { webUrl } = parseGitHubRepository(repository, options.apiUrls);
    const isHttp = /^https?:/.test(repository);
    const secret = isHttp ? credentials?.password : credentials?.privateKey;
    if (secret !== undefined) return toRemoteRepository(project);
    const login = await connections.call(project, signal, ({ client }) => client.gitLogin());
    const { password, ...rest } = login;
    const url = isHttp ? repository : `${webUrl}.git`;
    return { url, credentials: { username: "x-access-token", password }, ...rest };
  }

  return createCodeHost<GitHubCall>({
    name: "github",
    label: "GitHub",
    call: (project, signal, work) => connections.call(project, signal, work),
    formatPullRequestUrl: ({ repository }, number) =>
      `${parseGitHubRepository(repository, options.apiUrls).webUrl}/pull/${number}`,
    async readSource(project, signal) {
      if (!connections.hasLogin(project)) return toRemoteRepository(project);
      try {
        return await getRemote(project, signal);
      } catch (error) {
        // The App is not installed in the repository, but the repository may be public.
        if (isOctavoError(error, "not_found")) return toRemoteRepository(project);
        throw error;
      }
    },
    preparePushTarget: getRemote,
    operations: {
      listMissingRights,
      find: search,
      create: findOrCreate,
      get,
      update: change,
      ...gitHubComments,
      addExtras,
      listOpen,
      setStatus,
      hooks: { ensure: ensureHook, remove: removeHook },
    },
  });
}

/**
 * Lists the rights that the login lacks. GitHub reports the scopes of classic tokens. The permissions of fine-grained
 * tokens become apparent only on use, so the pull requests are listed once.
 */
async function listMissingRights({ client, common }: GitHubCall): Promise<string[]> {
  const { data, headers } = await client.octokit.rest.repos.get(common);
  const { permissions } = readReply(repositoryReply, data, "GitHub");
  const scopes = headers["x-oauth-scopes"]?.split(",").map((scope) => scope.trim());
  const missing = permissions?.push === false ? ["write access to the repository"] : [];
  if (scopes && !scopes.includes("repo") && !scopes.includes("public_repo")) {
    return ["the scope repo", ...missing];
  }
  try {
    await client.octokit.rest.pulls.list({ ...common, per_page: 1 });
    return missing;
  } catch (error) {
    if ((error as { status?: unknown }).status !== 403) throw error;
    return ["Pull requests: read and write", ...missing];
  }
}

async function get({ client, common }: GitHubCall, number: number): Promise<PullRequest> {
  const { data } = await client.octokit.rest.pulls.get({ ...common, pull_number: number });
  return toPullRequest(readReply(pullRequestReply, data, "GitHub"));
}

async function change(
  { client, common }: GitHubCall,
  number: number,
  { title, body }: PullRequestChanges,
): Promise<PullRequest> {
  const { data } = await client.octokit.rest.pulls.update({
    ...common,
    pull_number: number,
    ...(title === undefined ? {} : { title }),
    ...(body === undefined ? {} : { body }),
  });
  return toPullRequest(readReply(pullRequestReply, data, "GitHub"));
}

async function search(
  { client, common, names }: GitHubCall,
  { head, base, state }: PullRequestQuery,
): Promise<PullRequest | undefined> {
  const { data } = await client.octokit.rest.pulls.list({
    ...common,
    state: state === "open" ? "open" : "all",
    head: `${names.owner}:${head}`,
    ...(base === undefined ? {} : { base }),
    sort: "created",
    direction: "desc",
    per_page: searchPageSize,
  });
  // The search also finds pull requests from forks whose branches have the same name.
  const fullName = `${names.owner}/${names.repo}`.toLowerCase();
  const ownReplies = readReply(z.array(pullRequestReply), data, "GitHub").filter(
    (reply) =>
      reply.head.ref === head &&
      reply.head.repo?.full_name.toLowerCase() === fullName &&
      (base === undefined || reply.base.ref === base),
  );
  const found = ownReplies.find((reply) => reply.state === "open") ?? ownReplies[0];
  return found && toPullRequest(found);
}

async function findOrCreate(call: GitHubCall, wanted: NewPullRequest): Promise<PullRequest> {
  const query = { head: wanted.head, base: wanted.base, state: "open" } as const;
  const found = await search(call, query);
  if (found) return found;
  const { title, body, head, base, isDraft = false } = wanted;
  try {
    const fields = { title, body, head, base, draft: isDraft };
    const { data } = await call.client.octokit.rest.pulls.create({ ...call.common, ...fields });
    return toPullRequest(readReply(pullRequestReply, data, "GitHub"));
  } catch (error) {
    const refusal = readRefusal(error, wanted);
    if (refusal === undefined) throw error;
    // The pull request was created by another client at the same time, or by an earlier attempt whose response was
    // lost.
    const other = refusal.code === "conflict" ? await search(call, query) : undefined;
    if (other) return other;
    throw refusal;
  }
}

/** Reviewers are requested one by one, because GitHub rejects the whole list if it rejects one name. */
async function addExtras(
  { client, common, translate }: GitHubCall,
  number: number,
  { labels, reviewers }: PullRequestExtras,
): Promise<readonly string[]> {
  const refusals = createRefusals(translate);
  const { issues, pulls } = client.octokit.rest;
  if (labels.length > 0) {
    await refusals.attempt(`The labels ${labels.join(", ")} were not added`, () =>
      issues.addLabels({ ...common, issue_number: number, labels: [...labels] }),
    );
  }
  for (const name of reviewers) {
    await refusals.attempt(`${name} was not asked for a review`, () =>
      pulls.requestReviewers({ ...common, pull_number: number, ...toReviewerField(name) }),
    );
  }
  return refusals.sentences;
}

/** Returns the request field for a reviewer. A team is named without its organization, which owns the repository. */
function toReviewerField(name: string) {
  const slash = name.indexOf("/");
  return slash < 0 ? { reviewers: [name] } : { team_reviewers: [name.slice(slash + 1)] };
}

async function listOpen({ client, common }: GitHubCall): Promise<OpenPullRequests> {
  const order = { state: "open", sort: "created", direction: "desc" } as const;
  const pullRequests: OpenPullRequest[] = [];
  for (let page = 1; pullRequests.length <= maxListedPullRequests; page += 1) {
    const parameters = { ...common, ...order, per_page: gitHubPageSize, page };
    const { data } = await client.octokit.rest.pulls.list(parameters);
    const replies = readReply(z.array(openPullRequestReply), data, "GitHub");
    pullRequests.push(...replies.map(toOpenPullRequest));
    if (replies.length < gitHubPageSize) break;
  }
  return {
    pullRequests: pullRequests.slice(0, maxListedPullRequests),
    hasMore: pullRequests.length > maxListedPullRequests,
  };
}

async function setStatus(
  { client, common }: GitHubCall,
  { commit, state, description, url }: CommitStatus,
): Promise<void> {
  await client.octokit.rest.repos.createCommitStatus({
    ...common,
    sha: commit,
    context: statusName,
    state,
    description,
    target_url: url,
  });
}

async function ensureHook(call: GitHubCall, { url, secret }: HookTarget): Promise<void> {
  const { client, common } = call;
  const config = { url, secret, content_type: "json" };
  const fields = { config, active: true, events: ["push", "pull_request"] };
  const [hookId] = await findHookIds(call, url);
  const { repos } = client.octokit.rest;
  if (hookId !== undefined) await repos.updateWebhook({ ...common, ...fields, hook_id: hookId });
  else await repos.createWebhook({ ...common, ...fields, name: "web" });
}

async function removeHook(call: GitHubCall, url: string): Promise<void> {
  const { client, common } = call;
  for (const id of await findHookIds(call, url)) {
    await client.octokit.rest.repos.deleteWebhook({ ...common, hook_id: id });
  }
}

/** Finds the IDs of the hooks with this URL. Reads only one page, because GitHub allows at most 20 hooks per event. */
async function findHookIds({ client, common }: GitHubCall, url: string): Promise<number[]> {
  const { data } = await client.octokit.rest.repos.listWebhooks({
    ...common,
    per_page: gitHubPageSize,
  });
  const hooks = readReply(z.array(hookReply), data, "GitHub");
  return hooks.filter(({ config }) => config.url === url).map(({ id }) => id);
}

/** An Octokit error for a 422 response. Most of the response is undocumented, so only these fields are used. */
const refusalReply = z.object({
  status: z.literal(422),
  response: z.object({
    data: z.object({
      message: z.string().default(""),
      errors: z
        .array(
          z.union([
            z.string().transform((message) => ({ message, field: undefined })),
            z.object({ message: z.string().default(""), field: z.string().optional() }),
          ]),
        )
        .default([]),
    }),
  }),
});

/** Returns the reason why GitHub rejected a new pull request, if a person can act on it. */
function readRefusal(error: unknown, wanted: NewPullRequest): OctavoError | undefined {
  const reply = refusalReply.safeParse(error);
  if (!reply.success) return undefined;
  const { message, errors } = reply.data.response.data;
  const text = [message, ...errors.map((problem) => problem.message)].join(" ");
  const { head, base } = wanted;
  if (/already exists/i.test(text)) {
    return new OctavoError(
      "conflict",
      `There is already a pull request for ${head}, but it cannot be read.`,
    );
  }
  if (/no commits between|no history in common/i.test(text)) {
    return new OctavoError(
      "conflict",
      `There is nothing to propose, because ${base} already contains all commits of ${head}.`,
    );
  }
  if (/draft/i.test(text)) {
    return createInputError("This repository does not support draft pull requests.");
  }
  const field = errors.find(
    (problem) => problem.field === "head" || problem.field === "base",
  )?.field;
  if (field === undefined) return undefined;
  const missing = field === "head" ? head : base;
  return new OctavoError(
    "ref_not_found",
    `The repository has no branch ${JSON.stringify(missing)}.`,
  );
}

function toPullRequest(reply: PullRequestReply): PullRequest {
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

function toOpenPullRequest(reply: z.infer<typeof openPullRequestReply>): OpenPullRequest {
  const { number, url, title, head, base } = toPullRequest(reply);
  return {
    number,
    url,
    title,
    author: reply.user?.login ?? "ghost",
    isByMember: writerAssociations.has(reply.author_association),
    isFromFork: reply.head.repo?.full_name !== reply.base.repo.full_name,
    headCommit: reply.head.sha,
    head,
    base,
    ref: `refs/pull/${number}/head`,
  };
}
