import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { SiteOrigin, SourceLinks } from "@octavo/site";
import { describeContainment, type Containment } from "@octavo/site/sandbox";
import { getBaseUrl } from "../config/index.ts";
import { createBundleCopies, createReportReader } from "../bundles/index.ts";
import { createAddresses, getBranchPreviewAddress } from "../dashboard/index.ts";
import {
  createAgentWorker,
  createDeploymentWorker,
  createKeptCheckouts,
  createStaticExportWorker,
  createWebhookWorker,
  openProcessFolder,
  removeExpired,
  syncPullRequests,
  deploymentChannel,
  reviewsChannel,
  syncReviews,
  reportReviews,
  type CheckoutResult,
  type CheckOut,
  type ReadRefs,
} from "../jobs/index.ts";
import { openModel } from "../model/index.ts";
import { deriveKey } from "../projects/index.ts";
import type { Logger } from "../telemetry/index.ts";
import { isOctavoError } from "@octavo/site/core";
import { createPageCamera } from "../isolation/index.ts";
import { findSourceLinks, isOwnBranch, type CodeHostName } from "../core/index.ts";
import type { ChangedFiles } from "../db/index.ts";
import type {
  CheckoutSource,
  CommitSummary,
  Git,
  GitFileChange,
  GitWork,
  RemoteRepository,
  Repository,
} from "../git/index.ts";
import { builtinModels } from "./builtin-models.ts";
import { createBundleComparer } from "./open-differences.ts";
import { openCodeHosts, type CodeHosts } from "./code-hosts.ts";
import { findIsolatedContent, performIsolatedTurn } from "./isolated-turn.ts";
import type { NodeParts } from "./node-parts.ts";
import { createRenderSite } from "./render-site.ts";
import { repeatTasks, cleanupIntervalMs, type RepeatedTask } from "./repeat-tasks.ts";
import { getRetention } from "./retention.ts";

/** The delay of the last startup task, which starts two processes and blocks this process for 20 ms. */
const containmentDelayMs = 1_000;
/** The interval at which the state of pull requests is read. */
const pullRequestIntervalMs = 60 * 1000;
/** The interval of checks for pushes that no node has handled. */
const missedPushIntervalMs = 60 * 1000;
/** The interval of checks for changes of pull requests whose notification was missed. */
const reviewIntervalMs = 1_000;
/** The interval of checks for repositories that are due for polling. */
const pollCheckIntervalMs = 30 * 1000;
/** The maximum size of a diff. Longer diffs are not useful to people. */
const maxDiffBytes = 8 * 1024 * 1024;

/** The maximum size of the checkouts that are kept for later jobs. */
const maxKeptCheckoutBytes = 1024 ** 3;

/** Works on jobs of all kinds and removes expired data. */
export async function startWorker(parts: NodeParts): Promise<AsyncDisposable> {
  await using resources = new AsyncDisposableStack();
  const codeHosts = await openCodeHosts(parts.config, parts.localHost);
  const { config, log, records, storage, changes, queue } = parts;
  const { path: workDir } = resources.use(
    await openProcessFolder(join(config.dataFolder, "work"), log),
  );
  const timer = setTimeout(() => logContainment(log), containmentDelayMs).unref();
  resources.defer(() => clearTimeout(timer));
  const { isolation } = parts;
  const exportOptions = {
    database: records.database,
    announcer: parts.announcer,
    queue,
    storage,
    checkout: createCheckout(parts, codeHosts),
    renderSite: createRenderSite(isolation, config),
    workDir,
    cacheDir: join(config.dataFolder, "cache", "pages"),
    keptCheckouts: createKeptCheckouts({
      folder: join(workDir, "checkouts"),
      maxBytes: maxKeptCheckoutBytes,
    }),
    log,
    metrics: parts.metrics,
    space: parts.space,
    quotas: config.quotas,
    budget: config.exportBudget,
  };
  await queue.work(
    "static-export",
    config.work.exportSlots,
    createStaticExportWorker({ ...exportOptions, changes }),
  );
  await queue.work(
    "deployment",
    config.work.exportSlots,
    createDeploymentWorker({ ...exportOptions, changes: parts.deploymentChanges }),
  );
  await startWebhooks(parts);
  const synchronize = await startAgents(parts, { codeHosts, workDir });
  const { database, sessions } = records;
  const clean = async () => {
    await sessions.removeExpired();
    await removeExpired({ database, storage, ...getRetention(config) });
  };
  const repeatedTasks = repeatTasks(log, [
    {
      intervalMs: cleanupIntervalMs,
      task: clean,
      failureMessage: "Expired data could not be removed",
    },
    {
      intervalMs: cleanupIntervalMs,
      task: () => parts.hosting.removeUnusedPacks(),
      failureMessage: "Unused packs of repositories could not be removed",
    },
    {
      intervalMs: missedPushIntervalMs,
      task: () => parts.deployments.followMissedRefs(),
      failureMessage: "Pushes to hosted repositories could not be compared with deployments",
    },
    {
      intervalMs: pullRequestIntervalMs,
      task: synchronize,
      failureMessage: "Pull requests could not be synchronized",
    },
    ...createPolling(parts, codeHosts),
    ...(await createReviewTasks(parts, codeHosts, resources)),
  ]);
  resources.use(repeatedTasks);
  return resources.move();
}

/** Creates the task that polls external repositories for new commits, unless the operator has disabled polling. */
function createPolling(
  { config, log, records, git, deployments }: NodeParts,
  codeHosts: CodeHosts,
): RepeatedTask[] {
  const { repositoryPollIntervalMs: intervalMs } = config.work;
  if (intervalMs === 0) return [];
  const readRefs: ReadRefs = async ({ projectId: id, repository, codeHost, patterns }, signal) => {
    const credentials = await records.projects.readCredentials(id);
    const source = await codeHosts[codeHost].readSource({ id, repository, credentials }, signal);
    return "url" in source ? await git.readRefs(source, patterns, signal) : undefined;
  };
  return [
    {
      intervalMs: Math.min(intervalMs, pollCheckIntervalMs),
      task: () => deployments.pollRepositories({ readRefs, intervalMs, log }),
      failureMessage: "Repositories could not be polled for new commits",
    },
  ];
}

/**
 * Creates the tasks that preview open pull requests and report the previews to code hosts. The tasks run after each
 * notification, and periodically in case a node missed one.
 */
async function createReviewTasks(
  parts: NodeParts,
  codeHosts: CodeHosts,
  resources: AsyncDisposableStack,
): Promise<RepeatedTask[]> {
  const { config, log, records, queue, publishedSites, address } = parts;
  const { database, projects } = records;
  const readCredentials = (projectId: string) => projects.readCredentials(projectId);
  const hosts = { database, queue, codeHosts, readCredentials, log };
  const copies = resources.use(
    createBundleCopies(parts.storage, {
      folder: join(config.dataFolder, "cache", "sites"),
      maxBytes: config.sites.maxCacheBytes,
    }),
  );
  const reportOptions = {
    ...hosts,
    compareBundles: createBundleComparer(
      copies,
      createReportReader(parts.storage, parts.isolation),
    ),
    toOrigin: (label: string) => publishedSites.toOrigin(label),
    getDeploymentUrl: (projectId: string, id: string) =>
      createAddresses(getBaseUrl(config, address.port)).deployment(projectId, id),
  };
  const intervalMs = config.work.repositoryPollIntervalMs;
  const syncTask = {
    intervalMs: reviewIntervalMs,
    task: runOneByOne(() => syncReviews({ ...hosts, intervalMs })),
    failureMessage: "Open pull requests could not be compared with their previews",
  };
  const reportTask = {
    intervalMs: reviewIntervalMs,
    task: runOneByOne(() => reportReviews(reportOptions)),
    failureMessage: "Previews could not be reported to code hosts",
  };
  const startTask = ({ task, failureMessage }: RepeatedTask) =>
    void task().catch((err: unknown) => log.error({ err }, failureMessage));
  resources.use(await database.listen(reviewsChannel, () => startTask(syncTask)));
  resources.use(
    await database.listen(deploymentChannel, (change) => {
      const isUnfinished = / (?:queued|building)$/.test(change);
      if (!isUnfinished) startTask(reportTask);
    }),
  );
  return [syncTask, reportTask];
}

/** Returns a task that never runs concurrently with itself. A request during a run starts one more run. */
function runOneByOne(task: () => Promise<void>): () => Promise<void> {
  let currentRun: Promise<void> | undefined;
  let isRequested = false;
  const runWhileRequested = async () => {
    try {
      while (isRequested) {
        isRequested = false;
        await task();
      }
    } finally {
      currentRun = undefined;
    }
  };
  return async () => {
    isRequested = true;
    if (currentRun) return;
    currentRun = runWhileRequested();
    await currentRun;
  };
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
  const drawPage =
    config.browser &&
    createPageCamera({ ...config.browser, onFailure: (sentence) => log.warn(sentence) });
  const run = createAgentWorker({
    database,
    announcer: parts.announcer,
    changes: agentChanges,
    git,
    gitWork,
    codeHosts,
    findActiveContent: (diff) => findIsolatedContent(parts.isolation, diff),
    performTurn: (settings) => performIsolatedTurn(parts.isolation, { ...settings, drawPage }),
    openModel: (name, signal) =>
      openModel(name, {
        signal,
        ...config.models,
        allow: config.allow,
        builtin: builtinModels,
        onWarning: (sentence) => log.warn({ model: name }, sentence),
      }),
    readCredentials,
    readSigningKey: (projectId) => projects.readSigningKey(projectId),
    readSources: (projectId) => projects.readSources(projectId),
    answerKey: deriveKey(records.secret, "answers to comments"),
    queue,
    buildPreviewUrl: (branch, page) =>
      getBranchPreviewAddress(getBaseUrl(config, address.port), branch, page),
    limits: config.agent,
    prices: config.models.prices,
    author,
    maxDiffBytes,
    workDir,
    cacheDir: join(config.dataFolder, "cache", "pages"),
    log,
    metrics: parts.metrics,
    space: parts.space,
  });
  await queue.work("agent", config.work.agentSlots, run);
  return () => syncPullRequests({ database, gitWork, codeHosts, readCredentials, log });
}

const containmentMessages: Readonly<Record<Containment, string>> = {
  contained:
    "The processes that render pages are contained: they have no network access and cannot see other processes or " +
    "files",
  "without network":
    "The processes that render pages have no network access, but Bubblewrap is not installed or may not create " +
    "namespaces here, so a compromised process could see the same files and processes as the service. Install " +
    "bubblewrap; the manual says what a container must allow (/manual/operate/security)",
  "by Node alone":
    "This system allows neither Bubblewrap nor network namespaces, so a compromised process that renders pages " +
    "could use the network and see the same files and processes as the service. The manual says what to allow " +
    "(/manual/operate/security)",
};

/** Logs how well the system contains a render process that a page has compromised. */
function logContainment(log: Logger): void {
  const containment = describeContainment();
  const level = containment === "contained" ? "info" : "warn";
  log[level]({ containment }, containmentMessages[containment]);
}

/** Creates the function with which export jobs check out the files of a commit. */
function createCheckout({ records, git, gitWork, log }: NodeParts, codeHosts: CodeHosts): CheckOut {
  return async ({ project, ref, commit, folder, signal }) => {
    const { id, repository: address, directory, codeHost } = project;
    const host = codeHosts[codeHost];
    const credentials = await records.projects.readCredentials(id);
    const projectRepository = { id, repository: address, credentials };
    // The service's own branches are in the repository to which it pushes, which may be a copy.
    const repository =
      ref !== null && isOwnBranch(ref)
        ? await host.preparePushTarget(projectRepository, signal)
        : await host.readSource(projectRepository, signal);
    const point = commit === null ? { ref: ref ?? undefined } : { commit };
    const source = { repository, directory };
    await mkdir(folder, { recursive: true });
    const checkoutPaths = { targetDir: join(folder, "files"), indexFile: join(folder, "index") };
    const checkout = await git.updateCheckout(source, point, checkoutPaths, signal);
    const origin = createCheckoutOrigin(git, {
      ...source,
      ref: ref ?? undefined,
      codeHost,
      commit: checkout.commit,
      onFailure: (err) =>
        log.warn({ err, projectId: id }, "The origin of a site's files could not be determined"),
    });
    const describe = async (describeSignal: AbortSignal) => {
      const summary = await git.readCommit(repository, checkout.commit, describeSignal);
      const { subject, authorName: author } = summary;
      return { subject, author, filesChanged: await listChanges(gitWork, repository, summary) };
    };
    const hasHostLogin = credentials === undefined && "credentials" in repository;
    return {
      ...checkout,
      origin,
      describe,
      findForkCommit: (branch, findSignal) =>
        git.findForkCommit(repository, { commit: checkout.commit, branch }, findSignal),
      ...(hasHostLogin && { isPublic: createPublicCheck(git, repository) }),
    };
  };
}

/** Creates a function that reports whether a repository can be read without the credentials of its code host. */
function createPublicCheck(git: Git, { url }: RemoteRepository): CheckoutResult["isPublic"] {
  return async (signal) => {
    try {
      await git.readRefs({ url }, ["HEAD"], signal);
      return true;
    } catch (error) {
      // A repository that does not respond is not considered public.
      if (isOctavoError(error) && error.code !== "cancelled") return false;
      throw error;
    }
  };
}

/** The maximum number of changed files that are recorded for a commit. */
const maxChangedFiles = 1_000;

/** Lists the files that a commit changed relative to its first parent. Returns undefined if it has no known parent. */
async function listChanges(
  gitWork: Pick<GitWork, "listChangedFiles">,
  repository: Repository,
  { commit, parents: [from] }: CommitSummary,
): Promise<ChangedFiles | undefined> {
  if (from === undefined) return undefined;
  let changes: readonly GitFileChange[];
  try {
    changes = await gitWork.listChangedFiles(repository, { from, to: commit });
  } catch (error) {
    // A shallow copy does not have the parent, and a change of very many files is too large to list.
    if (isOctavoError(error)) return undefined;
    throw error;
  }
  const listedChanges = changes.slice(0, maxChangedFiles);
  const select = (...kinds: readonly GitFileChange["kind"][]) =>
    listedChanges.filter(({ kind }) => kinds.includes(kind)).map(({ path }) => path.toWellFormed());
  const formerPaths = listedChanges.flatMap(({ from: former }) => former?.toWellFormed() ?? []);
  return {
    added: select("added", "renamed"),
    modified: select("modified", "type_changed"),
    removed: [...select("deleted"), ...formerPaths],
  };
}

interface CheckedOutSite extends CheckoutSource {
  /** The requested ref; undefined means the remote's HEAD. */
  readonly ref: string | undefined;
  /** The commit that was checked out. */
  readonly commit: string;
  /** The code host for the project's pull requests. */
  readonly codeHost: CodeHostName;
  /** Called with the error when a query fails. */
  readonly onFailure: (error: unknown) => void;
}

/** Creates the origin of a checkout's files. The origin queries the copy from which the checkout was made. */
function createCheckoutOrigin(git: Git, checkout: CheckedOutSite): SiteOrigin {
  const { repository, directory, commit, onFailure } = checkout;
  return {
    async lastChanges(files, signal) {
      const query = { commit, files, signal };
      try {
        return await git.findLastChanges({ repository, directory }, query);
      } catch (error) {
        signal?.throwIfAborted();
        onFailure(error);
        return new Map();
      }
    },
    async links(signal) {
      try {
        return await resolveSourceLinks(git, checkout);
      } catch (error) {
        signal?.throwIfAborted();
        onFailure(error);
        return undefined;
      }
    },
  };
}

/**
 * Returns links to the files on the code host, or undefined for a repository that this service hosts, because it has no
 * pages on which people can edit files.
 */
async function resolveSourceLinks(
  git: Git,
  { repository, directory, ref, codeHost }: CheckedOutSite,
): Promise<SourceLinks | undefined> {
  if ("path" in repository) return undefined;
  const branch = await git.findBranch(repository, ref);
  if (branch === undefined) return undefined;
  return findSourceLinks({ repository: repository.url, branch, directory, codeHost });
}
