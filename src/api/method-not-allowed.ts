import { METHODS } from "node:http";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Api } from "./api.ts";

/**
 * Collects the routes that are added after this call. The function it gives answers 405 with `Allow`
 * for every other method of their paths; call it when all routes are there.
 */
export function watchMethods(app: Api): () => void {
  const allowed = new Map<string, Set<string>>();
  app.addHook("onRoute", ({ url, method }) => {
    const methods = allowed.get(url) ?? new Set();
    for (const name of [method].flat()) methods.add(name);
    allowed.set(url, methods);
  });
  for (const method of METHODS) {
    // CONNECT never becomes a request; the rest is routed, so that it can be refused.
    if (method !== "CONNECT" && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  return () => {
    for (const [url, methods] of allowed) refuseOthers(app, url, [...methods]);
  };
}

function refuseOthers(app: Api, url: string, methods: readonly string[]): void {
  const allow = methods.toSorted().join(", ");
  const others = app.supportedMethods.filter((method) => !methods.includes(method));
  if (others.length === 0) return;
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    const error = `${request.method} is not served at this path; use ${allow}.`;
    return reply.code(405).header("allow", allow).send({ error });
  };
  // In a hook, because the handler would come after the body was read.
  app.route({ method: others, url, schema: { hide: true }, onRequest: refuse, handler: refuse });
}
