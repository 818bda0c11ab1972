import type { Api, ApiServices } from "../api.ts";

/** Routes for orchestrators and monitoring; they need no key. */
export function addOperationRoutes(
  api: Api,
  { database, storage, metrics }: Pick<ApiServices, "database" | "storage" | "metrics">,
): void {
  api.get("/healthz", { schema: { hide: true } }, async () => ({ status: "ok" }));

  api.get("/readyz", { schema: { hide: true } }, async () => {
    await Promise.all([database.ping(), storage.ping()]);
    return { status: "ok" };
  });

  api.get("/metrics", { schema: { hide: true } }, async (_request, reply) => {
    const { contentType, body } = await metrics.expose();
    return reply.type(contentType).send(body);
  });
}
