import type { RouteOptions } from "fastify";
import { openOnce } from "../../core/index.ts";
import type { Api } from "../api.ts";
import type { DocumentPath } from "../openapi.ts";
import { publicRoute } from "../route-rights.ts";

const documentPaths: readonly DocumentPath[] = [
  "/v1/openapi.json",
  "/v2/openapi.json",
  "/openapi.json",
];

/**
 * Collects the routes that are added after this call. Call the returned function to add the OpenAPI documents that
 * describe them, which are made for the first request.
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
