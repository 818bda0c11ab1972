import { Readable } from "node:stream";
import { z } from "zod";
import { auditActions, type AuditEvent } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { createPageQuery, nextCursor, toCursor } from "../cursor.ts";
import { declareRight } from "../route-rights.ts";
import { actor, describeErrorResponses, describeTimestamp } from "../schemas/responses.ts";

const moment = z.iso
  .datetime({ offset: true, error: "must be a time such as 2030-01-31T12:00:00Z" })
  .transform((text) => new Date(text))
  // Documents the parameter as the text that clients send, not as the parsed date.
  .meta({ type: "string", format: "date-time" });

const query = z.object({
  actor: z
    .string()
    .max(100)
    .optional()
    .meta({ description: "The ID of the key or person that acted." }),
  action: z.enum(auditActions).optional().meta({ description: "The action." }),
  since: moment
    .optional()
    .meta({ description: "Only events at or after this time.", format: "date-time" }),
  until: moment
    .optional()
    .meta({ description: "Only events before this time.", format: "date-time" }),
  ...createPageQuery("auditEvent"),
});

const event = z
  .object({
    id: z.string().meta({ example: "ev_06f4k2…" }),
    at: describeTimestamp("When the action happened."),
    action: z.string().meta({ description: "The action.", example: "key.created" }),
    actor: actor.nullable().meta({
      description:
        "Who acted. Null if the operator ran a command, or for `session.refused`, if the person is unknown.",
    }),
    target: z
      .object({ id: z.string(), name: z.string().nullable() })
      .meta({ description: "The target of the action, with its name at that time." }),
    projectId: z.string().nullable(),
    details: z
      .record(z.string(), z.unknown())
      .meta({ description: "Further details, which depend on the action." }),
  })
  .meta({
    id: "AuditEvent",
    description: "An action that a person, an API key or the operator performed.",
  });

const list = z
  .object({ events: z.array(event), nextCursor })
  .meta({ id: "AuditEventList", description: "Newest first." });

/** The request, response and description of the route. */
const auditOperations = {
  list: {
    operationId: "listAuditEvents",
    summary: "List audit events",
    description:
      "A key that is limited to a project lists the events of this project. With `Accept: application/x-ndjson` the response is a stream of all events that fit the filters, one JSON object per line, and `limit` and `cursor` are ignored.",
    tags: ["Audit log"],
    querystring: query,
    response: {
      200: {
        description: "The events, newest first.",
        content: {
          "application/json": { schema: list },
          "application/x-ndjson": { schema: event },
        },
      },
      ...describeErrorResponses(400, 401, 403, 503),
    },
  },
};

const lines = "application/x-ndjson";

export function addAuditRoutes(api: Api, { audit }: Pick<ApiServices, "audit">): void {
  const list = { schema: auditOperations.list, ...declareRight("audit.read") };
  api.get("/v2/audit", list, async ({ caller, query, headers }, reply) => {
    const { limit, cursor, ...filter } = query;
    reply.header("vary", "accept");
    if (headers.accept?.includes(lines)) {
      await audit.recordReading(caller, "audit.exported");
      const events = Readable.from(toLines(audit.all(caller, filter)));
      // The types allow only one kind of response per status.
      return reply.type(lines).send(events as never);
    }
    const { items, next } = await audit.list(caller, filter, { limit, before: cursor });
    await audit.recordReading(caller, "audit.read");
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
