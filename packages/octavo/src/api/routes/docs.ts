import type { FastifyReply, FastifyRequest, RouteOptions } from "fastify";
import { openOnce } from "../../core/index.ts";
import type { Api } from "../api.ts";
import type { DocumentPath } from "../openapi.ts";
import { publicRoute } from "../route-rights.ts";
import { docsPolicy } from "../security-headers.ts";

const documentPaths: readonly DocumentPath[] = [
  "/v1/openapi.json",
  "/v2/openapi.json",
  "/openapi.json",
];

const hidden = { ...publicRoute, schema: { hide: true } } as const;
/** Headers that belong to a connection, and not to the response that it carries. */
const ownHeaders: readonly string[] = ["connection", "date", "keep-alive", "transfer-encoding"];

/**
 * Collects the routes that are added after this call. Call the returned function to add the OpenAPI documents that
 * describe them, and the page that shows the documents. Both are made for the first request.
 */
export function collectDescriptions(api: Api, baseUrl: () => string): () => void {
  const routes: RouteOptions[] = [];
  api.addHook("onRoute", (route) => {
    if (route.schema?.hide !== true) routes.push(route);
  });
  const open = openOnce(async () => (await import("../openapi.ts")).openDocs(routes, baseUrl()));
  const sendPage = async (request: FastifyRequest, reply: FastifyReply) => {
    const { pages } = await open();
    const { url, headers: given } = request;
    const { statusCode, headers, rawPayload } = await pages.inject({
      method: "GET",
      url,
      headers: given,
    });
    if (statusCode === 404) return reply.callNotFound();
    for (const [name, value] of Object.entries(headers)) {
      if (!ownHeaders.includes(name) && value !== undefined) reply.header(name, value);
    }
    reply.header("content-security-policy", docsPolicy);
    return reply.code(statusCode).send(rawPayload.length === 0 ? undefined : rawPayload);
  };
  return () => {
    for (const path of documentPaths) {
      api.get(path, hidden, async (_request, reply) => {
        const { readDocument } = await open();
        return reply.type("application/json; charset=utf-8").send(readDocument(path));
      });
    }
    api.get("/docs", hidden, sendPage);
    api.get("/docs/*", hidden, sendPage);
  };
}
