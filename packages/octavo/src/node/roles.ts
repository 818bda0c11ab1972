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
import { repeatTasks, retentionMs } from "./repeat-tasks.ts";
import { startApi, startOperations } from "./start-api.ts";
import { openSites } from "./open-sites.ts";
import { startWorker } from "./worker.ts";

/** The started roles with the node's addresses. `operationsUrl` is also set on a node that does not serve the API. */
interface StartedRoles extends AsyncDisposable {
  readonly publishedSites: Sites;
  readonly url: string | undefined;
  readonly operationsUrl: string | undefined;
}

/**
 * Starts the servers and workers that the configuration names. This module is separate from `open-node.ts` because it
 * takes as long to load as the database takes to open.
 */
export async function startRoles(base: NodeBase): Promise<StartedRoles> {
  await using starting = new AsyncDisposableStack();
  const { config, log, records, address } = base;
  const { database } = records;
  const description = { version: base.version, roles: config.roles };
  starting.use(await registerNode(database, description, log));
  const changes = starting.use(await openStaticExportChanges(database));
  const agentChanges = starting.use(await openAgentChanges(database));
  const deploymentChanges = starting.use(await openDeploymentChanges(database));
  const [isApi, isWorker] = [config.roles.includes("api"), config.roles.includes("worker")];
  const queue = starting.use(
    await openQueue({
      database,
      log,
      isWorker,
      pollMs: config.work.pollMs,
      quotas: config.quotas,
    }),
  );
  const { publishedSites, siteReaders } = createPublishing(base);
  const announcer = createJobAnnouncer({
    queue,
    repositoryUrl: (id) => getHostedRepositoryUrl(getBaseUrl(config, address.port), id),
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
    isolation: starting.use(
      openIsolation<IsolatedOperations>({
        program: resolveSiblingModule(import.meta.url, "isolated"),
      }),
    ),
  };
  const sites = config.roles.includes("sites") ? starting.use(await openSites(parts)) : undefined;
  // Started before the worker, because a job that continues immediately needs the port for its links.
  const served = isApi ? starting.use(await startApi(parts, sites)) : undefined;
  if (isWorker) starting.use(await startWorker(parts));
  const observed = isApi ? undefined : starting.use(await startOperations(parts, sites));
  starting.use(startCleaning(parts));
  const started = starting.move();
  return {
    publishedSites,
    url: served?.url,
    operationsUrl: (served ?? observed)?.url,
    [Symbol.asyncDispose]: () => started.disposeAsync(),
  };
}

/** Creates what all roles use to publish sites. */
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

/** Removes files that dead processes left in the data folder, both immediately and periodically. */
function startCleaning({ log, hosting }: NodeParts): AsyncDisposable {
  const task = () => hosting.removeLeftovers();
  const failed = "The files of dead processes could not be removed";
  const first = task().catch((err: unknown) => log.error({ err }, failed));
  const repeated = repeatTasks(log, [{ everyMs: retentionMs, task, failed }]);
  return {
    async [Symbol.asyncDispose]() {
      repeated[Symbol.dispose]();
      await first;
    },
  };
}
