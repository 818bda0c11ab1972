import { createHash } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { git } from "./git-fixture.ts";
import { openDescription } from "./described-api.ts";
import type { ApiExchange } from "./described-api.ts";

interface StoredPull {
  readonly number: number;
  readonly head: string;
  readonly base: string;
  readonly draft: boolean;
  /** `fork/docs` for a branch of somebody else's. */
  readonly from: string;
  /** The head of a fork's branch. */
  commit: string;
  title: string;
  body: string | null;
  state: "open" | "closed";
  closed_at: string | null;
  merged_at: string | null;
  /** Comments of the service and of people. */
  readonly comments: Record<string, unknown>[];
  readonly reviews: Record<string, unknown>[];
  readonly lineComments: Record<string, unknown>[];
  readonly labels: string[];
  /** Users and `team:` names. */
  readonly reviewers: string[];
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
  readonly active: boolean;
  readonly events: readonly string[];
  readonly config: Readonly<Record<string, string>>;
}

/** Answers instead of the stand-in, to the next requests that fit. */
export interface GitHubFault {
  /** Matches requests such as `POST /repos/acme/docs/pulls`; every request if absent. */
  readonly on?: RegExp;
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** How many requests; one when absent. */
  readonly times?: number;
  /** Nothing is answered until the stand-in is closed. */
  readonly isSilent?: boolean;
  /** Whether the request is carried out all the same, and only its answer is lost. */
  readonly isDone?: boolean;
}

export interface GitHubStandIn extends AsyncDisposable {
  /** `http://127.0.0.1:<port>`; the API is at `/api/v3`, as of an Enterprise server. */
  readonly url: string;
  readonly port: number;
  readonly exchanges: readonly ApiExchange[];
  readonly pulls: readonly StoredPull[];
  /** All statuses that were set, the oldest first. */
  readonly statuses: readonly StoredStatus[];
  readonly hooks: readonly StoredHook[];
  /** Branches, each with the commits that it has and `main` has not. */
  readonly branches: Map<string, number>;
  /** Whether a `draft` is taken. */
  hasDrafts: boolean;
  /** Whether the token's user may write. */
  canPush: boolean;
  /** The people who can be asked for a review. */
  readonly people: readonly string[];
  /** The names that the repository has now. */
  fullName: string;
  /** The token that currently gives access, also to the App's installation. */
  token: string;
  fail(fault: GitHubFault): void;
  /** Opens a pull request of a fork, at a commit if one is given. */
  addForkPull(head: string, base: string, commit?: string): void;
  /** Returns the commit of a branch. */
  commitOf(branch: string): string;
  end(number: number, state: "merged" | "closed"): void;
  reopen(number: number): void;
  /** Adds a comment on a pull request as a whole. */
  remark(number: number, body: string, by?: Remarker): void;
  /** Adds a review, which requests changes or has another state. */
  review(number: number, body: string, by?: Remarker & { readonly state?: string }): void;
  /** Adds a person's comment on a line of `guide.mdx`; the third when absent. Everybody but `eve` is a member. */
  commentOnLine(number: number, comment: LineCommentFields): void;
  /** Fails where a request or an answer was not as GitHub describes it; gives back the operations. */
  checkExchanges(): string[];
}

interface LineCommentFields {
  readonly body: string;
  readonly line?: number;
  readonly login?: string;
}

interface Remarker {
  readonly isByMember?: boolean;
  readonly isBot?: boolean;
}

export interface StandInOptions {
  readonly token: string;
  readonly installationId?: number;
  /** A bare repository whose branches are its own; `branches` is then what was last read of it. */
  readonly repository?: string;
}

type Answer = readonly [status: number, body: unknown, headers?: Readonly<Record<string, string>>];
interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Record<string, unknown>;
}

const checkExchange = openDescription("github-api.json");
const now = "2026-01-02T03:04:05Z";

/** A GitHub of one repository, `acme/docs`, that keeps what it is told. */
export async function startGitHub({
  token,
  installationId = 7,
  repository,
}: StandInOptions): Promise<GitHubStandIn> {
  const exchanges: ApiExchange[] = [];
  const faults: (GitHubFault & { left: number })[] = [];
  let commits: ReadonlyMap<string, string> = new Map();
  let lastHook = 0;
  let lastComment = 0;
  const readBranches =
    repository === undefined
      ? undefined
      : createBranchReader(repository, (read) => {
          commits = read;
        });
  const keepHeads = repository === undefined ? undefined : createHeadKeeper(repository);
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  const state = {
    pulls: [] as StoredPull[],
    statuses: [] as StoredStatus[],
    hooks: [] as StoredHook[],
    branches: new Map([["main", 0]]),
    hasDrafts: true,
    canPush: true,
    people: ["octocat", "hubot", "team:docs"],
    fullName: "acme/docs",
    token,
  };

  function authorize(path: string, header: string): boolean {
    // An app signs its own requests; what it signs is not looked at here.
    const isAppCall = path.endsWith("/installation") || path.startsWith("/app/");
    if (isAppCall) return /^bearer [\w-]+\.[\w-]+\.[\w-]+$/i.test(header);
    return header === `token ${state.token}` || header === `bearer ${state.token}`;
  }

  async function readRepository(): Promise<void> {
    if (readBranches) state.branches = await readBranches();
    await keepHeads?.(state.pulls.filter(isOpen).map((pull) => [pull.number, storedHeadOf(pull)]));
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? "/", "http://github.invalid");
    const path = url.pathname.replace(/^\/api\/v3/, "");
    const raw = await text(request);
    const body = raw === "" ? undefined : (JSON.parse(raw) as Record<string, unknown>);
    const method = request.method ?? "GET";
    const asked = { method, path, query: url.searchParams, body: body ?? {} };
    const fault = faults.find((one) => one.left > 0 && (one.on?.test(`${method} ${path}`) ?? true));
    const carriesOut = !fault || fault.isDone === true;
    await readRepository();
    const isKnown = authorize(path, request.headers.authorization ?? "");
    const real: Answer = isKnown
      ? answer(asked, carriesOut)
      : [401, { message: "Bad credentials" }];
    if (fault) fault.left--;
    if (fault?.isSilent) return;
    const [status, content, headers] = fault
      ? [fault.status, fault.body ?? { message: "Fault" }]
      : real;
    const query = Object.fromEntries(url.searchParams);
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
      "content-type": "application/json; charset=utf-8",
      ...headers,
      ...fault?.headers,
    });
    response.end(JSON.stringify(content));
  }

  function answer(asked: Asked, carriesOut: boolean): Answer {
    if (!carriesOut) return [500, {}];
    if (asked.path === `/app/installations/${installationId}/access_tokens`) {
      const expires_at = new Date(Date.now() + 3_600_000).toISOString();
      return [201, { token: state.token, expires_at, permissions: {} }];
    }
    if (asked.path === "/user") return [200, userOf("octavo")];
    const rest = /^\/repos\/([^/]+\/[^/]+)(.*)$/.exec(asked.path);
    if (!rest || !["acme/docs", state.fullName].includes(rest[1] ?? "")) return notFound;
    const route = `${asked.method} ${rest[2]}`;
    if (route === "GET ") return [200, repositoryOf(state.fullName)];
    if (route === "GET /installation") return [200, { id: installationId }];
    if (route === "GET /pulls") return [200, list(asked.query)];
    if (route === "POST /pulls") return create(asked.body);
    const answered =
      answerForHooks(route, asked.body) ??
      editComment(route, asked.body) ??
      setStatus(route, asked.body);
    return answered ?? answerForPull(route, asked);
  }

  function answerForPull(route: string, asked: Asked): Answer {
    const number = Number(/^\w+ \/(?:pulls|issues)\/(\d+)(?:\/|$)/.exec(route)?.[1]);
    const pull = state.pulls.find((one) => one.number === number);
    if (!pull) return notFound;
    if (route === `GET /issues/${number}/comments`) return pageOf(pull.comments, asked);
    if (route === `GET /pulls/${number}/reviews`) return pageOf(pull.reviews, asked);
    return answerFor(pull, route, asked.body);
  }

  function answerForHooks(route: string, body: Record<string, unknown>): Answer | undefined {
    if (route === "GET /hooks") return [200, state.hooks.map(hookOf)];
    const fields = body as unknown as Omit<StoredHook, "id">;
    if (route === "POST /hooks") {
      if (state.hooks.some(({ config }) => config["url"] === fields.config["url"])) {
        return invalid({ message: "Hook already exists on this repository" });
      }
      const { active, events, config } = fields;
      state.hooks.push({ id: (lastHook += 1), active, events, config });
      return [201, hookOf(state.hooks.at(-1))];
    }
    const [, method, id] = /^(PATCH|DELETE) \/hooks\/(\d+)$/.exec(route) ?? [];
    const at = state.hooks.findIndex((hook) => hook.id === Number(id));
    const known = state.hooks[at];
    if (!known) return undefined;
    if (method === "DELETE") {
      state.hooks.splice(at, 1);
      return [204, undefined];
    }
    state.hooks[at] = { ...known, ...fields };
    return [200, hookOf(state.hooks[at])];
  }

  function editComment(route: string, { body }: Record<string, unknown>): Answer | undefined {
    const [, method, id] = /^(PATCH|DELETE) \/issues\/comments\/(\d+)$/.exec(route) ?? [];
    if (id === undefined) return undefined;
    for (const { comments } of state.pulls) {
      const at = comments.findIndex((comment) => comment["id"] === Number(id));
      const comment = comments[at];
      if (!comment) continue;
      if (method === "DELETE") {
        comments.splice(at, 1);
        return [204, undefined];
      }
      comments[at] = { ...comment, body };
      return [200, comments[at]];
    }
    return notFound;
  }

  function setStatus(route: string, body: Record<string, unknown>): Answer | undefined {
    const commit = /^POST \/statuses\/([0-9a-f]{40})$/.exec(route)?.[1];
    if (commit === undefined) return undefined;
    state.statuses.push({ ...(body as unknown as Omit<StoredStatus, "commit">), commit });
    return [201, { id: state.statuses.length, state: body["state"] }];
  }

  function answerFor(pull: StoredPull, route: string, body: Record<string, unknown>): Answer {
    if (route === `GET /pulls/${pull.number}`) return [200, shown(pull)];
    if (route === `PATCH /pulls/${pull.number}`) {
      Object.assign(pull, body);
      return [200, shown(pull)];
    }
    if (route === `POST /issues/${pull.number}/comments`) {
      const remark = addComment(pull, String(body["body"]), {});
      Object.assign(remark, { user: userOf("octavo") });
      return [201, remark];
    }
    if (route === `GET /pulls/${pull.number}/comments`) {
      return [200, pull.lineComments.toReversed()];
    }
    const thread = /^POST \/pulls\/\d+\/comments\/(\d+)\/replies$/.exec(route)?.[1];
    if (thread !== undefined) {
      const first = pull.lineComments.find(({ id }) => id === Number(thread));
      if (!first) return notFound;
      const reply = { ...first, ...body, id: pull.lineComments.length + 1 };
      const owner = { user: { ...(first["user"] as object), login: "octavo" } };
      pull.lineComments.push({ ...reply, ...owner, in_reply_to_id: Number(thread) });
      return [201, pull.lineComments.at(-1)];
    }
    if (route === `POST /issues/${pull.number}/labels`) {
      const labels = body["labels"] as string[];
      pull.labels.push(...labels.filter((name) => !pull.labels.includes(name)));
      return [200, pull.labels.map((_, index) => ({ id: index + 1 }))];
    }
    if (route === `POST /pulls/${pull.number}/requested_reviewers`) return ask(pull, body);
    return notFound;
  }

  /** Adds a comment, whose ID no comment of another pull request has. */
  function addComment({ comments }: StoredPull, body: string, by: Remarker) {
    const remark = { ...toRemark(comments, body, by), id: (lastComment += 1) };
    comments.push(remark);
    return remark;
  }

  function pageOf(items: readonly unknown[], { path, query }: Asked): Answer {
    const [size, page] = [Number(query.get("per_page") ?? 30), Number(query.get("page") ?? 1)];
    const last = Math.ceil(items.length / size);
    const link = `<${url}/api/v3${path}?per_page=${size}&page=${last}>; rel="last"`;
    return [200, items.slice((page - 1) * size, page * size), page < last ? { link } : {}];
  }

  function ask(pull: StoredPull, body: Record<string, unknown>): Answer {
    const { reviewers = [], team_reviewers = [] } = body as Record<string, string[]>;
    const names = [...reviewers, ...team_reviewers.map((team) => `team:${team}`)];
    if (!names.every((name) => state.people.includes(name))) {
      return [
        422,
        {
          message:
            "Reviews may only be requested from collaborators. One or more of the users or teams you specified is not a collaborator of the acme/docs repository.",
        },
      ];
    }
    pull.reviewers.push(...names.filter((name) => !pull.reviewers.includes(name)));
    return [201, shown(pull)];
  }

  function list(query: URLSearchParams): unknown[] {
    const [owner = "", branch] = (query.get("head") ?? "").split(":");
    const [size, page] = [Number(query.get("per_page") ?? 30), Number(query.get("page") ?? 1)];
    return state.pulls
      .filter((pull) => {
        const isState =
          query.get("state") === "all" || pull.state === (query.get("state") ?? "open");
        const isHead =
          branch === undefined || (pull.head === branch && pull.from.startsWith(`${owner}/`));
        return isState && isHead && (query.get("base") ?? pull.base) === pull.base;
      })
      .toReversed()
      .slice((page - 1) * size, page * size)
      .map(shown);
  }

  function create(body: Record<string, unknown>): Answer {
    const { head, base, title, draft = false } = body as Record<string, string>;
    const owner = state.fullName.split("/")[0] ?? "";
    for (const [field, branch = ""] of Object.entries({ head, base })) {
      if (!state.branches.has(branch))
        return invalid({ resource: "PullRequest", field, code: "invalid" });
    }
    const isThere = state.pulls.some(
      (pull) =>
        pull.state === "open" &&
        pull.from === state.fullName &&
        pull.head === head &&
        pull.base === base,
    );
    if (isThere) return invalid({ message: `A pull request already exists for ${owner}:${head}.` });
    if (state.branches.get(head ?? "") === 0)
      return invalid({ message: `No commits between ${base} and ${head}` });
    if (draft && !state.hasDrafts)
      return [422, { message: "Draft pull requests are not supported in this repository." }];
    const pull = add({
      head: head ?? "",
      base: base ?? "",
      draft: Boolean(draft),
      from: state.fullName,
      commit: "",
    });
    pull.title = title ?? "";
    pull.body = (body["body"] as string | undefined) ?? null;
    return [201, shown(pull)];
  }

  function add(
    fields: Pick<StoredPull, "head" | "base" | "draft" | "from" | "commit">,
  ): StoredPull {
    const number = state.pulls.length + 1;
    const ended = { closed_at: null, merged_at: null };
    const pull: StoredPull = {
      ...fields,
      ...ended,
      number,
      title: "",
      body: null,
      state: "open",
      comments: [],
      reviews: [],
      lineComments: [],
      labels: [],
      reviewers: [],
    };
    state.pulls.push(pull);
    return pull;
  }

  /** Returns the commit of a branch: the repository's, or one that is made up of the branch's name. */
  function commitOf(branch: string): string {
    return commits.get(branch) ?? createHash("sha1").update(branch).digest("hex");
  }

  /** Returns the head of a pull request; undefined if its branch was deleted. */
  function storedHeadOf({ from, head, commit }: StoredPull): string | undefined {
    return from === state.fullName ? commits.get(head) : commit;
  }

  function shown({ from, head, base, commit, ...pull }: StoredPull): unknown {
    const { number, title, body, state: pullState, draft, closed_at, merged_at } = pull;
    return {
      number,
      title,
      body,
      draft,
      closed_at,
      merged_at,
      id: number,
      state: pullState,
      created_at: now,
      html_url: `${url}/acme/docs/pull/${pull.number}`,
      user: userOf(from === state.fullName ? "octavo" : "eve"),
      author_association: from === state.fullName ? "MEMBER" : "NONE",
      head: {
        ref: head,
        sha: from === state.fullName ? commitOf(head) : commit,
        repo: repositoryOf(from),
      },
      base: { ref: base, repo: repositoryOf(state.fullName) },
    };
  }

  function repositoryOf(fullName: string) {
    const login = fullName.split("/")[0] ?? "";
    const owner = { login, id: 1, html_url: `${url}/${login}` };
    const permissions = { push: state.canPush };
    return { id: 1, full_name: fullName, html_url: `${url}/${fullName}`, owner, permissions };
  }

  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  return Object.assign(state, {
    url,
    port,
    exchanges,
    fail: (fault: GitHubFault) => void faults.push({ ...fault, left: fault.times ?? 1 }),
    addForkPull(head: string, base: string, commit = commitOf(`fork ${head}`)) {
      const from = state.fullName.replace(/\/.*$/, "/fork");
      add({ head, base, draft: false, from, commit });
    },
    commitOf,
    end(number: number, ending: "merged" | "closed") {
      const pull = state.pulls.find((one) => one.number === number);
      if (!pull) throw new Error(`No pull request ${number}`);
      Object.assign(pull, {
        state: "closed",
        closed_at: now,
        merged_at: ending === "merged" ? now : null,
      });
    },
    remark(number: number, body: string, by: Remarker = {}) {
      const pull = state.pulls.find((one) => one.number === number);
      if (pull) addComment(pull, body, by);
    },
    review(number: number, body: string, by: Remarker & { readonly state?: string } = {}) {
      const reviews = state.pulls.find((one) => one.number === number)?.reviews;
      if (!reviews) return;
      const { created_at, ...remark } = toRemark(reviews, body, by);
      const sent = by.state === "PENDING" ? {} : { submitted_at: created_at };
      reviews.push({ ...remark, ...sent, state: by.state ?? "CHANGES_REQUESTED" });
    },
    commentOnLine(number: number, { body, line = 3, login = "ada" }: LineCommentFields) {
      const comments = state.pulls.find((one) => one.number === number)?.lineComments;
      comments?.push({
        id: comments.length + 1,
        user: { login, id: 1, html_url: `http://127.0.0.1/${login}` },
        author_association: login === "eve" ? "NONE" : "MEMBER",
        body,
        path: "guide.mdx",
        line,
        original_line: line,
        diff_hunk: "@@ -1 +1,3 @@\n a\n+b\n+c",
        html_url: `http://127.0.0.1/acme/docs/pull/${number}#1`,
        created_at: now,
      });
    },
    reopen(number: number) {
      const pull = state.pulls.find((one) => one.number === number);
      Object.assign(pull ?? {}, { state: "open", closed_at: null });
    },
    checkExchanges: () => exchanges.map(checkExchange),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  });
}

/** Counts for each branch the commits that it has and `main` has not; those of the same commits once. */
function createBranchReader(
  repository: string,
  onRead: (commits: ReadonlyMap<string, string>) => void,
): () => Promise<Map<string, number>> {
  const counted = new Map<string, Promise<number>>();
  const count = async (range: string): Promise<number> =>
    Number(await git(repository, "rev-list", "--count", range));
  return async () => {
    const format = "--format=%(objectname) %(refname:lstrip=2)";
    const list = await git(repository, "for-each-ref", format, "refs/heads");
    const lines = list.split("\n").filter((line) => line !== "");
    const branches = lines.map((line) => line.split(" ") as [string, string]);
    onRead(new Map(branches.map(([commit, name]) => [name, commit])));
    const main = branches.find(([, name]) => name === "main")?.[0] ?? "main";
    const counts = branches.map(async ([commit, name]): Promise<[string, number]> => {
      const range = `${main}..${commit}`;
      const counting = counted.get(range) ?? count(range);
      counted.set(range, counting);
      return [name, await counting];
    });
    return new Map(await Promise.all(counts));
  };
}

function isOpen({ state }: StoredPull): boolean {
  return state === "open";
}

/** Keeps the head of each pull request in a ref of its own, one request after the other. */
function createHeadKeeper(
  repository: string,
): (heads: readonly (readonly [number: number, commit: string | undefined])[]) => Promise<void> {
  const kept = new Map<number, string>();
  let keeping: Promise<void> = Promise.resolve();
  async function keep(
    earlier: Promise<void>,
    heads: readonly (readonly [number: number, commit: string | undefined])[],
  ): Promise<void> {
    await earlier;
    for (const [number, commit] of heads) {
      if (commit === undefined || kept.get(number) === commit) continue;
      await git(repository, "update-ref", `refs/pull/${number}/head`, commit);
      kept.set(number, commit);
    }
  }
  return async (heads) => {
    keeping = keep(keeping, heads);
    await keeping;
  };
}

/** Each remark is a minute later than the one before. */
function toRemark(
  earlier: readonly unknown[],
  body: string,
  { isByMember = true, isBot = false }: Remarker,
): Record<string, unknown> {
  return {
    id: earlier.length + 1,
    user: { login: "ada", id: 1, html_url: "http://127.0.0.1/ada", type: isBot ? "Bot" : "User" },
    author_association: isByMember ? "MEMBER" : "NONE",
    body,
    html_url: "http://127.0.0.1/acme/docs/pull/1#1",
    created_at: new Date(Date.parse(now) + earlier.length * 60_000).toISOString(),
  };
}

function userOf(login: string) {
  return { login, id: 1, html_url: `http://127.0.0.1/${login}`, type: "User" };
}

/** Returns a hook as GitHub shows it, which does not tell the secret. */
function hookOf(hook: StoredHook | undefined) {
  if (!hook) throw new Error("No hook");
  return { id: hook.id, type: "Repository", config: { url: hook.config["url"] } };
}

const notFound: Answer = [404, { message: "Not Found" }];

function invalid(error: Record<string, string>): Answer {
  return [422, { message: "Validation Failed", errors: [{ code: "custom", ...error }] }];
}
