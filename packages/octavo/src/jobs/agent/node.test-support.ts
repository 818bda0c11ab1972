import { useForAll } from "../../../../../test/support/same-code-host.ts";
import { join } from "node:path";
import { putEmptyDatabase } from "../../../../../test/support/empty-database.ts";
import { defaultAgentLimits, findActiveContent, performTurn } from "../../agent/index.ts";
import { allModels, defaultQuotas, createId, parseAllowList } from "../../core/index.ts";
import { launcher } from "../../../../../test/support/launcher.ts";
import { createLocalHost } from "../../../../../test/support/local-host.ts";
import type { LocalHost } from "../../../../../test/support/local-host.ts";
import { sharedChildren } from "../../../../../test/support/shared-children.ts";
import type { CodeHost } from "../../codehost/index.ts";
import type { PackStorage } from "../../hosting/index.ts";
import { ampleSpace } from "../../../../../test/support/ample-space.ts";
import type { SpaceWatch } from "../../core/index.ts";
import { openDatabase } from "../../db/index.ts";
import type { Database } from "../../db/index.ts";
import { createGit } from "../../git/index.ts";
import type { Git, GitLimits } from "../../git/index.ts";
import { openModel } from "../../model/index.ts";
import type { ModelSettings, OpenModelOptions } from "../../model/index.ts";
import { createRecipesModel } from "../../recipes/index.ts";
import { createFileStorage } from "../../storage/index.ts";
import type { JobLog } from "../ports.ts";
import { openQueue } from "../queue/queue.ts";
import type { JobQueue } from "../queue/queue.ts";
import { createJobAnnouncer } from "../webhooks/announce.ts";
import { createAgentJobs } from "./agent-jobs.ts";
import type { AgentJobs } from "./agent-jobs.ts";
import type { AgentScope } from "./agent-jobs.ts";
import { openAgentChanges } from "./kind.ts";
import { createAgentWorker } from "./worker.ts";
import type { AgentWorkerOptions } from "./worker.ts";

/** A node of the service for agent jobs. Everything is real except the model's server. */
export interface AgentTestNode extends AsyncDisposable, LocalHost {
  readonly database: Database;
  readonly queue: JobQueue;
  readonly git: Git;
  readonly jobs: AgentJobs;
}

export interface AgentTestNodeOptions {
  readonly dataDir: string;
  readonly url?: string | undefined;
  /** The URL of the model's server. */
  readonly modelUrl: string;
  /** The number of workers. Defaults to 1. */
  readonly slots?: number;
  /** Replaces the known limits of the model. */
  readonly modelLimits?: OpenModelOptions["limits"];
  readonly limits?: Partial<AgentWorkerOptions["limits"]>;
  readonly gitLimits?: Partial<GitLimits>;
  readonly prices?: AgentWorkerOptions["prices"];
  readonly stallMs?: number;
  readonly space?: SpaceWatch;
  readonly readSigningKey?: (projectId: string) => Promise<string | undefined>;
  /** Wraps the storage of commits. */
  readonly wrapPacks?: (packs: PackStorage) => PackStorage;
  /** Wraps the code host. */
  readonly wrapHost?: (host: CodeHost) => CodeHost;
}

const children = sharedChildren();
const quiet: JobLog = { info() {}, warn() {}, error() {} };
const metrics = { jobEntered() {} };
const author = { name: "Octavo", email: "octavo@localhost" };

export async function openAgentNode(options: AgentTestNodeOptions): Promise<AgentTestNode> {
  const {
    dataDir,
    url,
    modelUrl,
    slots = 1,
    limits,
    gitLimits = {},
    stallMs: stallTimeoutMs,
  } = options;
  const { space = ampleSpace } = options;
  const { wrapHost = (host: CodeHost) => host, modelLimits = {} } = options;
  const { wrapPacks = (packs: PackStorage) => packs } = options;
  await using opening = new AsyncDisposableStack();
  if (url === undefined) await putEmptyDatabase(dataDir);
  const database = opening.use(await openDatabase({ dataDir, url }));
  const changes = opening.use(await openAgentChanges(database));
  const queue = opening.use(await openQueue({ database, log: quiet, isWorker: slots > 0 }));
  const allow = parseAllowList(`127.0.0.1,file://${dataDir}`);
  const cacheDir = join(dataDir, "git");
  const gitOptions = { cacheDir, allow, limits: gitLimits, processes: launcher };
  const git = createGit(gitOptions);
  const localHost = createLocalHost({
    db: database.kysely,
    git: gitOptions,
    packs: wrapPacks(createFileStorage(join(dataDir, "storage"))),
    repositoriesDir: join(dataDir, "repositories"),
    pullRequestUrl: (projectId, number) => `https://docs.example/${projectId}/${number}`,
  });
  const { host, work: gitWork } = localHost;
  const used = wrapHost(host);
  const announcer = createJobAnnouncer({
    queue,
    toOrigin: (label) => `https://${label}.sites.example`,
    getRepositoryUrl: (projectId) => `https://docs.example/${projectId}.git`,
  });
  const run = createAgentWorker({
    database,
    announcer,
    changes,
    git,
    gitWork,
    codeHosts: useForAll(used),
    performTurn: (settings) => performTurn({ ...settings, children }),
    findActiveContent: (diff) => Promise.resolve(findActiveContent(diff)),
    openModel: (name) => openModel(name, { ...modelsAt(modelUrl), allow, limits: modelLimits }),
    readCredentials: () => Promise.resolve(undefined),
    readSigningKey: options.readSigningKey ?? (() => Promise.resolve(undefined)),
    readSources: () => Promise.resolve([]),
    answerKey: Buffer.from("a key of answers"),
    queue,
    buildPreviewUrl: ({ jobId, branchNumber }, page = "") =>
      `https://docs.example/previews/${jobId}/${branchNumber}/${page}`,
    prices: options.prices,
    limits: { ...defaultAgentLimits, tokensPerDay: 1_000_000, ...limits },
    author,
    maxDiffBytes: 1_000_000,
    workDir: join(dataDir, "work"),
    cacheDir: join(dataDir, "cache"),
    log: quiet,
    metrics,
    space,
    retryMs: 10,
    ...(stallTimeoutMs !== undefined && { stallTimeoutMs }),
  });
  if (slots > 0) await queue.work("agent", slots, run);
  const jobs = createAgentJobs({
    database,
    queue,
    changes,
    announcer,
    space,
    metrics,
    model: "compatible/scripted",
    allowedModels: allModels,
    quotas: defaultQuotas,
  });
  const opened = opening.move();
  return {
    database,
    queue,
    // Used only for the test's own preparation, because the limits apply only to jobs.
    git: createGit({ ...gitOptions, limits: {} }),
    ...localHost,
    jobs,
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  };
}

/** Returns settings in which all providers are at one server, each with its own wire format. */
function modelsAt(url: string): ModelSettings {
  const key = "a-key";
  const v1 = `${url}/v1`;
  return {
    builtin: { recipes: () => Promise.resolve(createRecipesModel()) },
    keys: { anthropic: key, openai: key, google: key },
    baseUrls: { anthropic: v1, openai: v1, google: `${url}/v1beta`, ollama: v1, compatible: v1 },
  };
}

/**
 * Adds an organization with a project whose repository the service hosts, with the files of `folder` and the site in
 * `directory`.
 */
export async function addAgentProject(
  node: AgentTestNode,
  folder: string,
  directory = ".",
): Promise<AgentScope> {
  const { kysely } = node.database;
  const organizationId = createId("organization");
  const projectId = createId("project");
  await kysely
    .insertInto("organizations")
    .values({ id: organizationId, name: "Acme", plan: "enterprise" })
    .execute();
  await kysely
    .insertInto("projects")
    .values({
      id: projectId,
      organization_id: organizationId,
      name: "Docs",
      domain: `${projectId.replace("_", "-")}.example.com`,
      repository: "local",
      ref: null,
      directory,
      code_host: "local",
      model: null,
      credentials: null,
    })
    .execute();
  await node.hosting.importFolder(projectId, folder, "Write the manual");
  return { organizationId, projectId };
}
