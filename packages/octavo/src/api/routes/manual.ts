import type { FastifyReply, FastifyRequest } from "fastify";
import type { Api, ApiServices } from "../api.ts";
import { publicRoute } from "../route-rights.ts";
import { manualPolicy } from "../security-headers.ts";

/** The page of the manual about the API, below which are the pages of its operations. */
const apiPage = "/manual/reference/http-api";

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
