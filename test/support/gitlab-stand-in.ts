import type { IncomingMessage, ServerResponse } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { openDescription } from "./described-api.ts";
import type { ApiExchange } from "./described-api.ts";
import { git, serveFixture } from "./git-fixture.ts";
import type { GitServer } from "./git-fixture.ts";

interface StoredMergeRequest {
  readonly iid: number;
  readonly source_branch: string;
  readonly target_branch: string;
  /** The project of the source branch: 7 is the server's own one, and others are forks. */
  readonly source_project_id: number;
  title: string;
  description: string | null;
  state: "opened" | "closed" | "locked" | "merged";
  merged_at: string | null;
  closed_at: string | null;
  readonly labels: string[];
  reviewers: number[];
  readonly notes: StoredNote[];
  readonly threads: StoredNote[][];
}

interface StoredNote {
  readonly id: number;
  readonly username: string;
  body: string;
  readonly created_at: string;
  readonly system: boolean;
  /** The line of `guide.mdx`. */
  readonly line?: number;
}

interface StoredStatus {
  readonly commit: string;
  readonly name: string;
  readonly ref: string;
  readonly state: string;
  readonly description: string;
  readonly target_url: string;
}

interface StoredHook {
  readonly id: number;
  readonly url: string;
  readonly token: string;
  readonly push_events: boolean;
  readonly merge_requests_events: boolean;
}

/** Answers instead of the stand-in, to the next requests that fit. */
export interface GitLabFault {
  /** Matches requests such as `POST /projects/7/merge_requests`; every request if absent. */
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

export interface GitLabStandInOptions {
  /** Below which the bare repository `acme/web/docs.git` lies, at the same path as on the server. */
  readonly root: string;
  readonly token: string;
  /** The version that it reports; a supported one when absent. */
  readonly version?: string;
  /** The path of the server, such as `/gitlab`. */
  readonly path?: string;
  readonly isSecure?: boolean;
}

export interface GitLabStandIn extends AsyncDisposable {
  /** The address of the server. */
  readonly url: string;
  readonly port: number;
  /** PEM; who connects to a secure one must trust it. */
  readonly certificate: string;
  /** The address of the repository in a subgroup, as a project names it. */
  readonly repository: string;
  /** The folder of the bare repository. */
  readonly folder: string;
  readonly exchanges: ApiExchange[];
  readonly mergeRequests: readonly StoredMergeRequest[];
  /** All statuses that were set, the oldest first. */
  readonly statuses: readonly StoredStatus[];
  readonly hooks: readonly StoredHook[];
  /** The greatest number of reviewers, which depends on the plan. */
  maxReviewers: number;
  /** The scopes of the token. */
  scopes: readonly string[];
  /** The access levels of the token's user, by the project and by its group. */
  access: { readonly own: number | null; readonly group: number | null };
  fail(fault: GitLabFault): void;
  /** Opens a merge request of a fork, at a commit of the repository if one is given. */
  addForkMergeRequest(branch: string, commit?: string): Promise<void>;
  /** Ends a merge request. A merge moves its target to its source, and deletes the branch where that is asked for. */
  end(iid: number, state: "merged" | "closed", options?: { deletes: boolean }): Promise<void>;
  remark(iid: number, body: string, options?: { username?: string; system?: boolean }): void;
  /** Adds a person's comment on a line of `guide.mdx`. */
  commentOnLine(iid: number, comment: { body: string; line: number; login: string }): void;
  /** Fails where a request or an answer was not as GitLab describes it; gives back the operations. */
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
/** The people of the server, by position from 1. Only `eve` may not write. `octavo` is whose token it is. */
const people = ["ada", "octavo", "octocat", "eve"];
const notFound: Answer = [404, { message: "404 Not found" }];
const diff = "@@ -1 +1,3 @@\n a\n+b\n+c\n";

/** A GitLab of one project in a subgroup, `acme/web/docs`, with real Git behind it. */
export async function startGitLab(options: GitLabStandInOptions): Promise<GitLabStandIn> {
  const { root, token, path: base = "" } = options;
  const folder = join(root, base, "acme/web/docs.git");
  const describe = openDescription("gitlab-api.json");
  const exchanges: ApiExchange[] = [];
  const faults: (GitLabFault & { left: number })[] = [];
  const state = {
    mergeRequests: [] as StoredMergeRequest[],
    statuses: [] as StoredStatus[],
    hooks: [] as StoredHook[],
    maxReviewers: 5,
    scopes: ["api"] as readonly string[],
    access: { own: null, group: 30 } as GitLabStandIn["access"],
  };
  let [lastNote, clock] = [0, start];

  const server: GitServer = await serveFixture({
    root,
    login: { user: "x-access-token", password: token },
    isSecure: options.isSecure ?? false,
    intercept(request, response) {
      if (!request.url?.startsWith(`${base}/api/v4/`)) return false;
      handle(request, response).catch(() => response.destroy());
      return true;
    },
  });
  const url = `${server.url}${base}`;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const asked = new URL(request.url ?? "/", server.url);
    const path = asked.pathname.slice(`${base}/api/v4`.length);
    const raw = await text(request);
    const body = raw === "" ? undefined : (JSON.parse(raw) as Record<string, unknown>);
    const method = request.method ?? "GET";
    const fault = faults.find((one) => one.left > 0 && (one.on?.test(`${method} ${path}`) ?? true));
    if (fault) fault.left--;
    let real: Answer = [401, { message: "401 Unauthorized" }];
    if (request.headers["private-token"] === token && (!fault || fault.isDone)) {
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
      "content-type": "application/json",
      ...headers,
      ...fault?.headers,
    });
    response.end(typeof content === "string" ? content : JSON.stringify(content));
  }

  async function answer(asked: Asked): Promise<Answer> {
    const { path, method } = asked;
    const ofServer = answerForServer(asked);
    if (ofServer) return ofServer;
    const [, id, rest = ""] = /^\/projects\/([^/]+)(.*)$/.exec(path) ?? [];
    if (id !== "7" && decodeURIComponent(id ?? "") !== "acme/web/docs") return notFound;
    const route = `${method} ${rest}`;
    const branch = /^GET \/repository\/branches\/([^/]+)$/.exec(route)?.[1];
    if (branch !== undefined) return await readBranch(decodeURIComponent(branch));
    const answered =
      (await answerForProject(route, asked)) ??
      answerForHooks(route, asked.body) ??
      (await setStatus(route, asked.body));
    if (answered) return answered;
    const iid = Number(/^\w+ \/merge_requests\/(\d+)(?:\/|$)/.exec(route)?.[1]);
    const found = state.mergeRequests.find((one) => one.iid === iid);
    return found
      ? await answerFor(found, route.replace(`/merge_requests/${iid}`, ""), asked)
      : notFound;
  }

  function answerForHooks(route: string, body: Record<string, unknown>): Answer | undefined {
    if (route === "GET /hooks") return [200, state.hooks.map(hookOf)];
    if (route === "POST /hooks") {
      lastNote += 1;
      state.hooks.push({ ...(body as unknown as Omit<StoredHook, "id">), id: lastNote });
      return [201, hookOf(state.hooks.at(-1))];
    }
    const [, method, id] = /^(PUT|DELETE) \/hooks\/(\d+)$/.exec(route) ?? [];
    const at = state.hooks.findIndex((hook) => hook.id === Number(id));
    const known = state.hooks[at];
    if (!known) return undefined;
    if (method === "DELETE") {
      state.hooks.splice(at, 1);
      return [204, undefined];
    }
    state.hooks[at] = { ...known, ...body };
    return [200, hookOf(state.hooks[at])];
  }

  /** A commit has one status of a name, which does not become what it is. */
  async function setStatus(
    route: string,
    body: Record<string, unknown>,
  ): Promise<Answer | undefined> {
    const commit = /^POST \/statuses\/([0-9a-f]{40})$/.exec(route)?.[1];
    if (commit === undefined) return undefined;
    const type = await git(folder, "cat-file", "-t", commit).catch(() => "");
    if (type !== "commit") return [404, { message: "404 Commit Not Found" }];
    const set = { ...(body as unknown as Omit<StoredStatus, "commit">), commit };
    const last = state.statuses.findLast((one) => one.commit === commit && one.name === set.name);
    if (last?.state === "pending" && set.state === "pending") {
      const message = `Cannot transition status via :enqueue from :pending (Reason(s): Status cannot transition via "enqueue")`;
      return [400, { message }];
    }
    state.statuses.push(set);
    const { ref, name, description, target_url, state: status } = set;
    return [201, { id: 1, sha: commit, ref, name, description, target_url, status }];
  }

  function answerForServer({ path, query }: Asked): Answer | undefined {
    switch (path) {
      case "/version":
        return [200, { version: options.version ?? "16.0.1-ee", revision: "a" }];
      case "/personal_access_tokens/self":
        return [200, { id: 1, scopes: state.scopes }];
      case "/user":
        return [200, userOf("octavo")];
      case "/users":
        return [200, people.filter((name) => name === query.get("username")).map(userOf)];
    }
    return undefined;
  }

  async function answerForProject(
    route: string,
    { query, body }: Asked,
  ): Promise<Answer | undefined> {
    switch (route) {
      case "GET ":
        return [200, { id: 7, path_with_namespace: "acme/web/docs", permissions: showAccess() }];
      case "GET /members/all": {
        const ids = query.getAll("user_ids[]").map(Number);
        const members = people.slice(0, 3).map((username, at) => ({ id: at + 1, username }));
        const found = members.filter((member) => ids.includes(member.id));
        return [200, found.map((member) => ({ ...member, access_level: 30 }))];
      }
      case "GET /repository/commits": {
        const args = [`--max-count=${query.get("per_page")}`, query.get("ref_name") ?? "main"];
        const list = await git(folder, "rev-list", ...args);
        return [200, list.split("\n").flatMap((sha) => (sha === "" ? [] : [{ id: sha }]))];
      }
      case "GET /merge_requests":
        return [200, await list(query)];
      case "POST /merge_requests":
        return await create(body);
    }
    return undefined;
  }

  async function answerFor(
    found: StoredMergeRequest,
    route: string,
    asked: Asked,
  ): Promise<Answer> {
    switch (route) {
      case "GET ":
        return [200, await show(found)];
      case "PUT ":
        return await update(found, asked.body);
      case "GET /diffs":
        return [200, [{ old_path: "guide.mdx", new_path: "guide.mdx", diff }]];
      case "GET /notes": {
        const size = Number(asked.query.get("per_page"));
        const page = Number(asked.query.get("page") ?? 1);
        const all = [...found.notes, ...found.threads.flat()].toSorted((a, b) => b.id - a.id);
        if (asked.query.get("sort") === "asc") all.reverse();
        return [200, all.slice((page - 1) * size, page * size).map(noteOf)];
      }
      case "POST /notes":
        found.notes.push(stamp("octavo", String(asked.body["body"])));
        return [201, noteOf(found.notes.at(-1))];
      case "GET /discussions":
        return pageOf(discussionsOf(found), asked);
    }
    const note = /^(PUT|DELETE) \/notes\/(\d+)$/.exec(route);
    if (note) return editNote(found, note, asked.body);
    const thread = found.threads[Number(/^POST \/discussions\/d(\d+)\/notes$/.exec(route)?.[1])];
    const line = thread?.[0]?.line;
    if (!thread || line === undefined) return notFound;
    thread.push({ ...stamp("octavo", String(asked.body["body"])), line });
    return [201, noteOf(thread.at(-1))];
  }

  function editNote(
    { notes }: StoredMergeRequest,
    [, method, id]: readonly string[],
    body: Record<string, unknown>,
  ): Answer {
    const at = notes.findIndex((note) => note.id === Number(id));
    const note = notes[at];
    if (!note) return notFound;
    if (method === "DELETE") {
      notes.splice(at, 1);
      return [204, undefined];
    }
    note.body = String(body["body"]);
    return [200, noteOf(note)];
  }

  async function update(found: StoredMergeRequest, body: Record<string, unknown>): Promise<Answer> {
    const { add_labels, reviewer_ids, ...rest } = body as Record<string, string> & {
      reviewer_ids?: number[];
    };
    Object.assign(found, rest);
    const labels = add_labels?.split(",") ?? [];
    found.labels.push(...labels.filter((label) => !found.labels.includes(label)));
    if (reviewer_ids) found.reviewers = reviewer_ids.slice(0, state.maxReviewers);
    return [200, await show(found)];
  }

  async function list(query: URLSearchParams): Promise<unknown[]> {
    const wanted = query.get("state") ?? "all";
    const [size, page] = [Number(query.get("per_page")), Number(query.get("page") ?? 1)];
    const listed = state.mergeRequests
      .filter(
        (one) =>
          one.source_branch === (query.get("source_branch") ?? one.source_branch) &&
          one.target_branch === (query.get("target_branch") ?? one.target_branch) &&
          (wanted === "all" || one.state === wanted),
      )
      .toReversed()
      .slice((page - 1) * size, page * size);
    return await Promise.all(listed.map(show));
  }

  async function create(body: Record<string, unknown>): Promise<Answer> {
    const { source_branch, target_branch, title, description } = body as Record<string, string>;
    if (!source_branch || !target_branch || !title) return [400, { error: "title is missing" }];
    const existing = state.mergeRequests.find(
      (one) =>
        one.state === "opened" &&
        one.source_project_id === 7 &&
        one.source_branch === source_branch &&
        one.target_branch === target_branch,
    );
    if (existing) {
      return [409, { message: [`Another open merge request already exists for this source branch: !${existing.iid}`] }]; // prettier-ignore
    }
    const made = add({ source_branch, target_branch, source_project_id: 7 });
    Object.assign(made, { title, description: description ?? null });
    return [201, await show(made)];
  }

  function add(
    fields: Pick<StoredMergeRequest, "source_branch" | "target_branch" | "source_project_id">,
  ): StoredMergeRequest {
    const made: StoredMergeRequest = {
      ...fields,
      iid: state.mergeRequests.length + 1,
      title: "Theirs",
      description: null,
      state: "opened",
      merged_at: null,
      closed_at: null,
      labels: [],
      reviewers: [],
      notes: [],
      threads: [],
    };
    state.mergeRequests.push(made);
    return made;
  }

  function showAccess(): unknown {
    const { own, group } = state.access;
    return {
      project_access: own === null ? null : { access_level: own },
      group_access: group === null ? null : { access_level: group },
    };
  }

  async function readBranch(name: string): Promise<Answer> {
    const id = await git(folder, "for-each-ref", "--format=%(objectname)", `refs/heads/${name}`);
    return id === "" ? [404, { message: "404 Branch Not Found" }] : [200, { name, commit: { id } }];
  }

  async function show(found: StoredMergeRequest) {
    const { notes: _notes, threads: _threads, reviewers, ...shown } = found;
    const isOwn = shown.source_project_id === 7;
    const source = isOwn
      ? `refs/heads/${shown.source_branch}`
      : `refs/merge-requests/${shown.iid}/head`;
    const sha = await git(folder, "for-each-ref", "--format=%(objectname)", source);
    return {
      ...shown,
      id: shown.iid + 100,
      project_id: 7,
      target_project_id: 7,
      author: userOf(isOwn ? "octavo" : "eve"),
      sha: sha === "" ? null : sha,
      draft: /^\s*(?:\[draft\]|\(draft\)|draft:)/i.test(shown.title),
      created_at: timeOf(start),
      web_url: `${url}/acme/web/docs/-/merge_requests/${shown.iid}`,
      reviewers: reviewers.map((id) => userOf(people[id - 1] ?? "")),
    };
  }

  function pageOf(items: readonly unknown[], { path, query }: Asked): Answer {
    const [size, page] = [Number(query.get("per_page") ?? 20), Number(query.get("page") ?? 1)];
    const last = Math.ceil(items.length / size);
    const at = (number: number) => `<${url}/api/v4${path}?page=${number}&per_page=${size}>`;
    const link = `${at(page + 1)}; rel="next", ${at(1)}; rel="first", ${at(last)}; rel="last"`;
    return [200, items.slice((page - 1) * size, page * size), page < last ? { link } : {}];
  }

  function stamp(username: string, body: string, system = false): StoredNote {
    clock += 60_000;
    lastNote += 1;
    return { id: lastNote, username, body, system, created_at: timeOf(clock) };
  }

  function find(iid: number): StoredMergeRequest {
    const found = state.mergeRequests.find((one) => one.iid === iid);
    if (!found) throw new Error(`No merge request ${iid}`);
    return found;
  }

  return Object.assign(state, {
    url,
    port: server.port,
    certificate: server.certificate,
    repository: `${url}/acme/web/docs.git`,
    folder,
    exchanges,
    fail: (fault: GitLabFault) => void faults.push({ ...fault, left: fault.times ?? 1 }),
    async addForkMergeRequest(source_branch: string, commit = "main") {
      const { iid } = add({ source_branch, target_branch: "main", source_project_id: 8 });
      await git(folder, "update-ref", `refs/merge-requests/${iid}/head`, commit);
    },
    async end(iid: number, ending: "merged" | "closed", { deletes } = { deletes: false }) {
      const found = find(iid);
      const source = `refs/heads/${found.source_branch}`;
      if (ending === "merged") {
        await git(folder, "update-ref", `refs/heads/${found.target_branch}`, source);
      }
      if (deletes) await git(folder, "update-ref", "-d", source);
      const ended = timeOf(clock);
      const times = ending === "merged" ? { merged_at: ended } : { closed_at: ended };
      Object.assign(found, { state: ending, ...times });
    },
    remark: (iid: number, body: string, { username = "ada", system = false } = {}) =>
      void find(iid).notes.push(stamp(username, body, system)),
    commentOnLine: (
      iid: number,
      {
        body,
        line,
        login,
      }: { readonly body: string; readonly line: number; readonly login: string },
    ) => void find(iid).threads.push([{ ...stamp(login, body), line }]),
    checkExchanges: () => exchanges.map(describe),
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  });
}

function timeOf(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

function userOf(username: string) {
  return { id: people.indexOf(username) + 1, username, name: username, state: "active" };
}

/** Returns a hook as GitLab shows it, which does not tell the token. */
function hookOf(hook: StoredHook | undefined) {
  if (!hook) throw new Error("No hook");
  const { token: _token, ...shown } = hook;
  return { ...shown, project_id: 7 };
}

function discussionsOf({ notes, threads }: StoredMergeRequest): unknown[] {
  const single = notes.map((note) => ({ id: `n${note.id}`, individual_note: true, notes: [noteOf(note)] })); // prettier-ignore
  const onLines = threads.map((thread, at) => ({ id: `d${at}`, individual_note: false, notes: thread.map(noteOf) })); // prettier-ignore
  return [...single, ...onLines];
}

function noteOf(note: StoredNote | undefined) {
  if (!note) throw new Error("No note");
  const { id, username, body, created_at, system, line } = note;
  const position = { position_type: "text", new_path: "guide.mdx", old_path: "guide.mdx", new_line: line }; // prettier-ignore
  return {
    id,
    type: line === undefined ? null : "DiffNote",
    body,
    author: userOf(username),
    created_at,
    updated_at: created_at,
    system,
    ...(line !== undefined && { position }),
  };
}
