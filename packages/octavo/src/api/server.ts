import { randomUUID } from "node:crypto";
import Fastify, { LogController } from "fastify";
import type { FastifyReply, FastifyRequest, FastifyServerOptions } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { OctavoError } from "@octavo/site/core";
import type { Api, ApiOptions } from "./api.ts";
import { connectionLimits, limitConnections } from "./connection-limits.ts";
import { trackConnections } from "./drain-connections.ts";
import { sendError } from "./errors.ts";
import { acceptJsonBodies } from "./json-body.ts";
import { createRequestClock, requestTimes } from "./request-clock.ts";
import type { RequestClock } from "./request-clock.ts";
import { requireDeclaredRights } from "./route-rights.ts";
import { logRequests } from "./request-log.ts";
import { setCommonHeaders } from "./security-headers.ts";
import { compileValidator } from "./validation.ts";
import { createWireErrors } from "./wire-errors.ts";

/** The default limit of bodies. */
const bodyLimitBytes = 1024 * 1024;
const maxCheckMs = 5_000;

export interface ApiServerOptions extends Pick<
  ApiOptions,
  "log" | "metrics" | "trustedProxies" | "times" | "connections"
> {
  /** The message of the error for an unknown path. */
  readonly notFoundMessage: string;
}

/**
 * Creates a server without routes. The body of every error is `{"error": "<sentence>"}`, and unknown paths are reported
 * before any other check.
 */
export function createServer(options: ApiServerOptions): {
  readonly api: Api;
  readonly clock: RequestClock;
} {
  const { log, metrics, trustedProxies, times = requestTimes } = options;
  const { connections: limits = connectionLimits } = options;
  const wireErrors = createWireErrors();
  const clock = createRequestClock(times, wireErrors.answerClientError);
  const api = Fastify({
    loggerInstance: log,
    // `logRequests` writes one line per response.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: bodyLimitBytes,
    requestTimeout: times.transferMs,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    // A request that is in progress when the service stops is completed.
    return503OnClosing: false,
    // A lower limit would reject a request before its key is checked; headers are limited to 16 KB anyway.
    routerOptions: { maxParamLength: 16_384 },
    http: {
      requireHostHeader: false,
      headersTimeout: times.headersMs,
      // Interval in which Node checks for late requests.
      connectionsCheckingInterval: Math.min(maxCheckMs, times.headersMs / 4),
    },
    schemaController: { compilersFactory },
    clientErrorHandler: wireErrors.answerClientError,
    frameworkErrors(error, request, reply) {
      setCommonHeaders(request, reply);
      sendError(error, request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();
  wireErrors.listenOn(api.server);
  const drainConnections = trackConnections(api.server, times.stopMs);
  limitConnections(api.server, limits, { isBehindProxy: trustedProxies.length > 0 });
  acceptJsonBodies(api);
  api.setErrorHandler(sendError);
  const refuseUnknownPath = (_request: FastifyRequest, reply: FastifyReply) =>
    reply.code(404).send({ error: options.notFoundMessage });
  api.addHook("onRequest", clock.start);
  api.addHook("onRequest", async (request, reply) => {
    setCommonHeaders(request, reply);
    refuseMissingHost(request);
  });
  // The handler alone would run only after the body was read and validated.
  api.addHook("onRequest", (request, reply, done) => {
    if (request.is404 || hasEmptyPart(request)) void refuseUnknownPath(request, reply);
    else done();
  });
  api.setNotFoundHandler(refuseUnknownPath);
  requireDeclaredRights(api);
  api.addHook("onSend", keepConnection);
  api.addHook("preClose", async () => {
    clock.startShutdown();
    drainConnections();
  });
  logRequests(api, metrics);
  return { api, clock };
}

/** Reports whether a path parameter is empty: a path with a trailing slash matches a resource below it. */
function hasEmptyPart({ params }: FastifyRequest): boolean {
  return Object.entries((params ?? {}) as Record<string, string>).some(
    ([name, value]) => name !== "*" && value === "",
  );
}

type SchemaController = NonNullable<FastifyServerOptions["schemaController"]>;

/**
 * Set at the start, because Fastify would otherwise load its own compilers (25 ms). Its types accept only its own
 * schemas.
 */
const compilersFactory = {
  buildValidator: () => compileValidator,
  // Handlers are typed by the schemas, so their responses need no check at run time.
  buildSerializer: () => () => (data: unknown) => JSON.stringify(data),
} as unknown as NonNullable<SchemaController["compilersFactory"]>;

/**
 * Keeps the connection open after a refused body. Fastify closes it: a client that is still sending would be reset and
 * often never read the error. Instead, the rest of the body is discarded, within the request clock's limits.
 */
function keepConnection(
  _request: FastifyRequest,
  reply: FastifyReply,
  _payload: unknown,
  done: () => void,
): void {
  if (reply.hasHeader("connection")) reply.removeHeader("connection");
  done();
}

/** Refuses a request without a Host header. Node would also refuse it (RFC 9112, 3.2), but without a message. */
function refuseMissingHost({ headers, raw }: FastifyRequest): void {
  if (headers.host === undefined && raw.httpVersion === "1.1") {
    throw new OctavoError("invalid_input", "The request has no Host header.");
  }
}
