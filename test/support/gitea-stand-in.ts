import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { openDescription } from "./described-api.ts";
import type { ApiExchange } from "./described-api.ts";
import { git, serveFixture } from "./git-fixture.ts";
import type { GitServer } from "./git-fixture.ts";

interface StoredPull {
  readonly number: number;
  readonly head: string;
  readonly base: string;
  /** The repository of the head: 1 is the server's own one, and others are forks. */
  readonly headRepository: number;
  title: string;
  body: string;
  state: "open" | "closed";
  merged_at: string | null;
  closed_at: string | null;
  readonly comments: StoredComment[];
  readonly reviews: StoredReview[];
  readonly labels: number[];
  /** Users, and teams with their organization. */
  readonly reviewers: string[];
}

interface StoredComment {
  readonly id: number;
  readonly login: string;
  body: string;
  readonly created_at: string;
}

interface StoredReview extends StoredComment {
  readonly state: string;
  readonly lines: (StoredComment & { readonly line: number })[];
}

interface StoredStatus {
  readonly commit: string;
  readonly context: string;
  readonly state: string;
  readonly description: string;
  readonly target_url: string;
}

interface StoredHook {
  readonly id: number;
  readonly type: string;
  readonly active: boolean;
  readonly events: readonly string[];
  readonly config: Readonly<Record<string, string>>;
}

/** Answers instead of the stand-in, to the next requests that fit. */
export interface GiteaFault {
  /** Matches requests such as `POST /repos/acme/docs/pulls`; every request if absent. */
  readonly on?: RegExp;
  readonly status: number;
  /** An object is sent as JSON, and a text as it is. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many requests; one when absent. */
  readonly times?: number;
  /** Whether the request is carried out all the same, and only its answer is lost. */
  readonly isDone?: boolean;
}

export interface GiteaStandInOptions {
  /** Below which the bare repository `acme/docs.git` lies, at the same path as on the server. */
  readonly root: string;
  readonly token: string;
  readonly program: "Gitea" | "Forgejo";
  /** The version that it reports; a supported one when absent. */
  readonly version?: string;
  /** The path of the server, such as `/forge`. */
  readonly path?: string;
  readonly isSecure?: boolean;
}

export interface GiteaStandIn extends AsyncDisposable {
  /** The address of the server. */
  readonly url: string;
  readonly port: number;
  /** PEM; who connects to a secure one must trust it. */
  readonly certificate: string;
  /** The address of the repository, as a project names it. */
  readonly repository: string;
  /** The folder of the bare repository. */
  readonly folder: string;
  readonly exchanges: ApiExchange[];
  readonly pulls: readonly StoredPull[];
  /** All statuses that were set, the oldest first. */
  readonly statuses: readonly StoredStatus[];
  readonly hooks: readonly StoredHook[];
  /** The names of labels: a label's ID is its position, from 1. */
  readonly labels: string[];
  /** The beginnings of titles that make a draft. */
  draftPrefixes: readonly string[];
  /** The greatest number of entries of a page. */
  maxPageSize: number;
  /** The names that the repository has now. */
  fullName: string;
  /** The scopes of the token. */
  scopes: readonly string[];
  /** Whether the token's user may write. */
  canPush: boolean;
  fail(fault: GiteaFault): void;
  /** Opens a pull request of a fork, at a commit of the repository if one is given. */
  addForkPull(head: string, commit?: string): Promise<void>;
  /** Ends a pull request. A merge moves its base to its head, and deletes the branch where that is asked for. */
  end(number: number, state: "merged" | "closed", options?: { deletes: boolean }): Promise<void>;
  remark(number: number, body: string, login?: string): void;
  review(number: number, body: string, state: string, login?: string): void;
  /** Adds a person's comment on a line of `guide.mdx`. */
  commentOnLine(number: number, comment: { body: string; line: number; login: string }): void;
  /** Fails where a request or an answer was not as the server describes it; gives back the operations. */
  checkExchanges(): string[];
}

type Answer = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];

interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
}

const start = Date.parse("2026-01-02T03:04:05Z");
const versions = { Gitea: "1.21.11", Forgejo: "7.0.0+gitea-1.21.11" } as const;
/** The people who may write. `octavo` is whose token it is. */
const writers = ["ada", "octavo", "octocat"];
const teams = ["docs"];
const notFound: Answer = [404, { message: "The target couldn't be found.", errors: [], url: "" }];

/** A Gitea or Forgejo of one repository, `acme/docs`, with real Git behind it. */
export async function startGitea(options: GiteaStandInOptions): Promise<GiteaStandIn> {
  const { root, token, program, path: base = "" } = options;
  const folder = join(root, base, "acme/docs.git");
  const describe = openDescription(program === "Gitea" ? "gitea-api.json" : "forgejo-api.json");
  const exchanges: ApiExchange[] = [];
  const faults: (GiteaFault & { left: number })[] = [];
  const state = {
    pulls: [] as StoredPull[],
    statuses: [] as StoredStatus[],
    hooks: [] as StoredHook[],
    labels: ["bug", "docs"],
    draftPrefixes: ["WIP:", "[WIP]"] as readonly string[],
    maxPageSize: 50,
    fullName: "acme/docs",
    scopes: ["write:repository", "write:issue", "read:user"] as readonly string[],
    canPush: true,
  };
  let [lastId, clock] = [0, start];

  const server: GitServer = await serveFixture({
    root,
    login: { user: "x-access-token", password: token },
    isSecure: options.isSecure ?? false,
    intercept(request, response) {
      if (!request.url?.startsWith(`${base}/api/v1/`)) return false;
      handle(request, response).catch(() => response.destroy());
      return true;
    },
  });
  const url = `${server.url}${base}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url ?? "/", server.url);
    const path = asked.pathname.slice(`${base}/api/v1`.length);
    const raw = await text(request);
    const body = raw === "" ? undefined : (JSON.parse(raw) as Record<string, unknown>);
    const method = request.method ?? "GET";
    const fault = faults.find((one) => one.left > 0 && (one.on?.test(`${method} ${path}`) ?? true));
    if (fault) fault.left--;
    const isKnown = request.headers.authorization === `token ${token}`;
    let real: Answer = [401, { message: "invalid username, password or token" }];
    if (isKnown && (!fault || fault.isDone)) {
      real = await answer({ method, path, query: asked.searchParams, body: body ?? {} });
    }
    const [status, content, headers]: Answer = fault ? [fault.status, fault.body ?? {}] : real;
    const query = Object.fromEntries(asked.searchParams);
    exchanges.push({
      method,
      path,
      query,
      headers: request.headers,
      body,
      status,
      answer: content,
    });
    response.writeHead(status, {
      "content-type": "application/json;charset=utf-8",
      ...headers,
      ...fault?.headers,
    });
    response.end(typeof content === "string" ? content : JSON.stringify(content));
  }

  async function answer(asked: Asked): Promise<Answer> {
    const ofServer = answerForServer(asked.path);
    if (ofServer) return ofServer;
    const [, owner, name, rest = ""] = /^\/repos\/([^/]+)\/([^/]+)(.*)$/.exec(asked.path) ?? [];
    if (`${owner}/${name}` !== state.fullName) {
      // A moved repository's address leads to the current one.
      const location = `${url}/api/v1/repos/${state.fullName}${rest}`;
      return `${owner}/${name}` === "acme/docs" ? [307, {}, { location }] : notFound;
    }
    const route = `${asked.method} ${rest}`;
    const refusal = refuseScope(asked.method, rest);
    if (refusal) return refusal;
    const branch = /^GET \/branches\/([^/]+)$/.exec(route)?.[1];
    if (branch !== undefined) return await readBranch(decodeURIComponent(branch));
    const answered =
      (await answerForRepository(route, asked)) ??
      answerForHooks(route, asked) ??
      editComment(route, asked) ??
      (await setStatus(route, asked.body));
    if (answered) return answered;
    const number = Number(/^\w+ \/(?:pulls|issues)\/(\d+)(?:\/|$)/.exec(route)?.[1]);
    const pull = state.pulls.find((one) => one.number === number);
    return pull ? await answerFor(pull, route.replace(`/${number}`, ""), asked) : notFound;
  }

  function answerForServer(path: string): Answer | undefined {
    switch (path) {
      case "/version":
        return [200, { version: options.version ?? versions[program] }];
      case "/orgs/acme/labels":
        return [200, []];
      case "/user":
        return refuseScope("GET", path) ?? [200, userOf("octavo")];
    }
    return undefined;
  }

  /** A scope is missing before anything is looked for. */
  function refuseScope(method: string, rest: string): Answer | undefined {
    const [, first] = rest.split("/");
    const category = { issues: "issue", user: "user" }[first ?? ""] ?? "repository";
    const enough = method === "GET" ? [`read:${category}`] : [];
    if (state.scopes.some((scope) => [`write:${category}`, ...enough].includes(scope)))
      return undefined;
    const message = `token does not have at least one of required scope(s): [write:${category}]`;
    return [403, { message }];
  }

  async function answerForRepository(route: string, asked: Asked): Promise<Answer | undefined> {
    switch (route) {
      case "GET ":
        return [200, repositoryOf(1)];
      case "GET /assignees":
        return [200, writers.map(userOf)];
      case "GET /labels":
        return pageOf(state.labels.map(labelOf), asked);
      case "POST /labels":
        state.labels.push(String(asked.body["name"]));
        return [201, labelOf(String(asked.body["name"]), state.labels.length - 1)];
      case "GET /commits":
        return await listCommits(asked.query);
      case "GET /pulls": {
        const wanted = asked.query.get("state") ?? "open";
        const listed = state.pulls.filter((pull) => wanted === "all" || pull.state === wanted);
        const shown = await Promise.all(listed.toReversed().map((pull) => show(pull)));
        return pageOf(shown, asked);
      }
      case "POST /pulls":
        return await create(asked.body);
    }
    return undefined;
  }

  function answerForHooks(route: string, asked: Asked): Answer | undefined {
    if (route === "GET /hooks") return pageOf(state.hooks.map(hookOf), asked);
    if (route === "POST /hooks") {
      lastId += 1;
      state.hooks.push({ ...(asked.body as unknown as Omit<StoredHook, "id">), id: lastId });
      return [201, hookOf(state.hooks.at(-1))];
    }
    const id = Number(/^DELETE \/hooks\/(\d+)$/.exec(route)?.[1]);
    const at = state.hooks.findIndex((hook) => hook.id === id);
    if (at < 0) return undefined;
    state.hooks.splice(at, 1);
    return [204, undefined];
  }

  function editComment(route: string, { body }: Asked): Answer | undefined {
    const [, method, id] = /^(\w+) \/issues\/comments\/(\d+)$/.exec(route) ?? [];
    if (id === undefined) return undefined;
    for (const { comments } of state.pulls) {
      const at = comments.findIndex((comment) => comment.id === Number(id));
      const comment = comments[at];
      if (!comment) continue;
      if (method === "DELETE") {
        comments.splice(at, 1);
        return [204, undefined];
      }
      comment.body = String(body["body"]);
      return [200, commentOf(comment)];
    }
    return notFound;
  }

  async function setStatus(
    route: string,
    body: Record<string, unknown>,
  ): Promise<Answer | undefined> {
    const commit = /^POST \/statuses\/([0-9a-f]{40})$/.exec(route)?.[1];
    if (commit === undefined) return undefined;
    const type = await git(folder, "cat-file", "-t", commit).catch(() => "");
    if (type !== "commit") return notFound;
    const { context, state: status, description, target_url } = body as Record<string, string>;
    const set = { context, description, target_url } as Omit<StoredStatus, "commit" | "state">;
    state.statuses.push({ ...set, commit, state: String(status) });
    return [201, { ...set, id: state.statuses.length, status, creator: userOf("octavo") }];
  }

  async function readBranch(name: string): Promise<Answer> {
    const id = await commitOf(name);
    return id === undefined ? notFound : [200, { name, commit: { id } }];
  }

  async function answerFor(pull: StoredPull, route: string, asked: Asked): Promise<Answer> {
    const { body } = asked;
    switch (route) {
      case "GET /pulls":
        return [200, await show(pull)];
      case "PATCH /issues": {
        Object.assign(pull, body);
        const { number, title, body: words, state: now } = pull;
        return [201, { id: number, number, title, body: words, state: now }];
      }
      case "GET /issues/comments":
        return [200, pull.comments.map(commentOf)];
      case "POST /issues/comments":
        pull.comments.push(stamp("octavo", String(body["body"])));
        return [201, commentOf(pull.comments.at(-1))];
      case "GET /pulls/reviews":
        return pageOf(pull.reviews.map(reviewOf), asked);
      case "POST /pulls/reviews": {
        const [comment] = body["comments"] as { body: string; new_position: number }[];
        if (!comment)
          return [422, { message: "review event COMMENT requires a body or a comment" }];
        const made = { ...stamp("octavo", ""), state: "COMMENT", lines: [] };
        pull.reviews.push(made);
        addLine(made, comment);
        return [200, reviewOf(made)];
      }
      case "POST /issues/labels": {
        const ids = body["labels"] as number[];
        pull.labels.push(...ids.filter((id) => !pull.labels.includes(id)));
        return [200, pull.labels.map((id) => labelOf(state.labels[id - 1] ?? "", id - 1))];
      }
      case "POST /pulls/requested_reviewers":
        return request(pull, body as Record<string, string[]>);
    }
    const reviewId = Number(/^\w+ \/pulls\/reviews\/(\d+)\/comments$/.exec(route)?.[1]);
    const review = pull.reviews.find(({ id }) => id === reviewId);
    if (!review) return notFound;
    if (route.startsWith("GET")) return [200, review.lines.map((line) => lineOf(review, line))];
    if (program === "Gitea") return [405, {}];
    return [200, addLine(review, body as { body: string; new_position: number })];
  }

  function request(pull: StoredPull, body: Record<string, string[]>): Answer {
    const { reviewers = [], team_reviewers = [] } = body;
    if (!team_reviewers.every((team) => teams.includes(team))) return notFound;
    if (reviewers.includes("stranger")) {
      return [422, { message: "Reviewer can't read [user_id: 9, repo_name: docs]" }];
    }
    if (!reviewers.every((name) => writers.includes(name))) return notFound;
    const names = [...reviewers, ...team_reviewers.map((team) => `acme/${team}`)];
    pull.reviewers.push(...names.filter((name) => !pull.reviewers.includes(name)));
    return [201, []];
  }

  async function create(body: Record<string, unknown>): Promise<Answer> {
    const { head, base: target, title, body: words } = body as Record<string, string>;
    if (head === undefined || target === undefined || title === undefined) return [422, {}];
    const commits = [await commitOf(head), await commitOf(target)];
    if (commits.includes(undefined)) return notFound;
    const isThere = state.pulls.some(
      (pull) =>
        pull.state === "open" &&
        pull.headRepository === 1 &&
        pull.head === head &&
        pull.base === target,
    );
    if (isThere) {
      return [409, { message: `pull request already exists for these targets [id: 1, issue_id: 9, head_branch: ${head}, base_branch: ${target}]` }]; // prettier-ignore
    }
    const pull = add({ head, base: target, headRepository: 1, title, body: words ?? "" });
    await keepHead(pull, head);
    return [201, await show(pull)];
  }

  function add(
    fields: Pick<StoredPull, "head" | "base" | "headRepository" | "title" | "body">,
  ): StoredPull {
    const lists = { comments: [], reviews: [], labels: [], reviewers: [] };
    const ended = { merged_at: null, closed_at: null };
    const pull: StoredPull = {
      ...fields,
      ...lists,
      ...ended,
      number: state.pulls.length + 1,
      state: "open",
    };
    state.pulls.push(pull);
    return pull;
  }

  async function listCommits(query: URLSearchParams): Promise<Answer> {
    const not = query.get("not");
    const limit = `--max-count=${query.get("limit") ?? 50}`;
    const range = [query.get("sha") ?? "main", ...(not === null ? [] : [`^${not}`])];
    const list = await git(folder, "rev-list", limit, ...range);
    return [200, list.split("\n").flatMap((sha) => (sha === "" ? [] : [{ sha }]))];
  }

  async function commitOf(branch: string): Promise<string | undefined> {
    const found = await git(
      folder,
      "for-each-ref",
      "--format=%(objectname)",
      `refs/heads/${branch}`,
    );
    return found === "" ? undefined : found;
  }

  /** Points the ref of a pull request to its head, as the server does. */
  async function keepHead({ number }: StoredPull, commit: string): Promise<void> {
    await git(folder, "update-ref", `refs/pull/${number}/head`, commit);
  }

  async function show(pull: StoredPull): Promise<unknown> {
    const { number, title, body, head, base: target, headRepository } = pull;
    const sha = headRepository === 1 ? await commitOf(head) : undefined;
    const kept = await git(folder, "rev-parse", "--verify", "--quiet", `refs/pull/${number}/head`).catch(() => ""); // prettier-ignore
    // The branch's name stays in `label` when the branch is gone.
    const ref = sha === undefined ? `refs/pull/${number}/head` : head;
    const isDraft = state.draftPrefixes.some((prefix) =>
      title.toLowerCase().startsWith(prefix.toLowerCase()),
    );
    return {
      id: number + 100,
      number,
      html_url: `${url}/${state.fullName}/pulls/${number}`,
      state: pull.state,
      title,
      body,
      merged: pull.merged_at !== null,
      user: userOf(headRepository === 1 ? "octavo" : "eve"),
      created_at: timeOf(start),
      closed_at: pull.closed_at,
      merged_at: pull.merged_at,
      ...(program === "Forgejo" && { draft: isDraft }),
      head: { label: head, ref, sha: sha ?? kept, repo_id: headRepository, repo: repositoryOf(headRepository) }, // prettier-ignore
      base: { label: target, ref: target, sha: "", repo_id: 1, repo: repositoryOf(1) },
    };
  }

  function repositoryOf(id: number) {
    const [login = "", name = ""] = id === 1 ? state.fullName.split("/") : ["fork", "docs"];
    const full_name = `${login}/${name}`;
    const permissions = { admin: false, push: state.canPush, pull: true };
    return {
      id,
      full_name,
      name,
      owner: userOf(login),
      html_url: `${url}/${full_name}`,
      permissions,
    };
  }

  function pageOf(items: readonly unknown[], { path, query }: Asked): Answer {
    const size = Math.min(Number(query.get("limit") ?? 30), state.maxPageSize);
    const page = Number(query.get("page") ?? 1);
    const last = Math.ceil(items.length / size);
    const at = (number: number) => `<${url}/api/v1${path}?limit=${size}&page=${number}>`;
    const link = `${at(page + 1)}; rel="next",${at(last)}; rel="last"`;
    const shown = items.slice((page - 1) * size, page * size);
    return [200, shown, page < last ? { link } : {}];
  }

  function stamp(login: string, body: string): StoredComment {
    clock += 60_000;
    lastId += 1;
    return { id: lastId, login, body, created_at: timeOf(clock) };
  }

  function addLine(
    review: StoredReview,
    { body, new_position }: { readonly body: string; readonly new_position: number },
  ): unknown {
    const line = { ...stamp("octavo", body), id: countLines() + 1, line: new_position };
    review.lines.push(line);
    return lineOf(review, line);
  }

  function countLines(): number {
    const reviews = state.pulls.flatMap((pull) => pull.reviews);
    return reviews.reduce((count, { lines }) => count + lines.length, 0);
  }

  function find(number: number): StoredPull {
    const pull = state.pulls.find((one) => one.number === number);
    if (!pull) throw new Error(`No pull request ${number}`);
    return pull;
  }

  return Object.assign(state, {
    url,
    port: server.port,
    certificate: server.certificate,
    repository: `${url}/acme/docs.git`,
    folder,
    exchanges,
    fail: (fault: GiteaFault) => void faults.push({ ...fault, left: fault.times ?? 1 }),
    async addForkPull(head: string, commit = "main") {
      const fields = { head, base: "main", headRepository: 2, title: "Theirs", body: "" };
      await keepHead(add(fields), commit);
    },
    async end(number: number, ending: "merged" | "closed", { deletes } = { deletes: false }) {
      const pull = find(number);
      if (ending === "merged") {
        const { base: target, head } = pull;
        await git(folder, "update-ref", `refs/heads/${target}`, `refs/heads/${head}`);
      }
      if (deletes) await git(folder, "update-ref", "-d", `refs/heads/${pull.head}`);
      const closed_at = timeOf(clock);
      Object.assign(pull, { state: "closed", closed_at, merged_at: ending === "merged" ? closed_at : null }); // prettier-ignore
    },
    remark: (number: number, body: string, login = "ada") =>
      void find(number).comments.push(stamp(login, body)),
    review: (number: number, body: string, reviewState: string, login = "ada") =>
      void find(number).reviews.push({ ...stamp(login, body), state: reviewState, lines: [] }),
    commentOnLine(
      number: number,
      {
        body,
        line,
        login,
      }: { readonly body: string; readonly line: number; readonly login: string },
    ) {
      const id = countLines() + 1;
      const lines = [{ ...stamp(login, body), id, line }];
      find(number).reviews.push({ ...stamp(login, ""), state: "COMMENT", lines });
    },
    checkExchanges: () => exchanges.filter(({ status }) => status !== 307).map(describe),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  });
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function userOf(login: string) {
  return { id: writers.indexOf(login) + 1, login, full_name: "" };
}

function labelOf(name: string, index: number) {
  return { id: index + 1, name, color: "ededed" };
}

function commentOf(comment: StoredComment | undefined) {
  const { id, login, body, created_at } = comment ?? { id: 0, login: "", body: "", created_at: "" };
  return { id, html_url: "", user: userOf(login), body, created_at, updated_at: created_at };
}

/** Returns a hook as the server shows it, which does not tell the secret. */
function hookOf(hook: StoredHook | undefined) {
  if (!hook) throw new Error("No hook");
  const { secret: _secret, ...config } = hook.config;
  return { ...hook, config };
}

function reviewOf({ id, login, body, created_at, state, lines }: StoredReview) {
  const marks = { stale: false, official: false, dismissed: false, comments_count: lines.length };
  return { id, user: userOf(login), state, body, submitted_at: created_at, ...marks };
}

function lineOf(review: StoredReview, line: StoredReview["lines"][number]) {
  const { id, login, body, created_at } = line;
  return {
    id,
    user: userOf(login),
    body,
    created_at,
    updated_at: created_at,
    path: "guide.mdx",
    position: line.line,
    original_position: 0,
    diff_hunk: "@@ -1 +1,3 @@\n a\n+b\n+c",
    pull_request_review_id: review.id,
  };
}
