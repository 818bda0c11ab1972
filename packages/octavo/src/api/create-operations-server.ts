import type { FastifyInstance } from "fastify";
import type { OperationsOptions } from "./api.ts";
import { collectRoutes } from "./method-not-allowed.ts";
import { addOperationRoutes } from "./routes/operations.ts";
import { createServer } from "./server.ts";

/**
 * Creates the HTTP server of a node without the API. It serves only health and metrics, with the same responses as the
 * API. The server does not listen yet.
 */
export async function createOperationsServer(options: OperationsOptions): Promise<FastifyInstance> {
  const notFoundMessage =
    "This path does not exist. This node serves only /healthz, /readyz and /metrics here.";
  const { api } = createServer({ ...options, notFoundMessage: notFoundMessage });
  const refuseOtherMethods = collectRoutes(api);
  addOperationRoutes(api, options);
  refuseOtherMethods();
  await api.ready();
  return api as unknown as FastifyInstance;
}
