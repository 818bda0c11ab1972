import type { FastifyReply, FastifyRequest } from "fastify";
import type { Api } from "./api.ts";
import { publicRoute } from "./route-rights.ts";

// See `net/exchange.ts` for why it is not imported.
const { METHODS } = process.getBuiltinModule("node:http");

/**
 * Collects the paths of the routes that are added after this call. Call the returned function after the last route is
 * added. For every other method on these paths, it adds a route that responds with 405 and `Allow`.
 */
export function collectRoutes(app: Api): () => void {
  const urls = new Set<string>();
  const methods = new Set<string>();
  app.addHook("onRoute", ({ url, method }) => {
    urls.add(url);
    for (const each of [method].flat()) methods.add(each);
  });
  for (const method of METHODS) {
    // CONNECT never becomes a request. All other methods must be routable so that they can be refused.
    if (method !== "CONNECT" && !app.supportedMethods.includes(method)) app.addHttpMethod(method);
  }
  return () => {
    // A copy made before the refusing routes are added, so that the router is queried only for these methods and not
    // for all 33.
    const used = [...methods];
    for (const url of urls) refuseOtherMethods(app, url, used);
  };
}

function refuseOtherMethods(app: Api, url: string, used: readonly string[]): void {
  const served = used.filter((method) => app.hasRoute({ method, url }));
  const allow = served.toSorted().join(", ");
  const others = app.supportedMethods.filter((method) => !served.includes(method));
  if (others.length === 0) return;
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    const error = `${request.method} is not served at this path; use ${allow}.`;
    return reply.code(405).header("allow", allow).send({ error });
  };
  // Refuses in a hook because the handler runs only after the body has been read.
  const options = { ...publicRoute, schema: { hide: true }, onRequest: refuse, handler: refuse };
  app.route({ method: others, url, ...options });
}
