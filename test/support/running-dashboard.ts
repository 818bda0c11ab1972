import { join } from "node:path";
import { openNode } from "../../packages/octavo/src/node/index.ts";
import type { Node } from "../../packages/octavo/src/node/index.ts";
import type { CodeHost } from "../../packages/octavo/src/codehost/index.ts";
import { loadConfig } from "../../packages/octavo/src/config/index.ts";
import type { Project } from "../../packages/octavo/src/projects/index.ts";
import { createLogger } from "../../packages/octavo/src/telemetry/index.ts";
import { putEmptyDatabase } from "./empty-database.ts";
import { openAuthor } from "./git-fixture.ts";
import type { Author } from "./git-fixture.ts";
import { patienceMs } from "./patience.ts";
import { temporaryFolder } from "./temporary-folder.ts";

/** A whole node of the service, and what a test needs to fill it. */
export interface RunningDashboard extends AsyncDisposable {
  readonly url: string;
  readonly node: Node;
  readonly codeHost: CodeHost;
  readonly log: () => string;
  /** An organization with one key. */
  openOrganization(name?: string): Promise<{ readonly id: string; readonly key: string }>;
  /** A project whose repository the service keeps, with one commit of a small site, and its author. */
  addProject(organizationId: string, name?: string): Promise<HostedProject>;
  browse(): Visitor;
}

export interface HostedProject {
  readonly project: Project;
  readonly author: Author;
  /** Commits on `main` and brings it to the service. */
  pushMain(files: Readonly<Record<string, string>>): Promise<void>;
  /** Commits on a branch off `main` and brings it to the service, in place of what is there. */
  pushBranch(name: string, files: Readonly<Record<string, string>>): Promise<void>;
  openPullRequest(
    branch: string,
    wanted?: { title?: string; body?: string; isDraft?: boolean },
  ): Promise<number>;
}

export interface Visit {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A browser without scripts: stores cookies, follows nothing by itself. */
export interface Visitor {
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<Visit>;
  /** Sends a form as a page of the dashboard does, unless `headers` say otherwise. */
  post(
    path: string,
    form?: Readonly<Record<string, string>>,
    headers?: Readonly<Record<string, string>>,
  ): Promise<Visit>;
  signIn(key: string): Promise<Visitor>;
}

const site = {
  "docs.json": JSON.stringify({
    $schema: "https://mintlify.com/docs.json",
    theme: "mint",
    name: "Small",
    colors: { primary: "#8a3b12" },
    navigation: { pages: ["index", "guide"] },
  }),
  "index.mdx": "---\ntitle: Welcome\n---\n\nRead the [guide](/guide) or [nothing](/nowhere).\n",
  "guide.mdx": "---\ntitle: Guide\n---\n\n## First\n\nWords.\n",
};

export async function openDashboard(
  env: Readonly<Record<string, string>> = {},
): Promise<RunningDashboard> {
  await using opening = new AsyncDisposableStack();
  const folder = opening.use(await temporaryFolder());
  const lines: string[] = [];
  const log = createLogger({ level: "debug", destination: { write: (line) => lines.push(line) } });
  const config = loadConfig({
    env: { OCTAVO_PORT: "0", OCTAVO_DATA: join(folder.path, "data"), ...env },
    cwd: folder.path,
  });
  await putEmptyDatabase(config.dataFolder);
  const node = opening.use(
    await openNode({ config, log, version: "0.0.0-test", prepare: async () => undefined }),
  );
  const url = addressIn(lines);
  const codeHost = node.localHost;
  const opened = opening.move();
  let names = 0;
  return {
    url,
    node,
    codeHost,
    log: () => lines.join(""),
    async openOrganization(name = "Acme") {
      const { id } = await node.records.organizations.create(name, "enterprise");
      const { secret } = await node.records.keys.create(
        { organizationId: id, projectId: null },
        "Ada's key",
      );
      return { id, key: secret };
    },
    async addProject(organizationId, name = "Docs") {
      names += 1;
      const project = await node.records.projects.create(organizationId, {
        name,
        domain: `docs${names}.acme.example`,
        repository: "local",
      });
      const scope = { organizationId, projectId: project.id };
      const { secret } = await node.records.keys.create(scope, "Author's key");
      const address = new URL(`/git/${project.id}.git`, url);
      address.username = "author";
      address.password = secret;
      const repository = address.href;
      const author = await openAuthor(join(folder.path, `author${names}`));
      await author.commit(site);
      await author.git("push", "--quiet", repository, "main");
      return hostedProject({ project, author, repository, codeHost });
    },
    browse: () => createVisitor(url),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Where it takes requests by its log: the service may have been told that it has another address. */
function addressIn(log: readonly string[]): string {
  const address = /Server listening at (http:\/\/[^"\s]+)/.exec(log.join(""))?.[1];
  if (address === undefined) throw new Error("The service does not say where it takes requests.");
  return address;
}

function hostedProject(made: {
  readonly project: Project;
  readonly author: Author;
  readonly repository: string;
  readonly codeHost: CodeHost;
}): HostedProject {
  const { project, author, repository, codeHost } = made;
  return {
    project,
    author,
    async pushMain(files) {
      await author.commit(files);
      await author.git("push", "--quiet", repository, "main");
    },
    async pushBranch(name, files) {
      await author.git("checkout", "--quiet", "-B", "work", "main");
      await author.commit(files);
      await author.git("push", "--quiet", "--force", repository, `work:refs/heads/${name}`);
      await author.git("checkout", "--quiet", "main");
    },
    async openPullRequest(branch, given = {}) {
      const texts = { title: "Mend links", body: "One link." };
      const wanted = { ...texts, ...given, head: branch, base: "main" };
      return (await codeHost.create(project, wanted)).number;
    },
  };
}

export function createVisitor(url: string): Visitor {
  const cookies = new Map<string, { readonly pair: string; readonly path: string }>();
  async function send(path: string, init: RequestInit): Promise<Visit> {
    const headers = new Headers(init.headers);
    const sent = [...cookies.values()].filter((cookie) => path.startsWith(cookie.path));
    if (sent.length > 0) headers.set("cookie", sent.map(({ pair }) => pair).join("; "));
    const answer = await fetch(new URL(path, url), { ...init, headers, redirect: "manual" });
    for (const set of answer.headers.getSetCookie()) {
      const [pair = ""] = set.split(";");
      const [, below = "/"] = /; Path=([^;]+)/.exec(set) ?? [];
      cookies.set(`${pair.slice(0, pair.indexOf("="))} ${below}`, { pair, path: below });
    }
    return { status: answer.status, headers: answer.headers, text: await answer.text() };
  }
  const visitor: Visitor = {
    get: (path, headers = {}) => send(path, { headers }),
    post: (path, form = {}, headers = { "sec-fetch-site": "same-origin" }) =>
      send(path, { method: "POST", headers, body: new URLSearchParams(form) }),
    async signIn(key) {
      const { status, text } = await visitor.post("/signin", { key });
      if (status !== 303) throw new Error(`The sign-in answered ${status}: ${text}`);
      return visitor;
    },
  };
  return visitor;
}

/** Asks until the page says so. */
export async function waitFor(
  visitor: Visitor,
  path: string,
  isReached: (visit: Visit) => boolean,
): Promise<Visit> {
  const until = Date.now() + patienceMs;
  for (;;) {
    const visit = await visitor.get(path);
    if (isReached(visit)) return visit;
    if (Date.now() > until) throw new Error(`${path} never got there:\n${visit.text}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
