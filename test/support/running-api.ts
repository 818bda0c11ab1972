import { useForAll } from "./same-code-host.ts";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { FastifyInstance } from "fastify";
import { launcher } from "./launcher.ts";
import { createLocalHost } from "./local-host.ts";
import { ampleSpace } from "./ample-space.ts";
import {
  defaultAgentLimits,
  findActiveContent,
  performTurn,
} from "../../packages/octavo/src/agent/index.ts";
import { sharedChildren } from "./shared-children.ts";
import { createApi } from "../../packages/octavo/src/api/index.ts";
import {
  allModels,
  defaultQuotas,
  getHostedRepositoryUrl,
  parseAllowList,
} from "../../packages/octavo/src/core/index.ts";
import type { ApiOptions } from "../../packages/octavo/src/api/index.ts";
import { repackUpload } from "../../packages/octavo/src/bundles/index.ts";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import type { Database } from "../../packages/octavo/src/db/index.ts";
import {
  createAgentJobs,
  createAgentWorker,
  createDeployments,
  createDeploymentWorker,
  createKeptCheckouts,
  createJobAnnouncer,
  createJobLookup,
  createRepositoryInspector,
  createStaticExports,
  createStaticExportWorker,
  createUploads,
  createWebhookDeliveries,
  createWebhookSender,
  createWebhookWorker,
  openAgentChanges,
  openDeploymentChanges,
  openQueue,
  openStaticExportChanges,
  readWorkState,
} from "../../packages/octavo/src/jobs/index.ts";
import {
  createActiveProjects,
  createAuditLog,
  createKeys,
  createOperatorLookup,
  createOrganizations,
  createProjects,
  createVault,
  deriveKey,
  createWebhooks,
} from "../../packages/octavo/src/projects/index.ts";
import {
  createDomains,
  createHooks,
  createSiteReaders,
  createSites,
  createSiteSecrets,
} from "../../packages/octavo/src/publish/index.ts";
import type { Domains } from "../../packages/octavo/src/publish/index.ts";
import type { StaticExportWorkerOptions } from "../../packages/octavo/src/jobs/index.ts";
import { createGit } from "../../packages/octavo/src/git/index.ts";
import { createModelTester, openModel } from "../../packages/octavo/src/model/index.ts";
import { createMembers, createSessions } from "../../packages/octavo/src/people/index.ts";
import type { Keys, Organizations, Projects } from "../../packages/octavo/src/projects/index.ts";
import type { OrganizationPlan } from "../../packages/octavo/src/core/index.ts";
import type { DashboardOptions } from "../../packages/octavo/src/dashboard/index.ts";
import { createBundleCopies } from "../../packages/octavo/src/bundles/index.ts";
import { buildDifference, createDifferences } from "../../packages/octavo/src/difference/index.ts";
import { createFileStorage } from "../../packages/octavo/src/storage/index.ts";
import type { Storage } from "../../packages/octavo/src/storage/index.ts";
import { createLogger, createMetrics } from "../../packages/octavo/src/telemetry/index.ts";
import { createApiClient } from "./api-client.ts";
import type { ApiClient } from "./api-client.ts";
import { putEmptyDatabase } from "./empty-database.ts";
import { startModelServer } from "./model-server.ts";
import { scriptedAgent } from "./scripted-agent.ts";
import { writeFiles } from "./temporary-folder.ts";

const children = sharedChildren();

/** Bytes of every bundle that the service under test makes. */
export const bundleText = "the bytes of a bundle";

/**
 * A service on a free port, with the real database, queue, storage, workers and code host; only the site
 * that is exported is a toy, and the agents' model follows `scriptedAgent`.
 */
export interface RunningApi extends AsyncDisposable {
  readonly url: string;
  readonly app: FastifyInstance;
  readonly database: Database;
  readonly storage: Storage;
  readonly keys: Keys;
  readonly projects: Projects;
  readonly organizations: Organizations;
  /** The texts of TXT records by their names, which tests set. */
  readonly textRecords: Map<string, readonly string[]>;
  readonly domains: Domains;
  /** Returns the log so far, as text. */
  readonly log: () => string;
  /** Ends everything but the HTTP server. */
  loseDatabase(): Promise<void>;
  /** An organization with a key, and a client that uses it. */
  openOrganization(plan?: OrganizationPlan): Promise<TestOrganization>;
  client(key: string): ApiClient;
  /** A project whose repository the service hosts, with a site of one page in it. */
  addHostedProject(organization: TestOrganization): Promise<string>;
  /** Exports of domains that begin with `slow` stay at half until this is called. */
  releaseExports(): void;
}

export interface TestOrganization {
  readonly id: string;
  readonly key: string;
  readonly keyId: string;
  readonly client: ApiClient;
  readonly addProject: (
    domain?: string,
  ) => Promise<{ readonly id: string; readonly domain: string }>;
}

/** The parts of the service that a dashboard's pages need. */
type PageParts = Omit<DashboardOptions, "isolation" | "previewUrl">;

let names = 0;

export async function openApi({
  bundleLinkSeconds = 3600,
  requestTimeLimits,
  quotas = defaultQuotas,
  connections,
  pages,
  hasAgents = true,
}: Partial<
  Pick<ApiOptions, "bundleLinkSeconds" | "requestTimeLimits" | "quotas" | "connections">
> & {
  /** More routes on the server, made of what it has. */
  readonly pages?: (parts: PageParts) => NonNullable<ApiOptions["pages"]>;
  /** Whether agent jobs are worked on. */
  readonly hasAgents?: boolean;
} = {}): Promise<RunningApi> {
  const folder = await mkdtemp(join(tmpdir(), "octavo-api-"));
  const lines: string[] = [];
  const log = createLogger({ level: "trace", destination: { write: (line) => lines.push(line) } });
  const dataDir = join(folder, "data");
  await putEmptyDatabase(dataDir);
  const database = await openDatabase({ dataDir });
  const queue = await openQueue({ database, log, isWorker: true });
  const changes = await openStaticExportChanges(database);
  const storage = createFileStorage(join(folder, "storage"));
  const secret = "0123456789abcdef0123456789abcdef";
  const released = Promise.withResolvers<void>();
  const db = database.kysely;
  const keys = createKeys(database);
  const vault = createVault(secret);
  const allowedModels = allModels;
  const model = await startModelServer(scriptedAgent);
  const allow = parseAllowList("127.0.0.1");
  const modelSettings = { baseUrls: { compatible: `${model.url}/v1` }, allow };
  const projects = createProjects({
    db,
    vault,
    allow: parseAllowList(""),
    allowedModels,
    knownHosts: new Map([["github.com", "github"]]),
    testModel: createModelTester(modelSettings),
  });
  const organizations = createOrganizations(db);
  const metrics = createMetrics();
  let url = "";
  const announcer = createJobAnnouncer({
    queue,
    toOrigin: (label) => `https://${label}.sites.example`,
    getRepositoryUrl: (id) => getHostedRepositoryUrl(url, id),
  });
  const sitesDomain = { protocol: "https:", name: "sites.example", port: undefined } as const;
  const publishedSites = createSites({ db, domain: () => sitesDomain });
  const textRecords = new Map<string, readonly string[]>();
  const domains = createDomains({
    db,
    readTextRecords: async (name) => textRecords.get(name) ?? [],
    ownHosts: ["octavo.example"],
    sitesDomain: "sites.example",
  });
  const deploymentChanges = await openDeploymentChanges(database);
  const deployments = createDeployments({
    database,
    queue,
    changes: deploymentChanges,
    announcer,
    space: ampleSpace,
    metrics,
    quotas,
  });
  const build: Omit<StaticExportWorkerOptions, "changes"> = {
    database,
    announcer,
    queue,
    storage,
    log,
    metrics,
    space: ampleSpace,
    quotas,
    workDir: join(folder, "work"),
    cacheDir: join(folder, "cache"),
    keptCheckouts: createKeptCheckouts({ folder: join(folder, "checkouts"), maxBytes: 1e6 }),
    async checkout({ folder: dir }) {
      await mkdir(dir, { recursive: true });
      return { dir, commit: "0123456789".repeat(4) };
    },
    async renderSite({ prepare, signal }) {
      const { archive, baseUrl, onProgress, onPacking } = await prepare();
      onProgress({ done: 1, total: 2, rendered: 1 });
      if (baseUrl?.includes("//slow") && !signal.aborted)
        await Promise.race([released.promise, once(signal, "abort")]);
      signal.throwIfAborted();
      onProgress({ done: 2, total: 2, rendered: 2 });
      const counts = { pages: 2, rendered: 2, errors: 0, warnings: 0 };
      onPacking(counts);
      await writeFile(archive.file, bundleText);
      return { ...counts, firstSegments: [] };
    },
  };
  await queue.work("static-export", 4, createStaticExportWorker({ ...build, changes }));
  await queue.work(
    "deployment",
    2,
    createDeploymentWorker({ ...build, changes: deploymentChanges }),
  );
  const webhooks = createWebhooks({ db, vault, allow });
  const runWebhook = createWebhookWorker({ database, queue, webhooks, allow, log, metrics });
  await queue.work("webhook", 2, runWebhook);
  const agentChanges = await openAgentChanges(database);
  const gitOptions = { cacheDir: join(folder, "git"), allow, processes: launcher };
  const git = createGit(gitOptions);
  const author = { name: "Octavo", email: "octavo@localhost" };
  const {
    hosting,
    pullRequests,
    reviews,
    host: localHost,
    work: gitWork,
  } = createLocalHost({
    db,
    git: gitOptions,
    packs: storage,
    repositoriesDir: join(folder, "repositories"),
    pullRequestUrl: (projectId, number) => `${url}/pull-requests/${projectId}/${number}`,
  });
  const runAgent = createAgentWorker({
    database,
    announcer,
    changes: agentChanges,
    git,
    gitWork,
    codeHosts: useForAll(localHost),
    performTurn: (settings) => performTurn({ ...settings, children }),
    findActiveContent: (diff) => Promise.resolve(findActiveContent(diff)),
    openModel: (name) => openModel(name, modelSettings),
    readCredentials: (projectId) => projects.readCredentials(projectId),
    readSigningKey: (projectId) => projects.readSigningKey(projectId),
    readSources: (projectId) => projects.readSources(projectId),
    answerKey: deriveKey(secret, "answers to comments"),
    queue,
    buildPreviewUrl: ({ jobId, branchNumber }, page = "") =>
      `${url}/previews/${jobId}/${branchNumber}/${page}`,
    limits: { ...defaultAgentLimits, tokensPerDay: 1_000_000 },
    author,
    maxDiffBytes: 1_000_000,
    workDir: join(folder, "work"),
    cacheDir: join(folder, "cache"),
    log,
    metrics,
    space: ampleSpace,
  });
  if (hasAgents) await queue.work("agent", 2, runAgent);
  const health = {
    readGauges: async () => ({
      work: await readWorkState(database),
      disks: [],
      connections: undefined,
    }),
    checkReady: async () => void (await Promise.all([database.ping(), storage.ping()])),
  };
  const operator = {
    ...health,
    findOperator: createOperatorLookup(db),
    version: "1.2.3",
    settings: [],
    models: { defaultModel: "compatible/scripted", allowed: null, providers: [] },
    retention: [],
  };
  const shared = {
    operator,
    storage,
    keys,
    audit: createAuditLog(db),
    members: createMembers(db),
    sessions: createSessions(db, keys),
    signIns: undefined,
    projects,
    webhooks,
    webhookDeliveries: createWebhookDeliveries(database),
    webhookSender: createWebhookSender({ database, queue }),
    secret,
    staticExports: createStaticExports({
      database,
      queue,
      changes,
      announcer,
      space: ampleSpace,
      metrics,
      quotas,
    }),
    deployments,
    publishedSites,
    hooks: createHooks({
      db,
      vault,
      hosts: { addHook: async () => "No code host.", removeHook: async () => undefined },
      toUrl: (id) => `https://octavo.example/hooks/${id}`,
    }),
    uploads: createUploads({
      database,
      storage,
      space: ampleSpace,
      workDir: join(folder, "work"),
      slots: 2,
      repackUpload,
    }),
    domains,
    siteReaders: createSiteReaders({
      db,
      sites: publishedSites,
      domain: () => sitesDomain,
      siteSecret: createSiteSecrets(secret),
    }),
    agentJobs: createAgentJobs({
      database,
      queue,
      changes: agentChanges,
      announcer,
      space: ampleSpace,
      metrics,
      model: "compatible/scripted",
      allowedModels,
      quotas,
    }),
    hosting,
    pullRequests,
    reviews,
    listActiveProjects: createActiveProjects(database.kysely),
    findJobs: createJobLookup(database.kysely),
    inspectRepository: createRepositoryInspector({ git, findCodeHost: () => localHost }),
    baseUrl: () => url,
    cacheDir: join(folder, "cache"),
    differences: createDifferences({
      copies: createBundleCopies(storage, { folder: join(folder, "copies"), maxBytes: 1e9 }),
      isolation: { run: (work) => work({ buildDifference }) },
      folder: join(folder, "differences"),
      maxBytes: 1e9,
    }),
  };
  const app = await createApi({
    ...shared,
    ...health,
    database,
    log,
    bundleLinkSeconds,
    metrics,
    space: ampleSpace,
    quotas,
    trustedProxies: [],
    metricsToken: undefined,
    openManual: async () => (_request, response) => response.end("The manual."),
    ...(pages && { pages: pages(shared) }),
    ...(requestTimeLimits && { requestTimeLimits }),
    ...(connections && { connections }),
  });
  await app.listen({ host: "127.0.0.1", port: 0 });
  url = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;

  let hasDatabase = true;
  async function loseDatabase(): Promise<void> {
    if (!hasDatabase) return;
    hasDatabase = false;
    await queue[Symbol.asyncDispose]();
    await changes[Symbol.asyncDispose]();
    await agentChanges[Symbol.asyncDispose]();
    await deploymentChanges[Symbol.asyncDispose]();
    await database[Symbol.asyncDispose]();
  }

  return {
    url,
    app,
    loseDatabase,
    database,
    storage,
    keys,
    projects,
    organizations,
    textRecords,
    domains,
    log: () => lines.join(""),
    client: (key) => createApiClient(url, key),
    releaseExports: () => released.resolve(),
    async addHostedProject({ id: organizationId }) {
      const fields = { name: "Docs", domain: newDomain(), repository: "local" };
      const { id } = await projects.create(organizationId, fields);
      const site = join(folder, "site");
      await writeFiles(site, { "index.mdx": "---\ntitle: Home\n---\n\nHello.\n" });
      await hosting.importFolder(id, site, "Write the manual");
      return id;
    },
    async openOrganization(plan = "enterprise") {
      const { id } = await organizations.create("Acme", plan);
      const { secret: key, id: keyId } = await keys.create(
        { organizationId: id, projectId: null },
        "Test",
      );
      return {
        id,
        key,
        keyId,
        client: createApiClient(url, key),
        addProject: (domain = newDomain()) =>
          projects.create(id, { name: "Docs", domain, repository: "https://git.example/docs" }),
      };
    },
    async [Symbol.asyncDispose]() {
      released.resolve();
      await app.close();
      await loseDatabase();
      await model[Symbol.asyncDispose]();
      // What an attempt that was given up still writes may come between.
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A host name that no other test uses. */
export function newDomain(prefix = "docs"): string {
  names += 1;
  return `${prefix}${names}.acme.example`;
}
