import { z } from "zod";

export const errorBody = z
  .object({
    error: z.string().meta({ description: "What was wrong and what to do, in a sentence." }),
  })
  .meta({ id: "Error", description: "The body of every error." });

/** A JSON answer with its description, as a route's schema wants it. */
export function jsonAnswer<Schema extends z.ZodType>(description: string, schema: Schema) {
  return { description, content: { "application/json": { schema } } };
}

/** A stream of server-sent events. */
export function eventAnswer(description: string) {
  return { description, content: { "text/event-stream": { schema: z.string() } } };
}

/** A unified diff. */
export function diffAnswer(description: string) {
  return { description, content: { "text/x-diff": { schema: z.string() } } };
}

/** An answer without a body. */
export function noAnswer(description: string) {
  return z.undefined().meta({ description });
}

/** What each status says of a failed call, the same on every route. */
const errorDescriptions = {
  400: "Something in the request is wrong; the sentence names it.",
  401: "There is no API key, or it is malformed, unknown or revoked.",
  403: "The plan or the key does not allow this.",
  404: "There is no such thing, or it belongs to another organization.",
  409: "The thing is not in a state that allows this, or the first request with this Idempotency-Key still runs.",
  410: "Retention has removed it.",
  413: "The body is too large.",
  415: "The body is not `application/json`.",
  422: "The Idempotency-Key was used with another body.",
  429: "The limit of such calls is reached; the next is taken after `Retry-After` seconds.",
  503: "Something that is needed does not answer; try again after `Retry-After` seconds.",
} as const;
type ErrorStatus = keyof typeof errorDescriptions;
type JsonAnswer<Schema extends z.ZodType> = ReturnType<typeof jsonAnswer<Schema>>;

/** The error answers of a route, by status. */
export function errorAnswers<Status extends ErrorStatus>(
  ...statuses: Status[]
): Record<Status, JsonAnswer<typeof errorBody>> {
  const answers = {} as Record<Status, JsonAnswer<typeof errorBody>>;
  for (const status of statuses) answers[status] = jsonAnswer(errorDescriptions[status], errorBody);
  return answers;
}

/** A time as every answer writes it: RFC 3339 in UTC with milliseconds. */
export function timestamp(description: string) {
  const example = "2026-11-20T08:00:00.000Z";
  return z.string().meta({ format: "date-time", description, example });
}
