import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { Api } from "./api.ts";
import { publicRoute } from "./route-rights.ts";

/** The methods of the service's routes. A route with another method would never be reached. */
const servedMethods: readonly string[] = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];
/** Replaces every method that is not in `servedMethods` while a request is routed. No route may serve it. */
const standInMethod = "OPTIONS";

/**
 * Hooks that replace each of the 28 methods that no route serves with one stand-in during routing. A router that had to
 * refuse all of them on every path would take 50 ms to build.
 */
interface OtherMethods {
  /** Fastify's `rewriteUrl` hook: hides the method from the router and returns the URL unchanged. */
  readonly hide: (request: IncomingMessage) => string;
  /** Restores the method after the routing. Must be the first `onRequest` hook. */
  readonly restore: onRequestHookHandler;
}

export function createOtherMethods(): OtherMethods {
  const hiddenMethods = new WeakMap<IncomingMessage, string>();
  return {
    hide(request) {
      const { method = standInMethod, url = "" } = request;
      if (!servedMethods.includes(method)) {
        hiddenMethods.set(request, method);
        request.method = standInMethod;
      }
      return url;
    },
    restore({ raw }, _reply, done) {
      const method = hiddenMethods.get(raw);
      if (method !== undefined) raw.method = method;
      done();
    },
  };
}

/**
 * Collects the paths of the routes that are added after this call. Call the returned function after the last route is
 * added. For every other method on these paths, it adds a route that responds with 405 and `Allow`. The server must
 * have been created with `createOtherMethods`.
 */
export function collectRoutes(app: Api): () => void {
  const urls = new Set<string>();
  app.addHook("onRoute", ({ url }) => void urls.add(url));
  return () => {
    for (const url of urls) refuseOtherMethods(app, url);
  };
}

function refuseOtherMethods(app: Api, url: string): void {
  const allowedMethods = servedMethods.filter((method) => app.hasRoute({ method, url }));
  const allowHeader = allowedMethods.join(", ");
  const refusedMethods = [...servedMethods, standInMethod].filter(
    (method) => !allowedMethods.includes(method),
  );
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    const error = `${request.method} is not served at this path; use ${allowHeader}.`;
    return reply.code(405).header("allow", allowHeader).send({ error });
  };
  // Refuses in a hook because the handler runs only after the body has been read.
  const options = { ...publicRoute, schema: { hide: true }, onRequest: refuse, handler: refuse };
  app.route({ method: refusedMethods, url, ...options });
}
