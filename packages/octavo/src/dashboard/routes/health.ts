import type { FastifyInstance } from "fastify";
import { requireOperator } from "../operator.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderHealthPage } from "../pages/health/health.ts";
import type { DashboardServices } from "../services.ts";

export function addHealthPages(app: FastifyInstance, services: DashboardServices): void {
  const { operator, addresses, sendPage, toErrorResponse } = services;
  const options = { ...createPageOptions("service.read"), preHandler: requireOperator };

  app.get("/health", options, async (request, reply) => {
    const [gauges, refusal] = await Promise.all([
      operator.readGauges(),
      operator.checkReady().then(
        () => undefined,
        (error: unknown) => toErrorResponse(error).body.error,
      ),
    ]);
    const { version, settings, models, retention } = operator;
    const view = { gauges, refusal, version, settings, models, retention, at: new Date() };
    return sendPage(request, reply, {
      title: "Health",
      section: "health",
      main: renderHealthPage(addresses, view),
    });
  });
}
