import type { Api, OperationsOptions } from "../api.ts";
import { forEveryone } from "../route-rights.ts";
import { shareResult } from "../share-result.ts";

const hidden = { ...forEveryone, schema: { hide: true } } as const;

/** Anybody can ask, as often as they like. */
const readyMs = 200;
const gaugesMs = 1_000;

/** Routes for orchestrators and monitoring; they need no key. */
export function addOperationRoutes(
  api: Api,
  {
    database,
    storage,
    space,
    metrics,
    readGauges,
  }: Omit<OperationsOptions, "log" | "trustedProxies">,
): void {
  const checkReady = shareResult(readyMs, () =>
    Promise.all([database.ping(), storage.ping(), space.check()]),
  );
  const readSharedGauges = shareResult(gaugesMs, readGauges);

  api.get("/healthz", hidden, async () => ({ status: "ok" }));

  api.get("/readyz", hidden, async () => {
    await checkReady();
    return { status: "ok" };
  });

  api.get("/metrics", hidden, async (_request, reply) => {
    const { contentType, body } = await metrics.expose(await readSharedGauges());
    return reply.type(contentType).send(body);
  });
}
