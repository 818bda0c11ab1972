import { join } from "node:path";
import { createApi, createOperationsServer, hostedRepositoryUrl } from "../api/index.ts";
import { baseUrlFor, prepareDataFolder, readGitHubApp } from "../config/index.ts";
import type { Config } from "../config/index.ts";
import { OctavoError, isOctavoError } from "../core/index.ts";
import { createGitHubCodeHost, createLocalCodeHost } from "../codehost/index.ts";
import type { CodeHost, LocalCodeHost } from "../codehost/index.ts";
import { createDashboard, previewAddress } from "../dashboard/index.ts";
import { createGit, createGitHosting, createGitWork } from "../git/index.ts";
import type { Git, GitOptions, GitWork } from "../git/index.ts";
import {
  createAgentJobs,
  createAgentWorker,
  createJobAnnouncer,
  createStaticExportWorker,
  createStaticExports,
  createWebhookDeliveries,
  createWebhookWorker,
  openAgentChanges,
  openQueue,
  openStaticExportChanges,
  refreshPullRequests,
  removeExpired,
} from "../jobs/index.ts";
import type {
  AgentChanges,
  Checkout,
  JobAnnouncer,
  JobQueue,
  PackFolder,
  RenderSite,
  StaticExportChanges,
} from "../jobs/index.ts";
import { builtinModels, checkModel, openModel } from "../model/index.ts";
import type { OpenedModel } from "../model/index.ts";
import { createRemoteFetch } from "../net/index.ts";
import type { RenderOptions } from "../render/index.ts";
import { createFileStorage } from "../storage/index.ts";
import type { Storage } from "../storage/index.ts";
import { createMetrics } from "../telemetry/index.ts";
import type { Logger, Metrics } from "../telemetry/index.ts";
import { listen } from "./listen.ts";
import { openRecords } from "./records.ts";
import type { Records } from "./records.ts";

/** The only place that chooses adapters: everything else is handed what it uses. */

/** Exports that one node works on at the same time: while one fetches or packs, another renders. */
const exportSlots = 2;
/** Agent jobs mostly wait for their models. */
const agentSlots = 4;
/** Messages to webhooks mostly wait for their receivers. */
const webhookSlots = 4;
const retentionMs = 60 * 60 * 1000;
/** For so long a job says that its bundle is gone (410), before nothing is known of it (404). */
const jobsOutliveBundlesDays = 60;
/** How often open pull requests are looked at. */
const pullRequestsMs = 60 * 1000;
/** A diff that is longer is of no use to a person. */
const diffBytes = 8 * 1024 * 1024;
/** Branches that the service pushes. */
const ownBranches = "octavo/";
/** Whoever looks at the history sees that the service made it. */
const author = { name: "Octavo", email: "octavo@localhost" };

/** A node of the service, at work in its roles until it is disposed of. */
export interface Node extends AsyncDisposable {
  readonly records: Records;
  readonly git: Git;
  /** Where it takes requests, as seen from outside; undefined without the role `api`. */
  readonly url: string | undefined;
  /** Where it tells its health and its metrics; undefined where another program has the port. */
  readonly operationsUrl: string | undefined;
}

/** Where a project's hosted repository lies. */
export function hostedPath({ dataFolder }: Config, projectId: string): string {
  return join(dataFolder, "repositories", `${projectId}.git`);
}

/**
 * Starts a node. `prepare` runs when the database is open and before anything is served. Disposing it
 * stops taking requests and gives running jobs back.
 */
export async function openNode(
  config: Config,
  log: Logger,
  prepare: (node: Pick<Node, "records" | "git">) => Promise<void>,
): Promise<Node> {
  await using opening = new AsyncDisposableStack();
  const storage = openStorage(config);
  refuseUnknownModel(config);
  const isWorker = config.roles.includes("worker");
  const github = isWorker ? await openGitHub(config) : undefined;
  await prepareDataFolder(config.dataFolder);
  const records = opening.use(await openRecords(config, log));
  const gitOptions: GitOptions = {
    cacheDir: join(config.dataFolder, "git"),
    allow: config.allow,
    log: (message, facts) => log.warn(facts, message),
  };
  const git = createGit(gitOptions);
  await prepare({ records, git });
  const { database } = records;
  const changes = opening.use(await openStaticExportChanges(database));
  const agentChanges = opening.use(await openAgentChanges(database));
  const queue = opening.use(await openQueue({ database, log, isWorker }));
  const address = { port: config.port };
  const gitWork = createGitWork(gitOptions);
  const localHost = createLocalCodeHost({
    db: database.kysely,
    hosting: createGitHosting(gitOptions),
    work: gitWork,
    repositoriesDir: join(config.dataFolder, "repositories"),
    pullRequestUrl: (projectId, number) =>
      `${baseUrlFor(config, address.port)}/projects/${projectId}/pulls/${number}`,
    author,
  });
  const hosts = { git, gitWork, localHost };
  const announcer = createJobAnnouncer({
    queue,
    repositoryUrl: (id) => hostedRepositoryUrl(baseUrlFor(config, address.port), id),
  });
  const parts: Parts = {
    config,
    log,
    records,
    ...hosts,
    storage,
    changes,
    agentChanges,
    queue,
    announcer,
    metrics: createMetrics(),
    address,
  };
  // First, or a job that goes on at once would not know the port that its links lead to.
  const isApi = config.roles.includes("api");
  const served = isApi ? opening.use(await startApi(parts)) : undefined;
  if (github) opening.use(await startWork(parts, { local: localHost, github }));
  const observed = isApi ? undefined : opening.use(await startOperations(parts));
  const opened = opening.move();
  return {
    records,
    git,
    url: served?.url,
    operationsUrl: (served ?? observed)?.url,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

interface Parts {
  readonly config: Config;
  readonly log: Logger;
  readonly records: Records;
  readonly git: Git;
  readonly gitWork: GitWork;
  readonly localHost: LocalCodeHost;
  readonly storage: Storage;
  readonly changes: StaticExportChanges;
  readonly agentChanges: AgentChanges;
  readonly queue: JobQueue;
  readonly announcer: JobAnnouncer;
  readonly metrics: Metrics;
  /** The port that requests are taken on, when it is known. */
  readonly address: { port: number };
}

function openStorage({ storage }: Config): Storage {
  if (storage.kind === "fs") return createFileStorage(storage.folder);
  throw new OctavoError(
    "invalid_input",
    "The storage is an S3 bucket, and this version keeps bundles in the data folder only; leave OCTAVO_STORAGE and --storage out.",
  );
}

function refuseUnknownModel({ model, models }: Config): void {
  try {
    checkModel(model, { ...models, builtin: builtinModels });
  } catch (error) {
    if (!isOctavoError(error)) throw error;
    throw new OctavoError("invalid_input", `OCTAVO_MODEL: ${error.message}`, { cause: error });
  }
}

async function openGitHub({ allow, github: { apiUrls, app } }: Config): Promise<CodeHost> {
  return createGitHubCodeHost({ allow, apiUrls, ...(app && { app: await readGitHubApp(app) }) });
}

interface CodeHosts {
  readonly local: CodeHost;
  readonly github: CodeHost;
}

async function startWork(parts: Parts, codeHosts: CodeHosts): Promise<Disposable> {
  const { config, log, records, storage, changes, queue } = parts;
  const workDir = join(config.dataFolder, "work");
  const run = createStaticExportWorker({
    database: records.database,
    announcer: parts.announcer,
    changes,
    storage,
    checkout: createCheckout(parts, codeHosts),
    renderSite: createRenderSite(config),
    packFolder,
    workDir,
    cacheDir: join(config.dataFolder, "cache", "pages"),
    log,
    metrics: parts.metrics,
  });
  await queue.work("static-export", exportSlots, run);
  await startWebhooks(parts);
  const refresh = await startAgents(parts, { codeHosts, workDir });
  const bundleDays = config.retentionDays;
  const jobDays = bundleDays + jobsOutliveBundlesDays;
  const { database } = records;
  const clean = () => removeExpired({ database, storage, workDir, bundleDays, jobDays });
  return repeat(log, [
    { everyMs: retentionMs, task: clean, failed: "What is too old could not be removed" },
    { everyMs: pullRequestsMs, task: refresh, failed: "Pull requests could not be looked at" },
  ]);
}

async function startWebhooks({ config, log, records, queue, metrics }: Parts): Promise<void> {
  const { database, webhooks } = records;
  const { allow } = config;
  const run = createWebhookWorker({ database, queue, webhooks, allow, log, metrics });
  await queue.work("webhook", webhookSlots, run);
}

/** Works on agent jobs; gives what looks at their pull requests from time to time. */
async function startAgents(
  parts: Parts,
  { codeHosts, workDir }: { readonly codeHosts: CodeHosts; readonly workDir: string },
): Promise<() => Promise<void>> {
  const { config, log, records, git, gitWork, agentChanges, queue, address } = parts;
  const { database, projects } = records;
  const readCredentials = (projectId: string) => projects.readCredentials(projectId);
  const run = createAgentWorker({
    database,
    announcer: parts.announcer,
    changes: agentChanges,
    git,
    gitWork,
    codeHosts,
    openModel: (name) => openConfiguredModel(config, name),
    readCredentials,
    queue,
    previewUrl: (branch, page) => previewAddress(baseUrlFor(config, address.port), branch, page),
    limits: config.agent,
    author,
    diffBytes,
    workDir,
    cacheDir: join(config.dataFolder, "cache", "pages"),
    log,
    metrics: parts.metrics,
  });
  await queue.work("agent", agentSlots, run);
  return () => refreshPullRequests({ database, gitWork, codeHosts, readCredentials, log });
}

/** Opens a model with the keys and addresses that the operator gave. */
export function openConfiguredModel(config: Config, name: string): Promise<OpenedModel> {
  return openModel(name, { ...config.models, allow: config.allow, builtin: builtinModels });
}

interface Repeated {
  readonly everyMs: number;
  readonly task: () => Promise<unknown>;
  /** For the log. */
  readonly failed: string;
}

function repeat(log: Logger, tasks: readonly Repeated[]): Disposable {
  const timers = tasks.map(({ everyMs, task, failed }) => {
    const run = () => void task().catch((err: unknown) => log.error({ err }, failed));
    return setInterval(run, everyMs).unref();
  });
  return {
    [Symbol.dispose]() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}

const packFolder: PackFolder = async (...folder) => {
  const { packFolder: pack } = await import("../render/index.ts");
  return await pack(...folder);
};

/**
 * Every export is checked; what is found stands in the bundle's report. The renderer is loaded with the
 * first one: it would make each start 0.1 s longer.
 */
function createRenderSite({ allow, remoteMedia }: Config): RenderSite {
  const fetchRemote = createRemoteFetch({ allow });
  return async (request) => {
    const { renderSite } = await import("../render/index.ts");
    const { checkSite } = await import("../check/index.ts");
    const isPart = request.paths !== undefined;
    const check: RenderOptions["check"] = (site, pages) => checkSite(site, pages, { isPart });
    return renderSite({ ...request, remoteMedia, fetchRemote, check });
  };
}

function createCheckout({ records, git }: Parts, codeHosts: CodeHosts): Checkout {
  return async ({ project, ref, commit, targetDir, signal }) => {
    const { id, repository: address, directory, codeHost } = project;
    const host = codeHosts[codeHost];
    const credentials = await records.projects.readCredentials(id);
    const read = { id, repository: address, credentials };
    // The service's own branches are where it pushes them, which may be a copy of the repository.
    const repository = ref?.startsWith(ownBranches)
      ? await host.pushTarget(read, signal)
      : await host.readSource(read, signal);
    const point = commit === null ? { ref: ref ?? undefined } : { commit };
    return await git.checkout({ repository, directory }, point, targetDir, signal);
  };
}

async function startApi(parts: Parts): Promise<AsyncDisposable & { readonly url: string }> {
  const { config, log, records, storage, agentChanges, address } = parts;
  const { database } = records;
  const { queue, changes, announcer } = parts;
  const shared = {
    storage,
    keys: records.keys,
    projects: records.projects,
    webhooks: records.webhooks,
    webhookDeliveries: createWebhookDeliveries(database),
    staticExports: createStaticExports({ database, queue, changes, announcer }),
    agentJobs: createAgentJobs({
      database,
      queue,
      changes: agentChanges,
      announcer,
      model: config.model,
    }),
    localHost: parts.localHost,
    secret: records.secret,
    baseUrl: () => baseUrlFor(config, address.port),
  };
  const api = await createApi({
    ...shared,
    database,
    metrics: parts.metrics,
    log,
    pages: createDashboard({ ...shared, cacheDir: join(config.dataFolder, "cache") }),
    bundleLinkSeconds: config.bundleLinkSeconds,
    trustedProxies: config.trustedProxies,
  });
  address.port = await listen(api, config);
  return {
    url: baseUrlFor(config, address.port),
    [Symbol.asyncDispose]: () => api.close(),
  };
}

/**
 * Health and metrics of a node that works on jobs alone. It works without them where another program has
 * the port, as the API of the same machine may.
 */
async function startOperations(
  parts: Parts,
): Promise<(AsyncDisposable & { readonly url: string }) | undefined> {
  const { config, log, records, storage, metrics } = parts;
  const { database } = records;
  const { host, trustedProxies } = config;
  const server = await createOperationsServer({ database, storage, metrics, log, trustedProxies });
  try {
    const port = await listen(server, config);
    // Not the address of the service, which is another node's.
    const url = baseUrlFor({ host, baseUrl: undefined }, port);
    return { url, [Symbol.asyncDispose]: () => server.close() };
  } catch (err) {
    log.warn({ err }, "Health and metrics of this worker are not served");
    return undefined;
  }
}
