import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import Fastify, { LogController } from "fastify";
import type { FastifyInstance, FastifyRequest } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { OctavoError } from "../core/index.ts";
import { deriveKey } from "../projects/index.ts";
import type { Api, ApiOptions, ApiServices, PageTools } from "./api.ts";
import { requireKey } from "./authentication.ts";
import { basePathOf } from "./base-path.ts";
import { signBundleLink } from "./bundle-link.ts";
import { answerError, toErrorAnswer } from "./errors.ts";
import { acceptJsonBodies, refuseDeclaredSize } from "./json-body.ts";
import { watchMethods } from "./method-not-allowed.ts";
import { addDocs, describeRoutes } from "./openapi.ts";
import { createOpenStreams } from "./open-streams.ts";
import { observeRequests } from "./request-log.ts";
import { addAgentJobRoutes } from "./routes/agent-jobs.ts";
import { addBundleRoutes } from "./routes/bundles.ts";
import { addGitRoutes } from "./routes/git.ts";
import { addKeyRoutes } from "./routes/keys.ts";
import { addOperationRoutes } from "./routes/operations.ts";
import { addProjectRoutes } from "./routes/projects.ts";
import { addStaticExportRoutes } from "./routes/static-exports.ts";
import { addWebhookRoutes } from "./routes/webhooks.ts";
import { setCommonHeaders } from "./security-headers.ts";
import { compileValidator } from "./validation.ts";
import { createWireErrors } from "./wire-errors.ts";

/** Body of calls that do not say otherwise. */
const bodyLimitBytes = 1024 * 1024;
/** A request must have arrived whole in this time; a slow one cannot hold a connection for ever. */
const requestTimeoutMs = 120_000;
const idleCheckMs = 50;

/**
 * The HTTP server with every route, not yet listening. Closing it ends open event streams first.
 * Whatever happens to a request, its error is `{"error": "<sentence>"}`.
 */
export async function createApi(options: ApiOptions): Promise<FastifyInstance> {
  const api = createServer(options);
  const streams = createOpenStreams(options.keys, (err) =>
    options.log.error({ err }, "Keys of open event streams could not be checked"),
  );
  const linkKey = deriveKey(options.secret, "bundle links");
  const services: ApiServices = { ...options, streams, linkKey };
  api.addHook("preClose", async () => {
    streams.closeAll();
    closeIdleConnections(api.server);
  });
  const refuseOtherMethods = watchMethods(api);
  await describeRoutes(api);
  await api.register(async (keyed: Api) => addKeyedRoutes(keyed, services));
  addBundleRoutes(api, services);
  await addGitRoutes(api, services);
  addOperationRoutes(api, services);
  const basePath = basePathOf(options.baseUrl());
  await addDocs(api, basePath);
  if (options.pages) await api.register(options.pages, pageTools(services, basePath));
  refuseOtherMethods();
  await api.ready();
  return api as unknown as FastifyInstance;
}

function pageTools(services: ApiServices, basePath: string): PageTools {
  return {
    basePath,
    answerFor: toErrorAnswer,
    linkToBundle: (bundle) => signBundleLink(services, bundle).bundleUrl,
  };
}

function createServer({ log, metrics, trustedProxies }: ApiOptions): Api {
  const wireErrors = createWireErrors();
  const api = Fastify({
    loggerInstance: log,
    // One line for each answer is written by `observeRequests`.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: bodyLimitBytes,
    requestTimeout: requestTimeoutMs,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    // A request that is under way when the service stops is answered.
    return503OnClosing: false,
    // The router's limit would answer before the key is looked at; 16 KB of headers are the limit.
    routerOptions: { maxParamLength: 16_384 },
    http: { requireHostHeader: false },
    clientErrorHandler: wireErrors.answerClientError,
    frameworkErrors(error, request, reply) {
      setCommonHeaders(request, reply);
      answerError(error, request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();
  wireErrors.listenOn(api.server);
  acceptJsonBodies(api);
  api.setValidatorCompiler(compileValidator);
  // Handlers are typed by the schemas, so their answers need no second check at run time.
  api.setSerializerCompiler(() => (data) => JSON.stringify(data));
  api.setErrorHandler(answerError);
  api.addHook("onRequest", async (request, reply) => {
    setCommonHeaders(request, reply);
    refuseMissingHost(request);
  });
  api.setNotFoundHandler(async (_request, reply) => {
    const error = "There is nothing at this path; /docs shows what there is.";
    return reply.code(404).send({ error });
  });
  observeRequests(api, metrics);
  return api;
}

/** Node closes what is idle when it stops; what becomes idle after that would stay for its keep-alive time. */
function closeIdleConnections(server: Server): void {
  const timer = setInterval(() => server.closeIdleConnections(), idleCheckMs);
  server.once("close", () => clearInterval(timer));
}

/** Node would refuse it too (RFC 9112, 3.2), without a word. */
function refuseMissingHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === "1.1") {
    throw new OctavoError("invalid_input", "The request names no Host.");
  }
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
