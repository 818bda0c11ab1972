import type { RouteOptions, FastifyReply, FastifyRequest } from "fastify";
import { openOnce } from "../../core/index.ts";
import type { Api, ApiServices } from "../api.ts";
import type { DocumentPath } from "../openapi.ts";
import { publicRoute } from "../route-rights.ts";

const documentPaths: readonly DocumentPath[] = [
  "/v1/openapi.json",
  "/v2/openapi.json",
  "/openapi.json",
];

/**
 * Collects the routes that are added after this call. Call the returned function to add the OpenAPI documents that
 * describe them, which are generated on the first request.
 */
export function collectDescribedRoutes(api: Api, baseUrl: () => string): () => void {
  const routes: RouteOptions[] = [];
  api.addHook("onRoute", (route) => {
    if (route.schema?.hide !== true) routes.push(route);
  });
  const describeOnce = openOnce(async () =>
    (await import("../openapi.ts")).describeApi(routes, baseUrl()),
  );
  return () => {
    for (const path of documentPaths) {
      api.get(path, { ...publicRoute, schema: { hide: true } }, async (_request, reply) => {
        const readDocument = await describeOnce();
        return reply.type("application/json; charset=utf-8").send(readDocument(path));
      });
    }
  };
}

/** The path of the manual's page about the HTTP API, to which `/docs` redirects. */
const apiPagePath = "/manual/reference/http-api";

/** The content security policy of the manual's responses, in addition to the policy in each of its pages. */
const manualPolicy = [
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join("; ");

/** Adds the manual, and `/docs`, where people look for an API's documentation. */
export function addManualRoutes(
  api: Api,
  { openManual }: Pick<ApiServices, "openManual">,
  basePath: string,
): void {
  const hiddenRoute = { ...publicRoute, schema: { hide: true } } as const;
  const serveManual = async (request: FastifyRequest, reply: FastifyReply) => {
    const handleManualRequest = await openManual();
    reply.hijack();
    reply.raw.setHeader("Content-Security-Policy", manualPolicy);
    reply.raw.setHeader("X-Request-Id", request.id);
    handleManualRequest(request.raw, reply.raw);
  };
  api.get("/manual", hiddenRoute, serveManual);
  api.get("/manual/*", hiddenRoute, serveManual);
  api.get("/docs", hiddenRoute, async (_request, reply) =>
    reply.redirect(basePath + apiPagePath, 302),
  );
}
