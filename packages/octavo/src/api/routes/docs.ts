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
export function collectDescriptions(api: Api, baseUrl: () => string): () => void {
  const routes: RouteOptions[] = [];
  api.addHook("onRoute", (route) => {
    if (route.schema?.hide !== true) routes.push(route);
  });
  const open = openOnce(async () => (await import("../openapi.ts")).describeApi(routes, baseUrl()));
  return () => {
    for (const path of documentPaths) {
      api.get(path, { ...publicRoute, schema: { hide: true } }, async (_request, reply) => {
        const readDocument = await open();
        return reply.type("application/json; charset=utf-8").send(readDocument(path));
      });
    }
  };
}

/** The manual's page about the API, which has the pages of the API's operations below it. */
const apiPage = "/manual/reference/http-api";

/** The policy of the manual, in addition to the one in each of its pages. */
const manualPolicy = [
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "object-src 'none'",
].join("; ");

/** Adds the manual, and the address at which people look for the documentation of an API. */
export function addManualRoutes(
  api: Api,
  { openManual }: Pick<ApiServices, "openManual">,
  basePath: string,
): void {
  const hidden = { ...publicRoute, schema: { hide: true } } as const;
  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const answer = await openManual();
    reply.hijack();
    reply.raw.setHeader("Content-Security-Policy", manualPolicy);
    reply.raw.setHeader("X-Request-Id", request.id);
    answer(request.raw, reply.raw);
  };
  api.get("/manual", hidden, show);
  api.get("/manual/*", hidden, show);
  api.get("/docs", hidden, async (_request, reply) => reply.redirect(basePath + apiPage, 302));
}
