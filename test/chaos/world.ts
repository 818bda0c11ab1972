import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { Client } from "pg";
import type { QueryResultRow } from "pg";
import { setTimeout as wait } from "node:timers/promises";
import { git, openAuthor, serveFixture } from "../support/git-fixture.ts";
import { startGitHub } from "../support/github-stand-in.ts";
import type { GitHubStandIn } from "../support/github-stand-in.ts";
import { startModelServer } from "../support/model-server.ts";
import type { ModelServer } from "../support/model-server.ts";
import { patienceMs } from "../support/patience.ts";
import { startPostgres } from "../support/postgres.ts";
import type { TestPostgres } from "../support/postgres.ts";
import { startS3 } from "../support/s3-stand-in.ts";
import type { S3StandIn } from "../support/s3-stand-in.ts";
import { scriptedAgent } from "../support/scripted-agent.ts";
import { startWebhookReceiver } from "../support/webhook-receiver.ts";
import type { WebhookReceiver } from "../support/webhook-receiver.ts";
import { superviseNode } from "./node-process.ts";
import type { SupervisedNode } from "./node-process.ts";
import { observeJobs } from "./observer.ts";
import { startTcpProxy } from "../support/tcp-proxy.ts";
import type { TcpProxy } from "../support/tcp-proxy.ts";
import { mountSmallDisk } from "./small-disk.ts";
import type { SmallDisk } from "./small-disk.ts";
import { siteFiles } from "./sites.ts";

/** The services of the test itself that fail at a moment. */
export interface Failing {
  model: boolean;
  codeHost: boolean;
}

/** Nodes without a common folder, and all that they need. */
export interface World extends AsyncDisposable {
  readonly folder: string;
  readonly apis: readonly SupervisedNode[];
  readonly workers: readonly SupervisedNode[];
  readonly nodes: readonly SupervisedNode[];
  readonly postgres: TestPostgres;
  readonly databaseUrl: string;
  /** Between each node and PostgreSQL, in the order of `nodes`. */
  readonly databaseProxies: readonly TcpProxy[];
  readonly storage: S3StandIn;
  readonly storageProxy: TcpProxy;
  readonly model: ModelServer;
  readonly github: GitHubStandIn;
  readonly gitHubProxy: TcpProxy;
  /** The bare repository of `github`. */
  readonly gitHubRepository: string;
  readonly receiver: WebhookReceiver;
  /** The disk of the last worker; undefined if the system does not allow mounting one. */
  readonly smallDisk: SmallDisk | undefined;
  readonly failing: Failing;
  readonly key: string;
  /** Addresses of repositories that others host. */
  readonly outside: { readonly plain: string; readonly github: string };
  /** Runs a statement on the test's own connection, again until the server takes it. */
  query<Row extends QueryResultRow>(text: string, values?: readonly unknown[]): Promise<Row[]>;
}

const token = "ghp_of_the_project";
/** The domain of the sites. */
export const sitesDomain = "sites.example";

export interface WorldOptions {
  readonly folder: string;
  /** Where nodes write their logs. */
  readonly logs: string;
  /** Names that begin with `api` or `worker`. The data folder of `worker-3` is a small disk. */
  readonly names: readonly string[];
  readonly nodeArgs?: readonly string[];
  /** Beside what nodes need. */
  readonly env?: Readonly<Record<string, string>>;
}

export async function openWorld(options: WorldOptions): Promise<World> {
  const { folder, logs, names, nodeArgs = [], env: ownEnv = {} } = options;
  await using opening = new AsyncDisposableStack();
  const failing: Failing = { model: false, codeHost: false };
  const postgres = opening.use(await startPostgres());
  const databaseUrl = await postgres.createDatabase();
  const storage = opening.use(await startS3({ pageSize: 1_000 }));
  const storageProxy = opening.use(await startTcpProxy(Number(new URL(storage.url).port)));
  const model = opening.use(
    await startModelServer((request) =>
      failing.model ? { status: 503, message: "Overloaded." } : scriptedAgent(request),
    ),
  );
  const receiver = opening.use(await startWebhookReceiver());
  const hosts = opening.use(await openCodeHosts(folder, failing));
  const hasSmallDisk = names.includes("worker-3");
  const smallDisk = hasSmallDisk ? await mountSmallDisk(join(folder, "worker-3")) : undefined;
  if (smallDisk) opening.use(smallDisk);

  const env = {
    ...storage.environment,
    OCTAVO_S3_ENDPOINT: `http://127.0.0.1:${storageProxy.port}`,
    OCTAVO_SECRET: "one secret for all nodes of the test",
    OCTAVO_ALLOW: "127.0.0.1",
    OCTAVO_MODEL_URL: `${model.url}/v1`,
    OCTAVO_GITHUB_HOSTS: `127.0.0.1=http://127.0.0.1:${hosts.gitHubProxy.port}/api/v3`,
    NODE_EXTRA_CA_CERTS: hosts.certificate,
    OCTAVO_SITES_DOMAIN: sitesDomain,
    OCTAVO_EXPORT_SLOTS: "1",
    OCTAVO_AGENT_SLOTS: "2",
    // Of the small disk a part.
    OCTAVO_MIN_FREE_MB: "20",
    ...ownEnv,
    ...(process.env["NODE_COMPILE_CACHE"] && {
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
    }),
  };
  const nodes: SupervisedNode[] = [];
  const databaseProxies: TcpProxy[] = [];
  for (const name of names) {
    const proxy = opening.use(await startTcpProxy(Number(new URL(databaseUrl).port)));
    databaseProxies.push(proxy);
    const url = new URL(databaseUrl);
    url.port = String(proxy.port);
    url.searchParams.set("application_name", name);
    const isWorker = name.startsWith("worker");
    const data = join(folder, name);
    const given = { name, isWorker, data, logs, nodeArgs, env: { ...env, DATABASE_URL: url.href } };
    nodes.push(opening.use(await superviseNode(given)));
  }
  const [first, ...others] = nodes;
  if (!first) throw new Error("There is no node.");
  await first.start();
  await Promise.all(others.map((node) => node.start()));
  await observeJobs(databaseUrl);
  const opened = opening.move();
  return {
    folder,
    nodes,
    apis: nodes.filter(({ isWorker }) => !isWorker),
    workers: nodes.filter(({ isWorker }) => isWorker),
    postgres,
    databaseUrl,
    databaseProxies,
    storage,
    storageProxy,
    model,
    github: hosts.github,
    gitHubProxy: hosts.gitHubProxy,
    gitHubRepository: hosts.gitHubRepository,
    receiver,
    smallDisk,
    failing,
    key: (await readFile(join(first.data, "admin-key"), "utf8")).trim(),
    outside: hosts.addresses,
    query: (text, values) => queryUntilAnswered(databaseUrl, text, values),
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

interface CodeHosts extends AsyncDisposable {
  readonly github: GitHubStandIn;
  readonly gitHubProxy: TcpProxy;
  readonly gitHubRepository: string;
  /** A file. */
  readonly certificate: string;
  readonly addresses: World["outside"];
}

/** A server of git that anybody may read, and a GitHub. */
async function openCodeHosts(folder: string, failing: Failing): Promise<CodeHosts> {
  await using opening = new AsyncDisposableStack();
  const root = join(folder, "outside");
  for (const name of ["plain.git", "acme/docs.git"]) {
    const author = await openAuthor(join(folder, `author-${randomUUID()}`));
    await author.commit(siteFiles("outside"));
    await mkdir(join(root, name, ".."), { recursive: true });
    await git(folder, "clone", "--quiet", "--bare", author.folder, join(root, name));
  }
  const intercept: Parameters<typeof serveFixture>[0]["intercept"] = (_request, response) => {
    if (failing.codeHost) response.writeHead(503).end("Unicorn");
    return failing.codeHost;
  };
  const login = { user: "x-access-token", password: token };
  const secure = opening.use(await serveFixture({ root, login, isSecure: true, intercept }));
  const certificate = join(folder, "certificate.pem");
  await writeFile(certificate, secure.certificate);
  const repository = join(root, "acme/docs.git");
  const github = opening.use(await startGitHub({ token, repository }));
  const gitHubProxy = opening.use(await startTcpProxy(github.port));
  const opened = opening.move();
  return {
    github,
    gitHubProxy,
    gitHubRepository: repository,
    certificate,
    addresses: { plain: `${secure.url}/plain.git`, github: `${secure.url}/acme/docs.git` },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

export const gitHubToken = token;

async function queryUntilAnswered<Row extends QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<Row[]> {
  for (const end = Date.now() + patienceMs; ;) {
    const client = new Client({ connectionString: url, application_name: "test" });
    // A connection that breaks fails its statement, too.
    client.on("error", () => undefined);
    try {
      await client.connect();
      return (await client.query<Row>(text, [...values])).rows;
    } catch (error) {
      if (Date.now() > end) throw error;
      await wait(200);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}
