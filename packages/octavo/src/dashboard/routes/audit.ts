import { Readable } from "node:stream";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { auditActions } from "../../projects/index.ts";
import type { AuditEvent, AuditFilter } from "../../projects/index.ts";
import { createPageOptions } from "../page-rights.ts";
import { renderAuditPage } from "../pages/audit.ts";
import type { DashboardServices } from "../services.ts";
import { getHolder } from "../session/sessions.ts";
import { readBefore } from "./scope.ts";

const pageSize = 50;
const dayMs = 24 * 60 * 60 * 1000;

const day = z.iso.date().optional().catch(undefined);
/** The filter as the form sends it: unused fields are empty. */
const Filter = z.object({
  actor: z.string().trim().max(100).optional().catch(undefined),
  action: z.enum(auditActions).optional().catch(undefined),
  from: day,
  to: day,
});

export function addAuditPages(app: FastifyInstance, services: DashboardServices): void {
  const { audit, addresses, sendPage } = services;

  app.get("/audit", createPageOptions("audit.read"), async (request, reply) => {
    const { organizationId } = getHolder(request);
    const form = Filter.parse(request.query);
    const page = { limit: pageSize, before: readBefore(request) };
    const { items, next } = await audit.list(organizationId, toFilter(form), page);
    return sendPage(request, reply, {
      title: "Audit log",
      section: "audit",
      main: renderAuditPage(addresses, { events: items, next, form }),
    });
  });

  app.get(
    "/audit/export",
    createPageOptions("audit.read"),
    async (request: FastifyRequest, reply) => {
      const { organizationId } = getHolder(request);
      const events = audit.all(organizationId, toFilter(Filter.parse(request.query)));
      return reply
        .type("application/x-ndjson")
        .header("content-disposition", 'attachment; filename="audit.jsonl"')
        .send(Readable.from(toLines(events)));
    },
  );
}

function toFilter({ actor, action, from, to }: z.output<typeof Filter>): AuditFilter {
  return {
    actor: actor === "" ? undefined : actor,
    action,
    since: from === undefined ? undefined : new Date(from),
    until: to === undefined ? undefined : new Date(Date.parse(to) + dayMs),
  };
}

async function* toLines(events: AsyncIterable<AuditEvent>): AsyncIterable<string> {
  for await (const event of events) yield `${JSON.stringify(event)}\n`;
}
