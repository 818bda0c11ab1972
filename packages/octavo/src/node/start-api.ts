import { join } from "node:path";
import { createApi, createOperationsServer } from "../api/index.ts";
import { getBaseUrl } from "../config/index.ts";
import { createDashboard } from "../dashboard/index.ts";
import {
  createAgentJobs,
  createJobLookup,
  createRepositoryInspector,
  createStaticExports,
  createWebhookDeliveries,
  createWebhookSender,
} from "../jobs/index.ts";
import { createActiveProjects } from "../projects/index.ts";
import { listen } from "./listen.ts";
import type { NodeParts } from "./node-parts.ts";
import { createProviderSignIns } from "./provider-sign-ins.ts";
import { checkReady, readGauges } from "./health.ts";
import { createOperatorView } from "./operator-view.ts";

/** A server that accepts requests until it is disposed of, and its address. */
type Served = AsyncDisposable & { readonly url: string };

/** Starts the API and the dashboard. */
export async function startApi(parts: NodeParts): Promise<Served> {
  const { config, log, records, storage, space, agentChanges, address } = parts;
  const { database } = records;
  const { queue, changes, announcer, metrics } = parts;
  const { quotas } = config;
  const health = {
    readGauges: () => readGauges({ database, space, log }),
    checkReady: () => checkReady({ database, storage, space }),
  };
  const shared = {
    storage,
    keys: records.keys,
    projects: records.projects,
    webhooks: records.webhooks,
    audit: records.audit,
    members: records.members,
    sessions: records.sessions,
    webhookDeliveries: createWebhookDeliveries(database),
    webhookSender: createWebhookSender({ database, queue }),
    staticExports: createStaticExports({
      database,
      queue,
      changes,
      announcer,
      space,
      metrics,
      quotas,
    }),
    agentJobs: createAgentJobs({
      database,
      queue,
      changes: agentChanges,
      announcer,
      space,
      metrics,
      model: config.model,
      allowedModels: config.allowedModels,
      quotas,
    }),
    hosting: parts.hosting,
    pullRequests: parts.pullRequests,
    reviews: parts.reviews,
    secret: records.secret,
    baseUrl: () => getBaseUrl(config, address.port),
  };
  const api = await createApi({
    ...shared,
    database,
    space,
    quotas,
    metrics,
    metricsToken: config.metricsToken,
    ...health,
    log,
    pages: createDashboard({
      ...shared,
      listActiveProjects: createActiveProjects(database.kysely),
      findJobs: createJobLookup(database.kysely),
      inspectRepository: createRepositoryInspector(parts.git),
      isolation: parts.isolation,
      cacheDir: join(config.dataFolder, "cache"),
      previewUrl: config.previewUrl,
      signIns: createProviderSignIns(config, records, address),
      operator: { ...health, ...createOperatorView(parts, database) },
    }),
    bundleLinkSeconds: config.bundleLinkSeconds,
    trustedProxies: config.trustedProxies,
  });
  address.port = await listen(api, config);
  return {
    url: getBaseUrl(config, address.port),
    [Symbol.asyncDispose]: () => api.close(),
  };
}

/**
 * Serves health and metrics of a node that only works on jobs. The node works without them if another program uses the
 * port, such as the API on the same machine.
 */
export async function startOperations(parts: NodeParts): Promise<Served | undefined> {
  const { config, log, records, storage, space, metrics } = parts;
  const { database } = records;
  const { host, trustedProxies, metricsToken } = config;
  const server = await createOperationsServer({
    metrics,
    metricsToken,
    readGauges: () => readGauges({ database, space, log }),
    checkReady: () => checkReady({ database, storage, space }),
    log,
    trustedProxies,
  });
  try {
    const port = await listen(server, config);
    // Not the address of the service, which belongs to another node.
    const url = getBaseUrl({ host, baseUrl: undefined }, port);
    return { url, [Symbol.asyncDispose]: () => server.close() };
  } catch (err) {
    log.warn({ err }, "Health and metrics of this worker are not served");
    return undefined;
  }
}
