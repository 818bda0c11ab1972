import { resolveSiblingModule } from "@octavo/site/core";
import { getHostedRepositoryUrl } from "../core/index.ts";
import { getBaseUrl, getSitesDomain } from "../config/index.ts";
import {
  createSiteReaders,
  createSites,
  createSiteSecrets,
  type SiteReaders,
  type Sites,
} from "../publish/index.ts";
import { openIsolation } from "../isolation/index.ts";
import {
  createJobAnnouncer,
  createDeployments,
  openAgentChanges,
  openDeploymentChanges,
  openQueue,
  openStaticExportChanges,
  registerNode,
} from "../jobs/index.ts";
import { createMetrics } from "../telemetry/index.ts";
import type { IsolatedOperations } from "./isolated.ts";
import type { NodeBase, NodeParts } from "./node-parts.ts";
import { repeatTasks, cleanupIntervalMs } from "./repeat-tasks.ts";
import { startApi, startOperations } from "./start-api.ts";
import { openSites } from "./open-sites.ts";
import { startWorker } from "./worker.ts";

/** The started roles with the node's URLs. `operationsUrl` is also set on a node that does not serve the API. */
interface StartedRoles extends AsyncDisposable {
  readonly publishedSites: Sites;
  readonly url: string | undefined;
  readonly operationsUrl: string | undefined;
}

/**
 * Starts the servers and workers that the configuration names. This module is separate from `open-node.ts` so that it
 * can be loaded while the database opens.
 */
export async function startRoles(base: NodeBase): Promise<StartedRoles> {
  await using resources = new AsyncDisposableStack();
  const { config, log, records, address } = base;
  const { database } = records;
  const description = { version: base.version, roles: config.roles };
  resources.use(await registerNode(database, description, log));
  const changes = resources.use(await openStaticExportChanges(database));
  const agentChanges = resources.use(await openAgentChanges(database));
  const deploymentChanges = resources.use(await openDeploymentChanges(database));
  const [isApi, isWorker] = [config.roles.includes("api"), config.roles.includes("worker")];
  const queue = resources.use(
    await openQueue({
      database,
      log,
      isWorker,
      pollIntervalMs: config.work.pollIntervalMs,
      quotas: config.quotas,
    }),
  );
  const { publishedSites, siteReaders } = createPublishing(base);
  const announcer = createJobAnnouncer({
    queue,
    getRepositoryUrl: (id) => getHostedRepositoryUrl(getBaseUrl(config, address.port), id),
    toOrigin: (label) => publishedSites.toOrigin(label),
  });
  const metrics = createMetrics();
  const deployments = createDeployments({
    database,
    queue,
    changes: deploymentChanges,
    announcer,
    space: base.space,
    metrics,
    quotas: config.quotas,
  });
  base.followRefs((moved) => deployments.followRefs(moved));
  const parts: NodeParts = {
    ...base,
    changes,
    agentChanges,
    deploymentChanges,
    deployments,
    publishedSites,
    siteReaders,
    queue,
    announcer,
    metrics,
    isolation: resources.use(
      openIsolation<IsolatedOperations>({
        program: resolveSiblingModule(import.meta.url, "isolated"),
      }),
    ),
  };
  const sites = config.roles.includes("sites") ? resources.use(await openSites(parts)) : undefined;
  // Started before the worker, because a job that continues immediately needs the port for its links.
  const apiServer = isApi ? resources.use(await startApi(parts, sites)) : undefined;
  if (isWorker) resources.use(await startWorker(parts));
  const operationsServer = isApi ? undefined : resources.use(await startOperations(parts, sites));
  resources.use(startCleanup(parts));
  const heldResources = resources.move();
  return {
    publishedSites,
    url: apiServer?.url,
    operationsUrl: (apiServer ?? operationsServer)?.url,
    [Symbol.asyncDispose]: () => heldResources.disposeAsync(),
  };
}

/** Creates the access to published sites and their readers that all roles share. */
function createPublishing({ config, records, address }: NodeBase): {
  readonly publishedSites: Sites;
  readonly siteReaders: SiteReaders;
} {
  const db = records.database.kysely;
  const domain = () => getSitesDomain(config, address.port);
  const publishedSites = createSites({ db, domain });
  const siteSecret = createSiteSecrets(records.secret);
  const siteReaders = createSiteReaders({ db, sites: publishedSites, domain, siteSecret });
  return { publishedSites, siteReaders };
}

/** Removes files that dead processes left in the data folder, immediately and then periodically. */
function startCleanup({ log, hosting }: NodeParts): AsyncDisposable {
  const task = () => hosting.removeLeftovers();
  const failureMessage = "The files of dead processes could not be removed";
  const firstRun = task().catch((err: unknown) => log.error({ err }, failureMessage));
  const repeatedTasks = repeatTasks(log, [{ intervalMs: cleanupIntervalMs, task, failureMessage }]);
  return {
    async [Symbol.asyncDispose]() {
      repeatedTasks[Symbol.dispose]();
      await firstRun;
    },
  };
}
