import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { createTimeoutSignal, isOctavoError } from "@octavo/site/core";
import { createApi, createOperationsServer } from "../api/index.ts";
import { getBaseUrl, type Config } from "../config/index.ts";
import { createDashboard, type OperatorView } from "../dashboard/index.ts";
import {
  createAgentJobs,
  createJobLookup,
  createRepositoryInspector,
  createStaticExports,
  createUploads,
  createWebhookDeliveries,
  createWebhookSender,
  deliveryRetentionDays,
  openProcessFolder,
  readWorkState,
} from "../jobs/index.ts";
import { createActiveProjects, createOperatorLookup, createVault } from "../projects/index.ts";
import type { InspectionRequest, Uploads } from "../jobs/index.ts";
import type { DiskSpace } from "../core/index.ts";
import type { Database } from "../db/index.ts";
import type { Storage } from "../storage/index.ts";
import type { GaugeReadings, Logger } from "../telemetry/index.ts";
import { createSignIns, type SignIns } from "../people/index.ts";
import { createHooks, type HookHosts, type Hooks } from "../publish/index.ts";
import type { CodeHost } from "../codehost/index.ts";
import { openCodeHosts } from "./code-hosts.ts";
import { createListenError } from "./listen-error.ts";
import { createManual } from "./manual.ts";
import type { ServedSites } from "./open-sites.ts";
import { createNodeDifferences, createSiteCopies } from "./open-differences.ts";
import type { NodeBase, NodeParts } from "./node-parts.ts";
import { getRetention } from "./retention.ts";
import type { Records } from "./records.ts";

/** A server that accepts requests until it is disposed, and its address. */
type RunningServer = AsyncDisposable & { readonly url: string };

/** The time limit for registering a hook, because a person waits for the result. */
const hookTimeoutMs = 20_000;

/** Starts the API and the dashboard. */
export async function startApi(
  parts: NodeParts,
  sites: ServedSites | undefined,
): Promise<RunningServer> {
  await using resources = new AsyncDisposableStack();
  const { config, log, records, storage, space, address, queue, metrics } = parts;
  const { database } = records;
  const { quotas } = config;
  const inspection = await createInspection(parts);
  const health = {
    readGauges: () => readGauges({ database, space, log }),
    checkReady: () => checkReady({ database, storage, space, sites }),
  };
  const sharedOptions = {
    storage,
    keys: records.keys,
    projects: records.projects,
    webhooks: records.webhooks,
    domains: records.domains,
    siteReaders: parts.siteReaders,
    audit: records.audit,
    members: records.members,
    sessions: records.sessions,
    webhookDeliveries: createWebhookDeliveries(database),
    webhookSender: createWebhookSender({ database, queue }),
    ...createJobOperations(parts),
    deployments: parts.deployments,
    publishedSites: parts.publishedSites,
    hooks: createProjectHooks(parts, inspection.findCodeHost),
    uploads: resources.use(await openUploads(parts)),
    hosting: parts.hosting,
    pullRequests: parts.pullRequests,
    reviews: parts.reviews,
    secret: records.secret,
    baseUrl: () => getBaseUrl(config, address.port),
  };
  const api = await createApi({
    ...sharedOptions,
    database,
    space,
    quotas,
    metrics,
    metricsToken: config.metricsToken,
    ...health,
    log,
    pages: createDashboard({
      ...sharedOptions,
      listActiveProjects: createActiveProjects(database.kysely),
      findJobs: createJobLookup(database.kysely),
      inspectRepository: createRepositoryInspector(inspection),
      isolation: parts.isolation,
      differences: resources.use(
        createNodeDifferences(parts, resources.use(createSiteCopies(parts))),
      ),
      cacheDir: join(config.dataFolder, "cache"),
      previewUrl: config.previewUrl,
      signIns: createProviderSignIns(config, records, address),
      operator: { ...health, ...createOperatorView(parts, database) },
    }),
    openManual: resources.use(createManual(parts)).load,
    bundleLinkSeconds: config.bundleLinkSeconds,
    trustedProxies: config.trustedProxies,
    sites,
  });
  address.port = await listen(api, config);
  resources.use(await serveTls(sites, api));
  const url = getBaseUrl(config, address.port);
  const heldResources = resources.move();
  return { url, [Symbol.asyncDispose]: () => heldResources.disposeAsync() };
}

/** Only workers use the GitHub App, so other nodes do not check repositories that the app may be able to open. */
async function createInspection({ config, git, localHost }: NodeParts) {
  const codeHosts = await openCodeHosts(config, localHost);
  const hasWorkerLogin = config.github.app !== undefined && !config.roles.includes("worker");
  return {
    git,
    findCodeHost: ({ codeHost, credentials }: InspectionRequest) => {
      const isUnknown = codeHost === "github" && hasWorkerLogin && credentials === undefined;
      return isUnknown ? undefined : codeHosts[codeHost];
    },
  };
}

type FindCodeHost = (request: InspectionRequest) => CodeHost | undefined;

function createProjectHooks(parts: NodeParts, findCodeHost: FindCodeHost): Hooks {
  const { config, records, address } = parts;
  return createHooks({
    db: records.database.kysely,
    vault: createVault(records.secret),
    hosts: createHookHosts(parts, findCodeHost),
    toUrl: (id) => `${getBaseUrl(config, address.port)}/hooks/${id}`,
  });
}

/** Registers hooks with the token of each project. */
function createHookHosts({ records, log }: NodeParts, findCodeHost: FindCodeHost): HookHosts {
  return {
    async addHook({ id, repository, codeHost }, hook) {
      const credentials = await records.projects.readCredentials(id);
      const host = findCodeHost({ repository, credentials, codeHost });
      if (!host) return "This node has no credentials for the code host.";
      if (!host.capabilities.supportsHooks) {
        return "The service cannot create hooks at this code host.";
      }
      try {
        await host.ensureHook(
          { id, repository, credentials },
          hook,
          createTimeoutSignal(hookTimeoutMs),
        );
        return undefined;
      } catch (error) {
        if (!isOctavoError(error)) throw error;
        return error.message;
      }
    },
    async removeHook({ id, repository, codeHost }, url) {
      const credentials = await records.projects.readCredentials(id);
      const host = findCodeHost({ repository, credentials, codeHost });
      if (!host?.capabilities.supportsHooks) return;
      try {
        await host.removeHook(
          { id, repository, credentials },
          url,
          createTimeoutSignal(hookTimeoutMs),
        );
      } catch (err) {
        if (!isOctavoError(err)) throw err;
        // The service refuses the hook's deliveries from now on.
        log.info({ projectId: id, err }, "A hook could not be removed from its code host");
      }
    },
  };
}

/** Creates the operations on exports and agent jobs. */
function createJobOperations(parts: NodeParts) {
  const { config, records, space, queue, announcer, metrics } = parts;
  const { quotas } = config;
  const sharedOptions = { database: records.database, queue, announcer, space, metrics, quotas };
  return {
    staticExports: createStaticExports({ ...sharedOptions, changes: parts.changes }),
    agentJobs: createAgentJobs({
      ...sharedOptions,
      changes: parts.agentChanges,
      model: config.model,
      allowedModels: config.allowedModels,
    }),
  };
}

/** Opens the folder in which uploaded archives are unpacked. */
async function openUploads({
  config,
  log,
  records,
  storage,
  space,
  isolation,
}: NodeParts): Promise<Uploads & AsyncDisposable> {
  const folder = await openProcessFolder(join(config.dataFolder, "work"), log);
  const uploads = createUploads({
    database: records.database,
    storage,
    space,
    workDir: folder.path,
    slots: config.work.exportSlots,
    repackUpload: (archive, { projectId, signal }) =>
      isolation.run((program) => program.repackUpload(archive), { signal, owner: projectId }),
  });
  return { ...uploads, [Symbol.asyncDispose]: () => folder[Symbol.asyncDispose]() };
}

/**
 * Serves the health and metrics of a node without the API. If another program, such as a node with the API, already
 * uses the port on this machine, the node runs without them.
 */
export async function startOperations(
  parts: NodeParts,
  sites: ServedSites | undefined,
): Promise<RunningServer | undefined> {
  const { config, log, records, storage, space, metrics } = parts;
  const { database } = records;
  const { host, trustedProxies, metricsToken } = config;
  const server = await createOperationsServer({
    metrics,
    metricsToken,
    readGauges: () => readGauges({ database, space, log }),
    checkReady: () => checkReady({ database, storage, space, sites }),
    log,
    trustedProxies,
    sites,
  });
  try {
    const port = await listen(server, config);
    // This is the node's own address. The service's address belongs to another node.
    const url = getBaseUrl({ host, baseUrl: undefined }, port);
    const resources = await serveTls(sites, server);
    return { url, [Symbol.asyncDispose]: () => resources[Symbol.asyncDispose]() };
  } catch (err) {
    log.warn({ err }, "Health and metrics of this worker are not served");
    return undefined;
  }
}

/**
 * Also accepts TLS connections for a server if the node has certificates. Disposing of the result closes the server. If
 * TLS cannot be served, the server is closed immediately.
 */
async function serveTls(
  sites: ServedSites | undefined,
  server: { readonly server: Server; close(): Promise<unknown> },
): Promise<AsyncDisposable> {
  await using resources = new AsyncDisposableStack();
  resources.defer(async () => void (await server.close()));
  const tls = await sites?.serveTls(server.server);
  if (tls) resources.use(tls);
  return resources.move();
}

interface GaugeSources {
  readonly database: Database;
  readonly space: DiskSpace;
  readonly log: Logger;
}

/**
 * Reads the values of this node's gauges. Never fails, because metrics are needed most when the database is
 * unavailable.
 */
async function readGauges({ database, space, log }: GaugeSources): Promise<GaugeReadings> {
  const work = await readWorkState(database).catch((err: unknown) => {
    log.warn({ err }, "The gauges of queues, jobs and nodes could not be read");
    return undefined;
  });
  return { work, disks: space.freeSpace, connections: database.countConnections() };
}

interface ReadinessSources {
  readonly database: Database;
  readonly storage: Storage;
  readonly space: DiskSpace;
  readonly sites: ServedSites | undefined;
}

/** Checks the database, the storage, the disk space and the sites. Throws the first error. */
async function checkReady({ database, storage, space, sites }: ReadinessSources): Promise<void> {
  await Promise.all([database.ping(), storage.ping(), space.check()]);
  sites?.check();
}

/** Returns the information about a node, besides its health, that the dashboard shows to operators. */
function createOperatorView(
  { config, version }: Pick<NodeBase, "config" | "version">,
  { kysely }: Database,
): Omit<OperatorView, "readGauges" | "checkReady"> {
  const { bundleDays, jobDays, auditDays } = getRetention(config);
  return {
    findOperator: createOperatorLookup(kysely),
    version,
    settings: config.settings,
    models: buildModelFacts(config),
    retention: [
      { dataKind: "Bundles", days: bundleDays },
      { dataKind: "Jobs", days: jobDays },
      { dataKind: "Webhook messages", days: deliveryRetentionDays },
      { dataKind: "Audit log", days: auditDays },
    ],
  };
}

function buildModelFacts({ model, models, settings }: Config): OperatorView["models"] {
  const providers = [models.keys, models.baseUrls].flatMap((values) =>
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [name])),
  );
  return {
    defaultModel: model,
    allowed: settings.find(({ name }) => name === "OCTAVO_MODELS")?.value ?? null,
    providers: [...new Set(providers)].toSorted(),
  };
}

/**
 * Creates the sign-ins with the provider that the settings name, or returns undefined without a provider. The port is
 * read at each sign-in because it is not known in advance.
 */
function createProviderSignIns(
  config: Config,
  { database, secret }: Records,
  address: { readonly port: number },
): SignIns | undefined {
  const { openId, allow } = config;
  if (!openId) return undefined;
  const { groups, domains, name, ...provider } = openId;
  return createSignIns({
    ...provider,
    allow,
    db: database.kysely,
    vault: createVault(secret, "sign-ins"),
    admission: { groups, domains },
    providerName: name,
    callbackUrl: () => `${getBaseUrl(config, address.port)}/signin/callback`,
  });
}

interface HttpServer {
  readonly server: Server;
  listen(address: { readonly host: string; readonly port: number }): Promise<unknown>;
  close(): Promise<unknown>;
}

/** Starts listening and returns the port. If the server cannot listen, closes it and throws. */
export async function listen(server: HttpServer, config: Config): Promise<number> {
  try {
    await server.listen({ host: config.host, port: config.port });
  } catch (cause) {
    await server.close();
    throw createListenError(config, cause);
  }
  return (server.server.address() as AddressInfo).port;
}
