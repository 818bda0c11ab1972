import type { FastifyInstance, FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import { deriveKey } from "../projects/index.ts";
import type { Api, ApiOptions, ApiServices, DashboardTools } from "./api.ts";
import { requireKey } from "./authentication.ts";
import { basePathOf } from "./base-path.ts";
import { signBundleLink } from "./bundle-link.ts";
import { toErrorAnswer } from "./errors.ts";
import { refuseDeclaredSize } from "./json-body.ts";
import { watchMethods } from "./method-not-allowed.ts";
import { addDocs, describeRoutes } from "./openapi.ts";
import { createOpenStreams } from "./open-streams.ts";
import { addAgentJobRoutes } from "./routes/agent-jobs.ts";
import { addBundleRoutes } from "./routes/bundles.ts";
import { addGitRoutes } from "./routes/git.ts";
import { addKeyRoutes } from "./routes/keys.ts";
import { addOperationRoutes } from "./routes/operations.ts";
import { addProjectRoutes } from "./routes/projects.ts";
import { addStaticExportRoutes } from "./routes/static-exports.ts";
import { addWebhookRoutes } from "./routes/webhooks.ts";
import { createServer } from "./server.ts";

/**
 * The HTTP server with every route, not yet listening. Closing it ends open event streams first.
 * Whatever happens to a request, its error is `{"error": "<sentence>"}`.
 */
export async function createApi(options: ApiOptions): Promise<FastifyInstance> {
  const nothingHere = "There is nothing at this path; /docs shows what there is.";
  const { api, clock } = createServer({ ...options, nothingHere });
  const streams = createOpenStreams(options.keys, (err) =>
    options.log.error({ err }, "Keys of open event streams could not be checked"),
  );
  const linkKey = deriveKey(options.secret, "bundle links");
  const services: ApiServices = { ...options, streams, linkKey };
  api.addHook("preClose", async () => streams.closeAll());
  const refuseOtherMethods = watchMethods(api);
  await describeRoutes(api);
  await api.register(async (keyed: Api) => addKeyedRoutes(keyed, services));
  addBundleRoutes(api, services);
  await addGitRoutes(api, services, clock);
  addOperationRoutes(api, services);
  const basePath = basePathOf(options.baseUrl());
  await addDocs(api, basePath);
  if (options.pages) await api.register(options.pages, pageTools(services, basePath));
  refuseOtherMethods();
  await api.ready();
  return api as unknown as FastifyInstance;
}

function pageTools(services: ApiServices, basePath: string): DashboardTools {
  return {
    basePath,
    toErrorAnswer,
    linkToBundle: (bundle) => signBundleLink(services, bundle).bundleUrl,
  };
}

/** `/v1/static-export/jobs/` matches the path of one job, whose ID is then empty. */
async function refuseEmptyIds({ params }: FastifyRequest): Promise<void> {
  if (!Object.values(params as Record<string, string>).includes("")) return;
  throw new OctavoError(
    "not_found",
    "The path ends where an ID belongs; leave out its last slash.",
  );
}

/** Every check in its order: 401, then the routes' own 404s, then the body. */
function addKeyedRoutes(api: Api, services: ApiServices): void {
  api.decorateRequest("caller");
  api.addHook("onRequest", requireKey(services.keys));
  api.addHook("onRequest", refuseEmptyIds);
  api.addHook("preParsing", refuseDeclaredSize);
  addStaticExportRoutes(api, services);
  addAgentJobRoutes(api, services);
  addProjectRoutes(api, services);
  addKeyRoutes(api, services);
  addWebhookRoutes(api, services);
}
