import type { FastifyRequest } from "fastify";
import { OctavoError } from "@octavo/site/core";
import { createProxyCheck, isSameSecret, toHostName } from "../../core/index.ts";
import type { Api, OperationsOptions } from "../api.ts";
import { readBearerToken } from "../authentication.ts";
import { publicRoute } from "../route-rights.ts";

const hidden = { ...publicRoute, schema: { hide: true } } as const;

/** The time for which a result is shared, because anyone may call as often as they like. */
const readyMs = 200;
const gaugesMs = 1_000;

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
  const checkSharedReady = shareResult(readyMs, checkReady);
  const isProxy = createProxyCheck(["loopback", ...trustedProxies]);
  const readSharedGauges = shareResult(gaugesMs, readGauges);

  api.get("/healthz", hidden, async () => ({ status: "ok" }));

  api.get("/readyz", hidden, async () => {
    await checkSharedReady();
    return { status: "ok" };
  });

  api.get("/tls/ask", hidden, async (request, reply) => {
    requireProxy(request, isProxy);
    const { domain } = request.query as { readonly domain?: unknown };
    const host = typeof domain === "string" ? toHostName(domain.replace(/\.$/, "")) : undefined;
    if (host !== undefined && sites?.hasHost(host) === true) return { status: "ok" };
    return reply.code(404).send({ error: "This node serves no site at this domain." });
  });

  api.get("/metrics", hidden, async (request, reply) => {
    if (metricsToken !== undefined) requireToken(request, metricsToken);
    const { contentType, body } = await metrics.expose(await readSharedGauges());
    return reply.type(contentType).send(body);
  });
}

/** Headers that a proxy adds to a request that it forwards. */
const isForwarding = /^(?:forwarded|via|x-forwarded-.*|x-real-ip)$/;

/**
 * Refuses every caller except a proxy that makes its own request, from this machine or from an address that the
 * operator trusts, because the responses would reveal which domains exist.
 */
function requireProxy(
  { headers, socket }: FastifyRequest,
  isProxy: (address: string) => boolean,
): void {
  const isForwarded = Object.keys(headers).some((name) => isForwarding.test(name));
  if (!isForwarded && isProxy(socket.remoteAddress ?? "")) return;
  throw new OctavoError(
    "forbidden",
    "Only a proxy may ask which domains are served, in a direct request from this machine or an address in OCTAVO_TRUST_PROXY.",
  );
}

function requireToken({ headers }: FastifyRequest, token: string): void {
  const given = readBearerToken(headers.authorization);
  if (given !== undefined && isSameSecret(given, token)) return;
  throw new OctavoError(
    "unauthorized",
    "The metrics require a token. Send the value of OCTAVO_METRICS_TOKEN in the header `Authorization: Bearer ...`.",
  );
}

/**
 * Returns a function whose concurrent calls, and all calls within `ms` after them, share one result or error, so that
 * frequent calls do not add load on the database or the storage.
 */
function shareResult<Result>(ms: number, work: () => Promise<Result>): () => Promise<Result> {
  let shared: Promise<Result> | undefined;
  const forgetLater = () => void setTimeout(() => (shared = undefined), ms).unref();
  return () => {
    if (shared) return shared;
    shared = work();
    shared.then(forgetLater, forgetLater);
    return shared;
  };
}
