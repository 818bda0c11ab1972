import type { FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import { createProxyCheck, isSameSecret, toHostName } from "../../core/index.ts";
import type { Api, OperationsOptions } from "../api.ts";
import { readBearerToken } from "../authentication.ts";
import { publicRoute } from "../route-rights.ts";

const hiddenRoute = { ...publicRoute, schema: { hide: true } } as const;

/** The time for which a result is shared between calls. These routes are public and have no rate limit. */
const readinessShareMs = 200;
const gaugesShareMs = 1_000;

/** Adds the routes for orchestrators and monitoring. They require no API key. */
export function addOperationRoutes(
  api: Api,
  {
    metrics,
    metricsToken,
    readGauges,
    checkReady,
    sites,
    trustedProxies,
  }: Omit<OperationsOptions, "log">,
): void {
  const checkSharedReady = shareResult(readinessShareMs, checkReady);
  const isProxy = createProxyCheck(["loopback", ...trustedProxies]);
  const readSharedGauges = shareResult(gaugesShareMs, readGauges);

  api.get("/healthz", hiddenRoute, async () => ({ status: "ok" }));

  api.get("/readyz", hiddenRoute, async () => {
    await checkSharedReady();
    return { status: "ok" };
  });

  api.get("/tls/ask", hiddenRoute, async (request, reply) => {
    requireProxy(request, isProxy);
    const { domain } = request.query as { readonly domain?: unknown };
    const host = typeof domain === "string" ? toHostName(domain.replace(/\.$/, "")) : undefined;
    if (host !== undefined && sites?.hasHost(host) === true) return { status: "ok" };
    return reply.code(404).send({ error: "This node serves no site at this domain." });
  });

  api.get("/metrics", hiddenRoute, async (request, reply) => {
    if (metricsToken !== undefined) requireToken(request, metricsToken);
    const { contentType, body } = await metrics.expose(await readSharedGauges());
    return reply.type(contentType).send(body);
  });
}

/** Matches the names of headers that a proxy adds to a request that it forwards. */
const forwardingHeader = /^(?:forwarded|via|x-forwarded-.*|x-real-ip)$/;

/**
 * Refuses every caller except a proxy on this machine or at a trusted address that makes its own request rather than
 * forwarding one, because the responses would reveal which domains exist.
 */
function requireProxy(
  { headers, socket }: FastifyRequest,
  isProxy: (address: string) => boolean,
): void {
  const isForwarded = Object.keys(headers).some((name) => forwardingHeader.test(name));
  if (!isForwarded && isProxy(socket.remoteAddress ?? "")) return;
  throw new OctavoError(
    "forbidden",
    "Only a proxy may ask which domains are served, in a direct request from this machine or an address in OCTAVO_TRUST_PROXY.",
  );
}

function requireToken({ headers }: FastifyRequest, token: string): void {
  const presentedToken = readBearerToken(headers.authorization);
  if (presentedToken !== undefined && isSameSecret(presentedToken, token)) return;
  throw new OctavoError(
    "unauthorized",
    "The metrics require a token. Send the value of OCTAVO_METRICS_TOKEN in the header `Authorization: Bearer ...`.",
  );
}

/**
 * Returns a function whose concurrent calls, and all calls within `windowMs` after the result, share one result or
 * error, so that frequent calls do not add load on the database or the storage.
 */
function shareResult<Result>(
  windowMs: number,
  produceResult: () => Promise<Result>,
): () => Promise<Result> {
  let sharedResult: Promise<Result> | undefined;
  const scheduleForgetting = () =>
    void setTimeout(() => (sharedResult = undefined), windowMs).unref();
  return () => {
    if (sharedResult) return sharedResult;
    sharedResult = produceResult();
    sharedResult.then(scheduleForgetting, scheduleForgetting);
    return sharedResult;
  };
}
