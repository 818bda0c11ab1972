import { randomUUID } from "node:crypto";
import type { Server } from "node:http";
import Fastify, { LogController } from "fastify";
import type { FastifyReply, FastifyRequest, FastifyServerOptions } from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import { OctavoError } from "@octavo/site/core";
import type { Api, ApiOptions } from "./api.ts";
import { answerError } from "./errors.ts";
import { acceptJsonBodies } from "./json-body.ts";
import { createRequestClock, requestTimes } from "./request-clock.ts";
import type { RequestClock } from "./request-clock.ts";
import { observeRequests } from "./request-log.ts";
import { setCommonHeaders } from "./security-headers.ts";
import { compileValidator } from "./validation.ts";
import { createWireErrors } from "./wire-errors.ts";

/** Body of calls that do not say otherwise. */
const bodyLimitBytes = 1024 * 1024;
const idleCheckMs = 50;

export interface ApiServerOptions extends Pick<
  ApiOptions,
  "log" | "metrics" | "trustedProxies" | "times"
> {
  /** What is said of a path at which there is nothing. */
  readonly nothingHere: string;
}

/**
 * A server without routes. Whatever happens to a request, its error is `{"error": "<sentence>"}`, and
 * unknown paths are told before anything else is looked at.
 */
export function createServer(options: ApiServerOptions): {
  readonly api: Api;
  readonly clock: RequestClock;
} {
  const { log, metrics, trustedProxies, times = requestTimes } = options;
  const wireErrors = createWireErrors();
  const clock = createRequestClock(times, wireErrors.answerClientError);
  const api = Fastify({
    loggerInstance: log,
    // One line for each answer is written by `observeRequests`.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: bodyLimitBytes,
    requestTimeout: times.transferMs,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    // A request that is under way when the service stops is answered.
    return503OnClosing: false,
    // The router's limit would answer before the key is looked at; 16 KB of headers are the limit.
    routerOptions: { maxParamLength: 16_384 },
    http: { requireHostHeader: false },
    schemaController: { compilersFactory },
    clientErrorHandler: wireErrors.answerClientError,
    frameworkErrors(error, request, reply) {
      setCommonHeaders(request, reply);
      answerError(error, request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();
  wireErrors.listenOn(api.server);
  acceptJsonBodies(api);
  api.setErrorHandler(answerError);
  const refuseUnknownPath = (_request: FastifyRequest, reply: FastifyReply) =>
    reply.code(404).send({ error: options.nothingHere });
  api.addHook("onRequest", clock.start);
  api.addHook("onRequest", async (request, reply) => {
    setCommonHeaders(request, reply);
    refuseMissingHost(request);
  });
  // The handler alone would come after the body was read, and found wrong.
  api.addHook("onRequest", (request, reply, done) => {
    if (request.is404) void refuseUnknownPath(request, reply);
    else done();
  });
  api.setNotFoundHandler(refuseUnknownPath);
  api.addHook("onSend", keepConnection);
  api.addHook("preClose", async () => {
    clock.hurry();
    closeIdleConnections(api.server);
  });
  observeRequests(api, metrics);
  return { api, clock };
}

type SchemaController = NonNullable<FastifyServerOptions["schemaController"]>;

/** Given at the start, because Fastify loads its own (25 ms) until another is set. Its types know schemas of its own only. */
const compilersFactory = {
  buildValidator: () => compileValidator,
  // Handlers are typed by the schemas, so their answers need no second check at run time.
  buildSerializer: () => () => (data: unknown) => JSON.stringify(data),
} as unknown as NonNullable<SchemaController["compilersFactory"]>;

/**
 * Fastify ends the connection of a body that it refuses: who is still sending would be reset, and often never
 * read why. The rest is passed over instead, as long as the request clock lets it.
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
