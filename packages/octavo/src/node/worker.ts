import { join } from "node:path";
import { getBaseUrl } from "../config/index.ts";
import { getBranchPreviewAddress } from "../dashboard/index.ts";
import {
  createAgentWorker,
  createStaticExportWorker,
  createWebhookWorker,
  openProcessFolder,
  removeExpired,
  syncPullRequests,
} from "../jobs/index.ts";
import { openModel } from "../model/index.ts";
import { builtinModels } from "./builtin-models.ts";
import { createCheckout } from "./checkout.ts";
import { openCodeHosts } from "./code-hosts.ts";
import type { CodeHosts } from "./code-hosts.ts";
import { logContainment } from "./containment.ts";
import { findIsolatedContent, performIsolatedTurn } from "./isolated-turn.ts";
import type { NodeParts } from "./node-parts.ts";
import { createRenderSite } from "./render-site.ts";
import { repeatTasks, retentionMs } from "./repeat-tasks.ts";
import { getRetention } from "./retention.ts";

/** How often the state of pull requests is read. */
const pullRequestsMs = 60 * 1000;
/** Longer diffs are not useful to people. */
const diffBytes = 8 * 1024 * 1024;

/** Works on jobs of every kind, and removes expired data. */
export async function startWorker(parts: NodeParts): Promise<AsyncDisposable> {
  await using starting = new AsyncDisposableStack();
  const codeHosts = await openCodeHosts(parts.config, parts.localHost);
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
    await removeExpired({ database, storage, ...getRetention(config) });
  };
  const repeated = repeatTasks(log, [
    { everyMs: retentionMs, task: clean, failed: "Expired data could not be removed" },
    {
      everyMs: retentionMs,
      task: () => parts.hosting.removeUnusedPacks(),
      failed: "Unused packs of repositories could not be removed",
    },
    { everyMs: pullRequestsMs, task: refresh, failed: "Pull requests could not be synchronized" },
  ]);
  starting.use(repeated);
  return starting.move();
}

async function startWebhooks({ config, log, records, queue, metrics }: NodeParts): Promise<void> {
  const { database, webhooks } = records;
  const { allow } = config;
  const run = createWebhookWorker({ database, queue, webhooks, allow, log, metrics });
  await queue.work("webhook", config.work.webhookSlots, run);
}

/** Works on agent jobs. Returns the function that synchronizes their pull requests, to be called periodically. */
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
      getBranchPreviewAddress(getBaseUrl(config, address.port), branch, page),
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
