import { z } from "zod";
import { auditActions } from "../../projects/index.ts";
import { nextCursor, createPageQuery } from "../cursor.ts";
import { actor } from "./created-by.ts";
import { describeErrorResponses, describeTimestamp } from "./responses.ts";

const moment = z.iso
  .datetime({ offset: true, error: "must be a time such as 2030-01-31T12:00:00Z" })
  .transform((text) => new Date(text))
  // For clients, it is the text from which the value is parsed.
  .meta({ type: "string", format: "date-time" });

const query = z.object({
  actor: z.string().max(100).optional().meta({ description: "The ID of a key or a person." }),
  action: z.enum(auditActions).optional().meta({ description: "What was done." }),
  since: moment.optional().meta({ description: "The earliest time.", format: "date-time" }),
  until: moment.optional().meta({ description: "The first time after.", format: "date-time" }),
  ...createPageQuery("auditEvent"),
});

const event = z
  .object({
    id: z.string().meta({ example: "ev_06f4k2…" }),
    at: describeTimestamp("When it was done."),
    action: z.string().meta({ description: "What was done.", example: "key.created" }),
    actor: actor.nullable().meta({
      description: "Null: the operator, with a command; for `session.refused` nobody who is known.",
    }),
    target: z
      .object({ id: z.string(), name: z.string().nullable() })
      .meta({ description: "The target of the action, with its name at that time." }),
    projectId: z.string().nullable(),
    details: z.record(z.string(), z.unknown()).meta({ description: "More, by the action." }),
  })
  .meta({ id: "AuditEvent", description: "Something that somebody did." });

const list = z
  .object({ events: z.array(event), nextCursor })
  .meta({ id: "AuditEventList", description: "Newest first." });

/** The request, response and description of the route. */
export const auditOperations = {
  list: {
    operationId: "listAuditEvents",
    summary: "List who did what",
    description:
      "With `Accept: application/x-ndjson` the response is a stream of all events that fit the filters, one JSON object a line; `limit` and `cursor` do not count then.",
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
