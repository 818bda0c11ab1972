import { Readable } from "node:stream";
import { z } from "zod";
import { auditActions, type AuditEvent } from "../../projects/index.ts";
import type { Api, ApiServices } from "../api.ts";
import { createPageQuery, nextCursor, toCursor } from "../cursor.ts";
import { declareRight } from "../route-rights.ts";
import { actor, describeErrorResponses, describeTimestamp } from "../schemas/responses.ts";

const timestamp = z.iso
  .datetime({ offset: true, error: "must be a time such as 2030-01-31T12:00:00Z" })
  .transform((text) => new Date(text))
  // Documents the parameter as the text that clients send, not as the parsed date.
  .meta({ type: "string", format: "date-time" });

const auditQuery = z.object({
  actor: z
    .string()
    .max(100)
    .optional()
    .meta({ description: "Only events of the API key or person with this ID." }),
  action: z.enum(auditActions).optional().meta({ description: "Only events of this action." }),
  since: timestamp
    .optional()
    .meta({ description: "Only events at or after this time.", format: "date-time" }),
  until: timestamp
    .optional()
    .meta({ description: "Only events before this time.", format: "date-time" }),
  ...createPageQuery("auditEvent"),
});

const auditEvent = z
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

const auditEventList = z
  .object({ events: z.array(auditEvent), nextCursor })
  .meta({ id: "AuditEventList", description: "Newest first." });

/** The request, response and description of the route. */
const auditOperations = {
  list: {
    operationId: "listAuditEvents",
    summary: "List audit events",
    description:
      "A key that is limited to a project lists only the events of that project. With `Accept: application/x-ndjson`, the response is a stream of all events that match the filters, one JSON object per line, and `limit` and `cursor` are ignored.",
    tags: ["Audit log"],
    querystring: auditQuery,
    response: {
      200: {
        description: "The events, newest first.",
        content: {
          "application/json": { schema: auditEventList },
          "application/x-ndjson": { schema: auditEvent },
        },
      },
      ...describeErrorResponses(400, 401, 403, 503),
    },
  },
};

const ndjsonType = "application/x-ndjson";

export function addAuditRoutes(api: Api, { audit }: Pick<ApiServices, "audit">): void {
  const listOptions = { schema: auditOperations.list, ...declareRight("audit.read") };
  api.get("/v2/audit", listOptions, async ({ caller, query, headers }, reply) => {
    const { limit, cursor, ...filter } = query;
    reply.header("vary", "accept");
    if (headers.accept?.includes(ndjsonType)) {
      await audit.recordReading(caller, "audit.exported");
      const events = Readable.from(toLines(audit.iterateAll(caller, filter)));
      // The types allow only one kind of response per status.
      return reply.type(ndjsonType).send(events as never);
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
