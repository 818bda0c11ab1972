import type { IncomingMessage } from "node:http";
import type { FastifyReply, FastifyRequest, onRequestHookHandler } from "fastify";
import type { Api } from "./api.ts";
import { publicRoute } from "./route-rights.ts";

/** The methods of the service's routes. A route with another method would never be reached. */
const usedMethods: readonly string[] = ["DELETE", "GET", "HEAD", "PATCH", "POST", "PUT"];
/** The method under which the router looks for requests with any other method. No route may serve it. */
const otherMethod = "OPTIONS";

/**
 * Hooks that let the router see a single method instead of the 28 that no route serves. A router that can refuse each
 * of them on every path takes 50 ms to build.
 */
interface OtherMethods {
  /** Fastify's `rewriteUrl`: hides the method from the router, and returns the unchanged address. */
  readonly hide: (request: IncomingMessage) => string;
  /** Restores the method after the routing. Must be the first `onRequest` hook. */
  readonly restore: onRequestHookHandler;
}

export function createOtherMethods(): OtherMethods {
  const hidden = new WeakMap<IncomingMessage, string>();
  return {
    hide(request) {
      const { method = otherMethod, url = "" } = request;
      if (!usedMethods.includes(method)) {
        hidden.set(request, method);
        request.method = otherMethod;
      }
      return url;
    },
    restore({ raw }, _reply, done) {
      const method = hidden.get(raw);
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
  const served = usedMethods.filter((method) => app.hasRoute({ method, url }));
  const allow = served.join(", ");
  const others = [...usedMethods, otherMethod].filter((method) => !served.includes(method));
  const refuse = async (request: FastifyRequest, reply: FastifyReply) => {
    const error = `${request.method} is not served at this path; use ${allow}.`;
    return reply.code(405).header("allow", allow).send({ error });
  };
  // Refuses in a hook because the handler runs only after the body has been read.
  const options = { ...publicRoute, schema: { hide: true }, onRequest: refuse, handler: refuse };
  app.route({ method: others, url, ...options });
}
