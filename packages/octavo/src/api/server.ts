import { randomUUID } from "node:crypto";
import type { IncomingMessage, Server, ServerOptions, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import Fastify, { LogController } from "fastify";
import type {
  FastifyReply,
  FastifyRequest,
  FastifySchemaCompiler,
  FastifyServerFactory,
  FastifyServerOptions,
} from "fastify";
import type { ZodTypeProvider } from "fastify-type-provider-zod";
import type { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import type { Actor } from "../core/index.ts";
import type { Metrics } from "../telemetry/index.ts";
import type { Api, ApiOptions, SendMissingPage, SiteListener } from "./api.ts";
import { limitConnections } from "./connection-limits.ts";
import { sendError } from "./errors.ts";
import { createOtherMethods } from "./method-not-allowed.ts";
import { acceptJsonBodies } from "./request-body.ts";
import { createRequestTimeouts, defaultTimeLimits } from "./request-clock.ts";
import type { RequestTimeouts } from "./request-clock.ts";
import { requireDeclaredRights } from "./route-rights.ts";

/** The default maximum size of request bodies. */
const maxBodyBytes = 1024 * 1024;
const maxCheckIntervalMs = 5_000;

export interface ApiServerOptions extends Pick<
  ApiOptions,
  "log" | "metrics" | "trustedProxies" | "requestTimeLimits" | "connections" | "sites"
> {
  /** The error message for an unknown path. */
  readonly notFoundMessage: string;
}

/**
 * Creates a server without routes. The body of every error is `{"error": "<sentence>"}`, and unknown paths are reported
 * before any other check.
 */
export function createServer(options: ApiServerOptions): {
  readonly api: Api;
  readonly clock: RequestTimeouts;
  /** Sets the function that responds when a browser requests a path that does not exist. */
  readonly setMissingPageSender: (send: SendMissingPage) => void;
} {
  const { log, metrics, trustedProxies, requestTimeLimits = defaultTimeLimits } = options;
  const wireErrors = createWireErrors();
  const clock = createRequestTimeouts(requestTimeLimits, wireErrors.respondToClientError);
  const otherMethods = createOtherMethods();
  const api = Fastify({
    loggerInstance: log,
    rewriteUrl: otherMethods.hide,
    // `logRequests` writes one line per response.
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: () => randomUUID(),
    bodyLimit: maxBodyBytes,
    requestTimeout: requestTimeLimits.transferTimeoutMs,
    trustProxy: trustedProxies.length > 0 ? [...trustedProxies] : false,
    // Requests that are in progress when the service stops are completed.
    return503OnClosing: false,
    // A lower limit would reject a request before its key is checked. Node limits the request line and headers to 16 KB
    // anyway.
    routerOptions: { maxParamLength: 16_384 },
    http: {
      requireHostHeader: false,
      headersTimeout: requestTimeLimits.headersTimeoutMs,
      // The interval at which Node checks for late requests.
      connectionsCheckingInterval: Math.min(
        maxCheckIntervalMs,
        requestTimeLimits.headersTimeoutMs / 4,
      ),
    },
    ...(options.sites && { serverFactory: createServerFactory(options.sites) }),
    schemaController: { compilersFactory },
    clientErrorHandler: wireErrors.respondToClientError,
    frameworkErrors(error, request, reply) {
      setCommonHeaders(request, reply);
      sendError(error, request, reply);
    },
  }).withTypeProvider<ZodTypeProvider>();
  wireErrors.addListeners(api.server);
  const drainConnections = trackConnections(api.server, requestTimeLimits.stopTimeoutMs);
  limitConnections(api.server, options.connections, { isBehindProxy: trustedProxies.length > 0 });
  acceptJsonBodies(api);
  api.setErrorHandler(sendError);
  let sendMissingPage: SendMissingPage | undefined;
  const refuseUnknownPath = (request: FastifyRequest, reply: FastifyReply) =>
    sendMissingPage && isPageRequest(request)
      ? sendMissingPage(request, reply.code(404), options.notFoundMessage)
      : reply.code(404).send({ error: options.notFoundMessage });
  api.addHook("onRequest", otherMethods.restore);
  api.addHook("onRequest", clock.start);
  api.addHook("onRequest", async (request, reply) => {
    setCommonHeaders(request, reply);
    requireOneHost(request);
  });
  // Checked in a hook because the handler would run only after the body has been read and validated.
  api.addHook("onRequest", (request, reply, done) => {
    if (request.is404 || hasEmptyParameter(request)) void refuseUnknownPath(request, reply);
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
  const setMissingPageSender = (send: SendMissingPage): void => {
    sendMissingPage = send;
  };
  return { api, clock, setMissingPageSender };
}

/** The content security policy of API responses. They are data, so they must not be rendered, framed or executed. */
const apiPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox";

/** Sets the headers of every response before anything can fail. A route may override the policy. */
function setCommonHeaders(request: FastifyRequest, reply: FastifyReply): void {
  reply.headers({
    "x-request-id": request.id,
    "content-security-policy": apiPolicy,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
  });
}

/** Reports whether a browser requests a page. Other clients accept JSON or any type. */
function isPageRequest({ method, headers }: FastifyRequest): boolean {
  return method === "GET" && (headers.accept ?? "").includes("text/html");
}

/**
 * Returns the function that creates the HTTP server. The server passes requests for published sites to their listener
 * before the router sees them.
 */
function createServerFactory({ owns, listener }: SiteListener): FastifyServerFactory {
  return (handler, { http = {}, keepAliveTimeout, requestTimeout }) => {
    const server = createHttpServer(http as ServerOptions, (request, response) => {
      if (owns(request)) listener(request, response);
      else handler(request, response);
    });
    server.keepAliveTimeout = Number(keepAliveTimeout);
    server.requestTimeout = Number(requestTimeout);
    return server;
  };
}

/**
 * Reports whether a path parameter is empty. For example, the router matches `/v2/projects/` to the route
 * `/v2/projects/:projectId`.
 */
function hasEmptyParameter({ params }: FastifyRequest): boolean {
  return Object.entries((params ?? {}) as Record<string, string>).some(
    ([name, value]) => name !== "*" && value === "",
  );
}

type SchemaController = NonNullable<FastifyServerOptions["schemaController"]>;

/**
 * Passed to Fastify at creation because it would otherwise load its own compilers (25 ms). The cast is necessary
 * because Fastify's types accept only its own schemas.
 */
const compilersFactory = {
  buildValidator: () => compileValidator,
  // The schemas determine the types of handlers, so responses need no check at run time.
  buildSerializer: () => () => (data: unknown) => JSON.stringify(data),
} as unknown as NonNullable<SchemaController["compilersFactory"]>;

/**
 * Keeps the connection open after a refused body. Fastify would close it, so that a client that is still sending would
 * often not read the error. Instead, what remains of the body is discarded, within the request clock's limits.
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

/**
 * Refuses a request with no Host header or with several, because a proxy and this service might each use a different
 * one (RFC 9112, 3.2). Node itself refuses a missing header without a message, and ignores additional ones.
 */
function requireOneHost({ raw: { httpVersion, rawHeaders } }: FastifyRequest): void {
  const count = rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === "host").length; // prettier-ignore
  if (count > 1) throw new OctavoError("invalid_input", "The request has several Host headers.");
  if (count === 0 && httpVersion === "1.1") {
    throw new OctavoError("invalid_input", "The request has no Host header.");
  }
}

declare module "fastify" {
  interface FastifyRequest {
    /** The actor that sent the request, once it is authenticated. */
    actor: Actor | undefined;
  }
}

/**
 * Writes one log line and one measurement per response. Successful reads are logged at `debug` because they are
 * frequent.
 */
function logRequests(api: Api, metrics: Metrics): void {
  const prefixes = new Set<string>();
  api.addHook("onRoute", ({ url }) => {
    for (const prefix of listLiteralPrefixes(url)) prefixes.add(prefix);
  });
  api.decorateRequest("actor", undefined);
  api.addHook("onResponse", async (request, reply) => {
    const { method, ip } = request;
    const route = request.routeOptions.url ?? "none";
    const status = reply.statusCode;
    // A stream lasts as long as its job, so its duration says nothing about the service.
    const isStream = reply.getHeader("content-type")?.toString().startsWith("text/event-stream");
    if (!isStream) {
      metrics.requestEnded({ method, route, status, seconds: reply.elapsedTime / 1000 });
    }
    const isPlainRead = status < 400 && (method === "GET" || method === "HEAD");
    const ms = Math.round(reply.elapsedTime);
    const url = formatLoggedUrl(request, prefixes);
    const fields = { method, url, status, ms, ip, actor: request.actor?.id };
    if (isPlainRead) request.log.debug(fields, "Answered");
    else request.log.info(fields, "Answered");
  });
}

/** Matches path parameters that may be logged: IDs of the service, numbers, and paths of git requests. */
const loggedParameter = /^(?:[a-z]{2,5}_[0-9a-z]{26}(?:\.git)?(?:\/[a-z-]{1,30})*|\d{1,9})$/;

/** Lists the prefixes of a route's path that have no parameters, e.g. `/v2` and `/v2/projects`. */
function listLiteralPrefixes(url: string): readonly string[] {
  const names = url.split("/").slice(1);
  const end = names.findIndex((name) => name === "" || /[:*]/.test(name));
  const literalNames = end === -1 ? names : names.slice(0, end);
  return literalNames.map((_, at) => `/${literalNames.slice(0, at + 1).join("/")}`);
}

/** Returns the longest prefix that an unknown path shares with a route, with a placeholder for the remaining path. */
function formatUnknownPath(url: string, prefixes: ReadonlySet<string>): string {
  const names = (url.split("?", 1)[0] ?? "").split("/").slice(1, 6);
  const candidates = names.map((_, at) => `/${names.slice(0, names.length - at).join("/")}`);
  const knownPrefix = candidates.find((start) => prefixes.has(start));
  return knownPrefix === undefined ? "(unknown path)" : `${knownPrefix}/(unknown path)`;
}

/**
 * Returns the request's path and the names of its query parameters. Other parts may be secrets, such as a sign-in code
 * or a misplaced key: a path parameter is shown by its name, and an unknown path only by the words that occur in the
 * service's own paths.
 */
function formatLoggedUrl(request: FastifyRequest, prefixes: ReadonlySet<string>): string {
  const { url, params, routeOptions } = request;
  const parameters = (params ?? {}) as Readonly<Record<string, string>>;
  const path = (routeOptions.url ?? formatUnknownPath(url, prefixes)).replaceAll(
    /:(\w+)|\*/g,
    (part, name: string | undefined) => {
      const value = parameters[name ?? "*"] ?? "";
      return loggedParameter.test(value) ? value : part;
    },
  );
  const query = url.split("?", 2)[1] ?? "";
  const names = [...new URLSearchParams(query).keys()].filter((name) => /^[a-z]{1,20}$/i.test(name)); // prettier-ignore
  return names.length === 0 ? path : `${path}?${names.join("&")}`;
}

/** The interval at which connections are checked while the service stops. */
const checkIntervalMs = 50;

interface OpenConnection {
  /** The number of requests whose responses are not completely sent. */
  pendingResponses: number;
  /**
   * The value of `socket.bytesRead` when the last response was complete. It is larger once a new request has begun.
   */
  bytesRead: number;
  /** The numbers of bytes that had been written and that were buffered at the last check. */
  written: string;
  /** The number of consecutive checks without progress. */
  stalledCheckCount: number;
}

/**
 * Tracks the connections of a server and returns the function to call when the server stops. From then on, requests in
 * progress are completed, and connections without a request are closed. A connection that has received only part of a
 * request's headers, or whose client stops reading the response, has `stopTimeoutMs` left. This time is counted in checks, so
 * that it is not shorter for the client if this process is blocked.
 *
 * `server.close()` alone would wait forever for such connections, and for connections on which nothing was sent, which
 * browsers open in advance. It also treats a response as sent as soon as the handler has ended it, and cuts the
 * response off if the client has not read it yet.
 */
export function trackConnections(server: Server, stopTimeoutMs: number): () => void {
  const connections = new Map<Socket, OpenConnection>();
  server.on("connection", (socket: Socket) => {
    connections.set(socket, {
      pendingResponses: 0,
      bytesRead: 0,
      written: "",
      stalledCheckCount: 0,
    });
    socket.once("close", () => connections.delete(socket));
  });
  server.on("request", ({ socket }, response) => {
    const connection = connections.get(socket);
    if (!connection) return;
    connection.pendingResponses++;
    response.once("close", () => {
      connection.pendingResponses--;
      connection.bytesRead = socket.bytesRead;
    });
  });
  // Does nothing when `server.close()` calls it, because the checks below close idle connections.
  server.closeIdleConnections = () => undefined;

  return () => {
    const timer = setInterval(() => {
      for (const [socket, connection] of connections) {
        const isIdle =
          connection.pendingResponses === 0 && socket.bytesRead === connection.bytesRead;
        connection.stalledCheckCount = hasProgressed(socket, connection)
          ? 0
          : connection.stalledCheckCount + 1;
        if (isIdle || connection.stalledCheckCount * checkIntervalMs > stopTimeoutMs)
          socket.destroy();
      }
      // The state is checked here rather than on `close`, which a server that never listened does not emit.
      if (!server.listening && connections.size === 0) clearInterval(timer);
    }, checkIntervalMs);
  };
}

/**
 * Reports whether the handler is still working on the response, or the client has read part of it since the last check.
 */
function hasProgressed(socket: Socket, connection: OpenConnection): boolean {
  if (connection.pendingResponses === 0) return false;
  const previousProgress = connection.written;
  connection.written = `${socket.bytesWritten} ${socket.writableLength}`;
  return socket.writableLength === 0 || connection.written !== previousProgress;
}

// See `net/exchange.ts` for why `node:http` is not imported.
const { STATUS_CODES, createServer: createHttpServer } = process.getBuiltinModule("node:http");
const lingerTimeoutMs = 2_000;

/**
 * Responds to input that never becomes a request, such as garbage, endless headers or a CONNECT. Node would respond
 * without a body, but every error of the service has a body of the same form.
 */
function writeErrorResponse(
  socket: Duplex,
  { status, error }: { status: number; error: string },
): void {
  if (!socket.writable) return;
  const body = JSON.stringify({ error });
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    "Content-Type: application/json; charset=utf-8",
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${randomUUID()}`,
    "X-Content-Type-Options: nosniff",
    "Cache-Control: no-store",
    "Connection: close",
  ];
  socket.end(`${head.join("\r\n")}\r\n\r\n${body}`);
  // The peer has this long to read the response before it is disconnected, even if it keeps sending.
  setTimeout(() => socket.destroy(), lingerTimeoutMs).unref();
}

function getErrorResponse(code: string | undefined): { status: number; error: string } {
  switch (code) {
    case "HPE_HEADER_OVERFLOW":
      return { status: 431, error: "The request's headers are larger than 16 KB in total." };
    case "HPE_CHUNK_EXTENSIONS_OVERFLOW":
      return { status: 413, error: "The body's chunk extensions are too large." };
    case "ERR_HTTP_REQUEST_TIMEOUT":
      return { status: 408, error: "The request took too long to arrive." };
    default:
      return { status: 400, error: "The request is not valid HTTP." };
  }
}

/** Handles the protocol errors that Fastify leaves to Node. Each server has its own instance. */
interface WireErrors {
  /** Fastify's `clientErrorHandler`, called when the HTTP parser fails on a connection. */
  readonly respondToClientError: (error: NodeJS.ErrnoException, socket: Duplex) => void;
  readonly addListeners: (server: Server) => void;
}

function createWireErrors(): WireErrors {
  const responses = new WeakMap<Duplex, ServerResponse>();

  function isResponding(socket: Duplex): boolean {
    const response = responses.get(socket);
    return response !== undefined && response.headersSent && !response.writableFinished;
  }

  return {
    respondToClientError(error, socket) {
      // After a reset, nobody reads a response. During a response, the client would treat further bytes as part of its
      // body.
      if (error.code === "ECONNRESET" || isResponding(socket)) {
        socket.destroy();
        return;
      }
      writeErrorResponse(socket, getErrorResponse(error.code));
    },
    addListeners(server) {
      server.on("request", (request, response) => responses.set(request.socket, response));
      server.on("checkExpectation", (request: IncomingMessage) => {
        const error = "The Expect header must be 100-continue.";
        writeErrorResponse(request.socket, { status: 417, error });
      });
      server.on("connect", (_request: IncomingMessage, socket: Duplex) => {
        const error = "Octavo is not a proxy: CONNECT is not supported.";
        writeErrorResponse(socket, { status: 400, error });
      });
    },
  };
}

const partNames: Readonly<Record<string, string>> = {
  body: "The body",
  querystring: "The query",
  headers: "The headers",
  params: "The path",
};

/** The maximum number of problems that one message names. */
const maxNamedProblems = 3;

/** Turns a zod schema for a part of a request into a Fastify validator, whose message names the first problems. */
const compileValidator: FastifySchemaCompiler<z.ZodType> = ({ schema, httpPart }) => {
  const part = partNames[httpPart ?? ""] ?? "The request";
  return (data) => {
    // The path is not checked: no resource has a name with unsafe text, so the lookup responds with 404.
    if (httpPart !== "params" && hasUnsafeText(data)) return { error: createUnsafeTextError(part) };
    const result = schema.safeParse(data, { reportInput: true });
    if (result.success) return { value: result.data };
    return { error: new OctavoError("invalid_input", describeIssues(result.error.issues, part)) };
  };
};

type Issue = z.core.$ZodIssue;

/** Zod's type names in plain words. */
const typeNames: Readonly<Record<string, string>> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "null",
};

function describeIssues(issues: readonly Issue[], part: string): string {
  const lowerCasePart = part.charAt(0).toLowerCase() + part.slice(1);
  const descriptions = issues
    .slice(0, maxNamedProblems)
    .map((issue, index) => describeIssue(issue, index === 0 ? part : lowerCasePart));
  const more = issues.length - descriptions.length;
  return `${descriptions.join("; ")}${more > 0 ? `; and ${more} more` : ""}.`;
}

function describeIssue(issue: Issue, part: string): string {
  const field = issue.path.map(String).join(".");
  if (issue.code === "unrecognized_keys") {
    const names = issue.keys.slice(0, 10).map((name) => JSON.stringify(name.slice(0, 100)));
    const owner = field === "" ? part : field;
    return `${owner} contains unknown fields: ${names.join(", ")}`;
  }
  if (field === "") return `${part} must be a JSON object`;
  return `${field} ${describeRule(issue)}`;
}

/**
 * Describes the broken rule with the schema's own message ("must be ...") if it has one, because zod's default messages
 * are for programmers.
 */
function describeRule(issue: Issue): string {
  if (issue.message.startsWith("must ")) return issue.message;
  switch (issue.code) {
    case "invalid_type":
      if (issue.input === undefined) return "is missing";
      return `must be ${typeNames[issue.expected] ?? issue.expected}${Array.isArray(issue.input) ? ", not a list" : ""}`;
    case "invalid_value":
      return `must be one of ${issue.values.map(String).join(", ")}`;
    case "too_small":
      return `must ${describeBound(issue.origin, "at least", issue.minimum)}`;
    case "too_big":
      return `must ${describeBound(issue.origin, "at most", issue.maximum)}`;
    default:
      return "is malformed";
  }
}

function describeBound(origin: string, bound: string, count: number | bigint): string {
  const isOne = Number(count) === 1;
  if (origin === "string") return `have ${bound} ${count} ${isOne ? "character" : "characters"}`;
  if (origin === "array") return `have ${bound} ${count} ${isOne ? "entry" : "entries"}`;
  return `be ${bound} ${count}`;
}

/**
 * Reports whether any string in `data` contains NUL, which PostgreSQL cannot store, or half of a surrogate pair, which
 * is not a character.
 */
function hasUnsafeText(data: unknown): boolean {
  const pendingValues: unknown[] = [data];
  while (pendingValues.length > 0) {
    const value = pendingValues.pop();
    if (typeof value === "string") {
      if (value.includes("\0") || !value.isWellFormed()) return true;
    } else if (typeof value === "object" && value !== null) {
      for (const [name, fieldValue] of Object.entries(value)) pendingValues.push(name, fieldValue);
    }
  }
  return false;
}

function createUnsafeTextError(part: string): OctavoError {
  return new OctavoError(
    "invalid_input",
    `${part} contains a NUL character or half of a surrogate pair; send well-formed Unicode text.`,
  );
}
