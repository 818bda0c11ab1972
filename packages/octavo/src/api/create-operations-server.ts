import type { FastifyInstance } from "fastify";
import type { ApiOptions } from "./api.ts";
import { watchMethods } from "./method-not-allowed.ts";
import { addOperationRoutes } from "./routes/operations.ts";
import { createServer } from "./server.ts";

export type OperationsOptions = Pick<
  ApiOptions,
  "database" | "storage" | "metrics" | "log" | "trustedProxies"
>;

/**
 * The HTTP server of a node that takes no other requests, not yet listening: its health and its metrics,
 * answered as by the API.
 */
export async function createOperationsServer(options: OperationsOptions): Promise<FastifyInstance> {
  const nothingHere =
    "There is nothing at this path: this node works on jobs, and answers /healthz, /readyz and /metrics only.";
  const { api } = createServer({ ...options, nothingHere });
  const refuseOtherMethods = watchMethods(api);
  addOperationRoutes(api, options);
  refuseOtherMethods();
  await api.ready();
  return api as unknown as FastifyInstance;
}
