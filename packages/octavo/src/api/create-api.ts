import type { FastifyInstance, onRequestAsyncHookHandler } from "fastify";
import type { Quotas } from "../core/index.ts";
import { deriveKey } from "../projects/index.ts";
import type { Api, ApiOptions, ApiServices, PageServices, OperationsOptions } from "./api.ts";
import { requireKey } from "./authentication.ts";
import { parseBasePath } from "./base-path.ts";
import { signBundleLink, addBundleRoutes } from "./routes/bundles.ts";
import { toErrorResponse } from "./errors.ts";
import { refuseContentCoding, refuseDeclaredSize } from "./request-body.ts";
import { createKeyLimit } from "./key-limit.ts";
import { collectRoutes } from "./method-not-allowed.ts";
import { createOpenStreams } from "./event-streams.ts";
import type { RequestTimeouts } from "./request-clock.ts";
import { requireRouteRight } from "./route-rights.ts";
import { addAgentJobRoutes } from "./routes/agent-jobs.ts";
import { addAuditRoutes } from "./routes/audit.ts";
import { addDeploymentRoutes } from "./routes/deployments.ts";
import { collectDescribedRoutes, addManualRoutes } from "./routes/docs.ts";
import { addGitRoutes } from "./routes/git.ts";
import { addHookRoutes, addProjectHookRoutes } from "./routes/hooks.ts";
import { addKeyRoutes } from "./routes/keys.ts";
import { addOperationRoutes } from "./routes/operations.ts";
import { addProjectUpdateRoutes } from "./routes/project-updates.ts";
import { addProjectRoutes } from "./routes/projects.ts";
import { addReviewNoteRoutes } from "./routes/review-notes.ts";
import { addSiteRoutes } from "./routes/sites.ts";
import { addStaticExportRoutes } from "./routes/static-exports.ts";
import { addWebhookRoutes } from "./routes/webhooks.ts";
import { createServer } from "./server.ts";

/**
 * Creates the HTTP server with every route. The server does not listen yet. Closing it first ends open event streams.
 * The body of every error is `{"error": "<sentence>"}`.
 */
export async function createApi(options: ApiOptions): Promise<FastifyInstance> {
  const notFoundMessage = "This path does not exist; see /manual for all paths.";
  const { api, clock, setMissingPageSender } = createServer({ ...options, notFoundMessage });
  const streams = createOpenStreams({
    keys: options.keys,
    quotas: options.quotas,
    onError: (err) =>
      options.log.error({ err }, "The API keys of open event streams could not be checked"),
  });
  const linkKey = deriveKey(options.secret, "bundle links");
  const services: ApiServices = { ...options, streams, linkKey };
  api.addHook("preClose", async () => streams.closeAll());
  const refuseOtherMethods = collectRoutes(api);
  const addOpenApiRoutes = collectDescribedRoutes(api, options.baseUrl);
  await api.register(async (keyedApi: Api) => addKeyedRoutes(keyedApi, services, clock));
  addBundleRoutes(api, services);
  addHookRoutes(api, services);
  await addGitRoutes(api, services, clock);
  addOperationRoutes(api, services);
  const basePath = parseBasePath(options.baseUrl());
  addOpenApiRoutes();
  addManualRoutes(api, services, basePath);
  if (options.pages) {
    await api.register(options.pages, {
      ...buildPageServices(services, basePath),
      setMissingPageSender,
    });
  }
  refuseOtherMethods();
  await api.ready();
  return api as unknown as FastifyInstance;
}

function buildPageServices(
  services: ApiServices,
  basePath: string,
): Omit<PageServices, "setMissingPageSender"> {
  return {
    basePath,
    toErrorResponse,
    linkToBundle: (bundle) => signBundleLink(services, bundle).bundleUrl,
  };
}

/** Limits each key's concurrent requests, which compete for database connections and memory. */
function limitRequests(quotas: Quotas): onRequestAsyncHookHandler {
  const limit = createKeyLimit("requests", (plan) => quotas[plan].requests);
  return async ({ caller }, reply) => {
    reply.raw.once("close", limit.enter(caller));
  };
}

/**
 * Adds the routes that require a key. They check the key (401) first, then the resource in the path (404), the body and
 * the right.
 */
function addKeyedRoutes(api: Api, services: ApiServices, clock: RequestTimeouts): void {
  api.decorateRequest("caller");
  api.addHook("onRequest", requireKey(services.keys));
  api.addHook("onRequest", limitRequests(services.quotas));
  api.addHook("preParsing", refuseDeclaredSize);
  api.addHook("preParsing", refuseContentCoding);
  api.addHook("preHandler", requireRouteRight);
  addStaticExportRoutes(api, services);
  addAgentJobRoutes(api, services);
  addProjectRoutes(api, services);
  addDeploymentRoutes(api, services, clock);
  addSiteRoutes(api, services);
  addProjectUpdateRoutes(api, services);
  addProjectHookRoutes(api, services);
  addReviewNoteRoutes(api, services);
  addKeyRoutes(api, services);
  addWebhookRoutes(api, services);
  addAuditRoutes(api, services);
}

/**
 * Creates the HTTP server of a node without the API. It serves only health and metrics, with the same responses as the
 * API. The server does not listen yet.
 */
export async function createOperationsServer(options: OperationsOptions): Promise<FastifyInstance> {
  const notFoundMessage =
    "This path does not exist. This node serves only /healthz, /readyz and /metrics here.";
  const { api } = createServer({ ...options, notFoundMessage });
  const refuseOtherMethods = collectRoutes(api);
  addOperationRoutes(api, options);
  refuseOtherMethods();
  await api.ready();
  return api as unknown as FastifyInstance;
}
