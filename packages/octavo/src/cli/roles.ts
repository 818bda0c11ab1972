import { join } from "node:path";
import { siblingModule } from "@octavo/site/core";
import { hostedRepositoryUrl, isOwnBranch } from "../core/index.ts";
import { baseUrlFor } from "../config/index.ts";
import type { CodeHost } from "../codehost/index.ts";
import { branchPreviewAddress } from "../dashboard/index.ts";
import { openIsolation } from "../isolation/index.ts";
import {
  createAgentWorker,
  createJobAnnouncer,
  createStaticExportWorker,
  createWebhookWorker,
  openAgentChanges,
  openProcessFolder,
  openQueue,
  openStaticExportChanges,
  registerNode,
  syncPullRequests,
  removeExpired,
} from "../jobs/index.ts";
import type { CheckOut } from "../jobs/index.ts";
import { openModel } from "../model/index.ts";
import { createMetrics } from "../telemetry/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { builtinModels } from "./builtin-models.ts";
import { logContainment } from "./containment.ts";
import type { IsolatedOperations } from "./isolated.ts";
import { findIsolatedContent, performIsolatedTurn } from "./isolated-turn.ts";
import { readVersion } from "./version.ts";
import { createRenderSite } from "./render-site.ts";
import { checkoutOrigin } from "./site-origin.ts";
import type { NodeBase, NodeParts } from "./node-parts.ts";
import { retentionOf } from "./retention.ts";
import { startApi, startOperations } from "./start-api.ts";

const retentionMs = 60 * 60 * 1000;
/** How often open pull requests are looked at. */
const pullRequestsMs = 60 * 1000;
/** A diff that is longer is of no use to a person. */
const diffBytes = 8 * 1024 * 1024;

/** Where a node is reached: `operationsUrl` also where it takes no requests. */
interface StartedRoles extends AsyncDisposable {
  readonly url: string | undefined;
  readonly operationsUrl: string | undefined;
}

/**
 * Starts what serves and what works, as the configuration says. Apart from `wire.ts`, because it takes
 * as long to load as the database takes to open.
 */
export async function startRoles(base: NodeBase): Promise<StartedRoles> {
  await using starting = new AsyncDisposableStack();
  const { config, log, records, localHost, github, address } = base;
  const { database } = records;
  const description = { version: readVersion(), roles: config.roles };
  starting.use(await registerNode(database, description, log));
  const changes = starting.use(await openStaticExportChanges(database));
  const agentChanges = starting.use(await openAgentChanges(database));
  const isWorker = github !== undefined;
  const queue = starting.use(
    await openQueue({
      database,
      log,
      isWorker,
      pollMs: config.work.pollMs,
      quotas: config.quotas,
    }),
  );
  const announcer = createJobAnnouncer({
    queue,
    repositoryUrl: (id) => hostedRepositoryUrl(baseUrlFor(config, address.port), id),
  });
  const parts: NodeParts = {
    ...base,
    changes,
    agentChanges,
    queue,
    announcer,
    metrics: createMetrics(),
    isolation: starting.use(
      openIsolation<IsolatedOperations>({ program: siblingModule(import.meta.url, "isolated") }),
    ),
  };
  // First, or a job that goes on at once would not know the port that its links lead to.
  const isApi = config.roles.includes("api");
  const served = isApi ? starting.use(await startApi(parts)) : undefined;
  if (github) starting.use(await startWork(parts, { local: localHost, github }));
  const observed = isApi ? undefined : starting.use(await startOperations(parts));
  starting.use(startCleaning(parts));
  const started = starting.move();
  return {
    url: served?.url,
    operationsUrl: (served ?? observed)?.url,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

interface CodeHosts {
  readonly local: CodeHost;
  readonly github: CodeHost;
}

async function startWork(parts: NodeParts, codeHosts: CodeHosts): Promise<AsyncDisposable> {
  await using starting = new AsyncDisposableStack();
  const { config, log, records, storage, changes, queue } = parts;
  const { path: workDir } = starting.use(
    await openProcessFolder(join(config.dataFolder, "work"), log),
  );
  logContainment(log);
  const { isolation } = parts;
  const run = createStaticExportWorker({
    database: records.database,
    announcer: parts.announcer,
    changes,
    queue,
    storage,
    checkout: createCheckout(parts, codeHosts),
    renderSite: createRenderSite(isolation, config),
    workDir,
    cacheDir: join(config.dataFolder, "cache", "pages"),
    log,
    metrics: parts.metrics,
    space: parts.space,
    quotas: config.quotas,
    budget: config.exportBudget,
  });
  await queue.work("static-export", config.work.exportSlots, run);
  await startWebhooks(parts);
  const refresh = await startAgents(parts, { codeHosts, workDir });
  const { database, sessions } = records;
  const clean = async () => {
    await sessions.removeExpired();
    await removeExpired({ database, storage, ...retentionOf(config) });
  };
  const repeated = repeat(log, [
    { everyMs: retentionMs, task: clean, failed: "What is too old could not be removed" },
    {
      everyMs: retentionMs,
      task: () => parts.localHost.removeUnusedPacks(),
      failed: "Unused packs of repositories could not be removed",
    },
    { everyMs: pullRequestsMs, task: refresh, failed: "Pull requests could not be looked at" },
  ]);
  starting.use(repeated);
  return starting.move();
}

/** Removes what dead processes left in the data folder: at once, and from time to time. */
function startCleaning({ log, localHost }: NodeParts): AsyncDisposable {
  const task = () => localHost.removeLeftovers();
  const failed = "What dead processes left could not be removed";
  const first = task().catch((err: unknown) => log.error({ err }, failed));
  const repeated = repeat(log, [{ everyMs: retentionMs, task, failed }]);
  return {
    async [Symbol.asyncDispose]() {
      repeated[Symbol.dispose]();
      await first;
    },
  };
}

async function startWebhooks({ config, log, records, queue, metrics }: NodeParts): Promise<void> {
  const { database, webhooks } = records;
  const { allow } = config;
  const run = createWebhookWorker({ database, queue, webhooks, allow, log, metrics });
  await queue.work("webhook", config.work.webhookSlots, run);
}

/** Works on agent jobs; gives what looks at their pull requests from time to time. */
async function startAgents(
  parts: NodeParts,
  { codeHosts, workDir }: { readonly codeHosts: CodeHosts; readonly workDir: string },
): Promise<() => Promise<void>> {
  const { config, log, records, git, gitWork, author, agentChanges, queue, address } = parts;
  const { database, projects } = records;
  const readCredentials = (projectId: string) => projects.readCredentials(projectId);
  const run = createAgentWorker({
    database,
    announcer: parts.announcer,
    changes: agentChanges,
    git,
    gitWork,
    codeHosts,
    findActiveContent: (diff) => findIsolatedContent(parts.isolation, diff),
    performTurn: (settings) => performIsolatedTurn(parts.isolation, settings),
    openModel: (name) =>
      openModel(name, {
        ...config.models,
        allow: config.allow,
        builtin: builtinModels,
        warn: (sentence) => log.warn({ model: name }, sentence),
      }),
    readCredentials,
    readSigningKey: (projectId) => projects.readSigningKey(projectId),
    readSources: (projectId) => projects.readSources(projectId),
    queue,
    previewUrl: (branch, page) =>
      branchPreviewAddress(baseUrlFor(config, address.port), branch, page),
    limits: config.agent,
    prices: config.models.prices,
    author,
    maxDiffBytes: diffBytes,
    workDir,
    cacheDir: join(config.dataFolder, "cache", "pages"),
    log,
    metrics: parts.metrics,
    space: parts.space,
  });
  await queue.work("agent", config.work.agentSlots, run);
  return () => syncPullRequests({ database, gitWork, codeHosts, readCredentials, log });
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

function createCheckout({ records, git, log }: NodeParts, codeHosts: CodeHosts): CheckOut {
  return async ({ project, ref, commit, targetDir, signal }) => {
    const { id, repository: address, directory, codeHost } = project;
    const host = codeHosts[codeHost];
    const credentials = await records.projects.readCredentials(id);
    const read = { id, repository: address, credentials };
    // The service's own branches are where it pushes them, which may be a copy of the repository.
    const repository =
      ref !== null && isOwnBranch(ref)
        ? await host.pushTarget(read, signal)
        : await host.readSource(read, signal);
    const point = commit === null ? { ref: ref ?? undefined } : { commit };
    const source = { repository, directory };
    const checkout = await git.checkout(source, point, targetDir, signal);
    const origin = checkoutOrigin(git, {
      ...source,
      ref: ref ?? undefined,
      codeHost,
      commit: checkout.commit,
      onFailure: (err) =>
        log.warn({ err, projectId: id }, "Where a site's files come from is not known"),
    });
    return { ...checkout, origin };
  };
}
