import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createApi, hostedRepositoryUrl } from "../api/index.ts";
import { checkSite } from "../check/index.ts";
import { baseUrlFor, prepareDataFolder, readSecret } from "../config/index.ts";
import type { Config } from "../config/index.ts";
import { OctavoError } from "../core/index.ts";
import { openDatabase } from "../db/index.ts";
import type { Database } from "../db/index.ts";
import { createGitHubCodeHost, createLocalCodeHost } from "../codehost/index.ts";
import type { CodeHost, LocalCodeHost } from "../codehost/index.ts";
import { createDashboard, previewAddress } from "../dashboard/index.ts";
import { createGit, createGitHosting, createGitWork } from "../git/index.ts";
import type { Git, GitOptions, GitWork, Repository } from "../git/index.ts";
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
  CheckoutProject,
  CheckoutRequest,
  JobAnnouncer,
  JobQueue,
  RenderSite,
  StaticExportChanges,
} from "../jobs/index.ts";
import { builtinModels, openModel } from "../model/index.ts";
import type { OpenedModel } from "../model/index.ts";
import {
  createKeys,
  createOrganizations,
  createProjects,
  createVault,
  createWebhooks,
  hostedRepository,
} from "../projects/index.ts";
import type { Keys, Organizations, Projects, Webhooks } from "../projects/index.ts";
import { createRemoteFetch } from "../net/index.ts";
import { packFolder, renderSite } from "../render/index.ts";
import type { RenderOptions } from "../render/index.ts";
import { createFileStorage } from "../storage/index.ts";
import type { Storage } from "../storage/index.ts";
import { createLogger, createMetrics } from "../telemetry/index.ts";
import type { Logger, Metrics } from "../telemetry/index.ts";

/** The only place that chooses adapters: everything else is handed what it uses. */

/** What the service knows, without anything that works on it. */
export interface Records extends AsyncDisposable {
  readonly database: Database;
  readonly secret: string;
  readonly organizations: Organizations;
  readonly keys: Keys;
  readonly projects: Projects;
  readonly webhooks: Webhooks;
}

/** Opens the database and what is kept in it. Errors as of `openDatabase` and `readSecret`. */
async function openRecords(config: Config, log: Logger): Promise<Records> {
  const secret = await readSecret(config.secret);
  const url = config.database.kind === "postgres" ? config.database.url : undefined;
  const database = await openDatabase({ url, dataDir: config.dataFolder, log });
  const db = database.kysely;
  const checked = { db, vault: createVault(secret), allow: config.allow };
  return {
    database,
    secret,
    organizations: createOrganizations(db),
    keys: createKeys(db),
    projects: createProjects(checked),
    webhooks: createWebhooks(checked),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** For a command that ends at once: what it has to say is not in the log. */
export async function openRecordsQuietly(config: Config): Promise<Records> {
  if (config.database.kind === "embedded") await prepareDataFolder(config.dataFolder);
  return openRecords(config, createLogger({ level: "warn" }));
}

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
  await prepareDataFolder(config.dataFolder);
  const records = opening.use(await openRecords(config, log));
  const gitOptions: GitOptions = {
    cacheDir: join(config.dataFolder, "git"),
    allow: config.allow,
    log: (message, facts) => log.warn(facts, message),
  };
  const git = createGit(gitOptions);
  await prepare({ records, git });
  const isWorker = config.roles.includes("worker");
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
  if (isWorker) opening.use(await startWork(parts));
  const opened = opening.move();
  return {
    records,
    git,
    url: served?.url,
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

async function startWork(parts: Parts): Promise<Disposable> {
  const { config, log, records, storage, changes, queue } = parts;
  const workDir = join(config.dataFolder, "work");
  const github = createGitHubCodeHost({ allow: config.allow });
  const codeHosts: CodeHosts = { local: parts.localHost, github };
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

/** Every export is checked; what is found stands in the bundle's report. */
function createRenderSite({ allow, remoteMedia }: Config): RenderSite {
  const fetchRemote = createRemoteFetch({ allow });
  return (request) => {
    const isPart = request.paths !== undefined;
    const check: RenderOptions["check"] = (site, pages) => checkSite(site, pages, { isPart });
    return renderSite({ ...request, remoteMedia, fetchRemote, check });
  };
}

type CodeHosts = Readonly<Record<CheckoutProject["codeHost"], CodeHost>>;

function createCheckout({ config, records, git }: Parts, codeHosts: CodeHosts): Checkout {
  async function repositoryOf(
    { id, repository: url, codeHost }: CheckoutProject,
    { ref, signal }: Pick<CheckoutRequest, "ref" | "signal">,
  ): Promise<Repository> {
    if (url === hostedRepository) {
      const path = hostedPath(config, id);
      await git.createRepository(path);
      return { path };
    }
    const credentials = await records.projects.readCredentials(id);
    const repository = { url, ...(credentials && { credentials }) };
    if (!ref?.startsWith(ownBranches)) return repository;
    // The service's own branches are where it pushes them, which may be a copy of the repository.
    return await codeHosts[codeHost].pushTarget({ id, repository: url, credentials }, signal);
  }
  return async ({ project, ref, commit, targetDir, signal }) => {
    const { directory } = project;
    const repository = await repositoryOf(project, { ref, signal });
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
  try {
    await api.listen({ host: config.host, port: config.port });
  } catch (cause) {
    await api.close();
    throw notListening(config, cause);
  }
  address.port = (api.server.address() as AddressInfo).port;
  return {
    url: baseUrlFor(config, address.port),
    [Symbol.asyncDispose]: () => api.close(),
  };
}

function notListening({ host, port }: Config, cause: unknown): OctavoError {
  const reasons: Readonly<Record<string, string>> = {
    EADDRINUSE: "another program has it; choose one by --port, or 0 for any that is free",
    EACCES: "the system does not allow it to this user",
    EADDRNOTAVAIL: "this machine has no such address",
    ENOTFOUND: "this machine has no such address",
  };
  const code = (cause as NodeJS.ErrnoException).code ?? "";
  const reason = reasons[code] ?? `the system refused it (${code})`;
  const message = `Octavo cannot take requests on ${host}, port ${port}: ${reason}.`;
  return new OctavoError("unavailable", message, { cause });
}
