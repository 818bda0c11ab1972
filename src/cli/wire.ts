import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createApi } from "../api/index.ts";
import { checkSite } from "../check/index.ts";
import { baseUrlFor, readSecret } from "../config/index.ts";
import type { Config } from "../config/index.ts";
import { OctavoError } from "../core/index.ts";
import { openDatabase } from "../db/index.ts";
import type { Database } from "../db/index.ts";
import { createGit } from "../git/index.ts";
import type { Git } from "../git/index.ts";
import {
  StaticExportChanges,
  createStaticExportWorker,
  createStaticExports,
  openQueue,
  removeExpired,
} from "../jobs/index.ts";
import type { Checkout, JobQueue, RenderSite } from "../jobs/index.ts";
import {
  createKeys,
  createOrganizations,
  createProjects,
  createVault,
  hostedRepository,
} from "../projects/index.ts";
import type { Keys, Organizations, Projects } from "../projects/index.ts";
import { packFolder, renderSite } from "../render/index.ts";
import { createFileStorage } from "../storage/index.ts";
import type { Storage } from "../storage/index.ts";
import { createLogger, createMetrics } from "../telemetry/index.ts";
import type { Logger } from "../telemetry/index.ts";

/** The only place that chooses adapters: everything else is handed what it uses. */

/** What the service knows, without anything that works on it. */
export interface Records extends AsyncDisposable {
  readonly database: Database;
  readonly secret: string;
  readonly organizations: Organizations;
  readonly keys: Keys;
  readonly projects: Projects;
}

/** Opens the database and what is kept in it. Errors as of `openDatabase` and `readSecret`. */
async function openRecords(config: Config, log: Logger): Promise<Records> {
  const secret = await readSecret(config.secret);
  const url = config.database.kind === "postgres" ? config.database.url : undefined;
  const database = await openDatabase({ url, dataDir: config.dataFolder, log });
  const db = database.kysely;
  return {
    database,
    secret,
    organizations: createOrganizations(db),
    keys: createKeys(db),
    projects: createProjects({ db, vault: createVault(secret), allow: config.allow }),
    [Symbol.asyncDispose]: () => database[Symbol.asyncDispose](),
  };
}

/** For a command that ends at once: what it has to say is not in the log. */
export function openRecordsQuietly(config: Config): Promise<Records> {
  return openRecords(config, createLogger({ level: "warn" }));
}

/** Exports that one node works on at the same time: while one fetches or packs, another renders. */
const exportSlots = 2;
const retentionMs = 60 * 60 * 1000;

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
  const records = opening.use(await openRecords(config, log));
  const git = createGit({
    cacheDir: join(config.dataFolder, "git"),
    allow: config.allow,
    log: (message, facts) => log.warn(facts, message),
  });
  await prepare({ records, git });
  const isWorker = config.roles.includes("worker");
  const { database } = records;
  const changes = opening.use(await StaticExportChanges.open(database));
  const queue = opening.use(await openQueue({ database, log, isWorker }));
  const parts: Parts = { config, log, records, git, storage, changes, queue };
  if (isWorker) opening.use(await startWork(parts));
  const isApi = config.roles.includes("api");
  const served = isApi ? opening.use(await startApi(parts)) : undefined;
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
  readonly storage: Storage;
  readonly changes: StaticExportChanges;
  readonly queue: JobQueue;
}

function openStorage({ storage }: Config): Storage {
  if (storage.kind === "fs") return createFileStorage(storage.folder);
  throw new OctavoError(
    "invalid_input",
    "OCTAVO_STORAGE names an S3 bucket, and this version keeps bundles in a folder only; leave it out.",
  );
}

async function startWork(parts: Parts): Promise<Disposable> {
  const { config, log, records, storage, changes, queue } = parts;
  const workDir = join(config.dataFolder, "work");
  const run = createStaticExportWorker({
    database: records.database,
    changes,
    storage,
    checkout: createCheckout(parts),
    renderSite: renderChecked,
    packFolder,
    workDir,
    cacheDir: join(config.dataFolder, "cache", "pages"),
    log,
  });
  await queue.work("static-export", exportSlots, run);
  const days = config.retentionDays;
  const clean = async (): Promise<void> => {
    try {
      const { database } = records;
      await removeExpired({ database, storage, workDir, bundleDays: days, jobDays: days });
    } catch (err) {
      log.error({ err }, "What is too old could not be removed");
    }
  };
  const timer = setInterval(() => void clean(), retentionMs).unref();
  return { [Symbol.dispose]: () => clearInterval(timer) };
}

/** Every export is checked; what is found stands in the bundle's report. */
const renderChecked: RenderSite = (request) => {
  const isPart = request.paths !== undefined;
  return renderSite({ ...request, check: (site, pages) => checkSite(site, pages, { isPart }) });
};

function createCheckout({ config, records, git }: Parts): Checkout {
  return async ({ project, ref, commit, targetDir, signal }) => {
    const { id, directory } = project;
    const credentials = await records.projects.readCredentials(id);
    const isHosted = project.repository === hostedRepository;
    const path = hostedPath(config, id);
    if (isHosted) await git.createRepository(path);
    const repository = isHosted
      ? { path }
      : { url: project.repository, ...(credentials ? { credentials } : {}) };
    const point = commit === null ? { ref: ref ?? undefined } : { commit };
    return await git.checkout({ repository, directory }, point, targetDir, signal);
  };
}

async function startApi(parts: Parts): Promise<AsyncDisposable & { readonly url: string }> {
  const { config, log, records, storage, changes, queue } = parts;
  let { port } = config;
  const api = await createApi({
    database: records.database,
    storage,
    keys: records.keys,
    projects: records.projects,
    staticExports: createStaticExports({ database: records.database, queue, changes }),
    metrics: createMetrics(),
    log,
    secret: records.secret,
    baseUrl: () => baseUrlFor(config, port),
    bundleLinkSeconds: config.bundleLinkSeconds,
    trustedProxies: config.trustedProxies,
  });
  try {
    await api.listen({ host: config.host, port });
  } catch (cause) {
    await api.close();
    throw notListening(config, cause);
  }
  ({ port } = api.server.address() as AddressInfo);
  return {
    url: baseUrlFor(config, port),
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
