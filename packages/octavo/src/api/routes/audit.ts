import { Readable } from "node:stream";
import type { AuditEvent } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { toCursor } from "../cursor.ts";
import { declareRight } from "../route-rights.ts";
import { auditOperations as operations } from "../schemas/audit.ts";

const lines = "application/x-ndjson";

export function addAuditRoutes(api: Api, { audit }: Pick<ApiServices, "audit">): void {
  const list = { schema: operations.list, ...declareRight("audit.read") };
  api.get("/v2/audit", list, async ({ caller, query, headers }, reply) => {
    const { limit, cursor, ...filter } = query;
    const { organizationId } = caller;
    reply.header("vary", "accept");
    if (headers.accept?.includes(lines)) {
      const events = Readable.from(toLines(audit.all(organizationId, filter)));
      // The types allow only one kind of response per status.
      return reply.type(lines).send(events as never);
    }
    const { items, next } = await audit.list(organizationId, filter, { limit, before: cursor });
    return reply.send({ events: items.map(toBody), nextCursor: toCursor(next) });
  });
}

async function* toLines(events: AsyncIterable<AuditEvent>): AsyncIterable<string> {
  for await (const event of events) yield `${JSON.stringify(toBody(event))}\n`;
}

function toBody({ at, ...event }: AuditEvent) {
  return {
    id: event.id,
    at: at.toISOString(),
    action: event.action,
    actor: event.actor,
    target: event.target,
    projectId: event.projectId,
    details: event.details,
  };
}
