import { z } from "zod";

export const errorBody = z
  .object({
    error: z.string().meta({ description: "What was wrong and what to do, in a sentence." }),
  })
  .meta({ id: "Error", description: "The body of every error." });

/** A header of an answer, as JSON Schema. */
interface AnswerHeader {
  readonly type: "string" | "integer";
  readonly description: string;
  readonly pattern?: string;
  readonly minimum?: number;
}

/** Headers by their names. What is described stands on every such answer. */
export type AnswerHeaders = Readonly<Record<string, AnswerHeader>>;

export const locationHeader = {
  Location: { type: "string", description: "The path of what was made.", pattern: "^/" },
} as const satisfies AnswerHeaders;

export const tagHeader = {
  ETag: {
    type: "string",
    description: "Changes with each change; give it back as `If-None-Match`.",
    pattern: '^"[^"]+"$',
  },
} as const satisfies AnswerHeaders;

/** What is left of a limit (draft-ietf-httpapi-ratelimit-headers), on every answer to a valid key. */
export const rateHeaders = {
  "RateLimit-Policy": {
    type: "string",
    description: "The limit: calls (`q`) in a window of seconds (`w`).",
    pattern: '^"[a-z-]+";q=[0-9]+;w=[0-9]+$',
  },
  RateLimit: {
    type: "string",
    description: "How many calls are left (`r`), and in how many seconds there is one more (`t`).",
    pattern: '^"[a-z-]+";r=[0-9]+(;t=[0-9]+)?$',
  },
} as const satisfies AnswerHeaders;

const retryHeader = {
  "Retry-After": {
    type: "integer",
    description: "Seconds after which the call can be made again.",
    minimum: 0,
  },
} as const satisfies AnswerHeaders;

const challengeHeader = {
  "WWW-Authenticate": { type: "string", description: "How a key is given.", pattern: "^Bearer " },
} as const satisfies AnswerHeaders;

/** A JSON answer with its description, as a route's schema wants it. */
export function jsonAnswer<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  headers?: AnswerHeaders,
) {
  return { description, ...(headers && { headers }), content: { "application/json": { schema } } };
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
export function noAnswer(description: string, headers?: AnswerHeaders) {
  return z.undefined().meta({ description, ...(headers && { headers }) });
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

type ErrorAnswers<Status extends ErrorStatus> = Record<Status, JsonAnswer<typeof errorBody>>;

/** The error answers of a route, by status. */
export function errorAnswers<Status extends ErrorStatus>(
  ...statuses: Status[]
): ErrorAnswers<Status> {
  return describeErrors(statuses, errorHeaders);
}

/** Those of a call that is counted: all but those to an invalid key, and where nothing can be looked up, say what is left. */
export function countedErrorAnswers<Status extends ErrorStatus>(
  ...statuses: Status[]
): ErrorAnswers<Status> {
  return describeErrors(statuses, (status) => {
    const headers = errorHeaders(status);
    return status === 401 || status === 503 ? headers : { ...headers, ...rateHeaders };
  });
}

function describeErrors<Status extends ErrorStatus>(
  statuses: readonly Status[],
  headersOf: (status: Status) => AnswerHeaders | undefined,
): ErrorAnswers<Status> {
  const answers = {} as ErrorAnswers<Status>;
  for (const status of statuses) {
    answers[status] = jsonAnswer(errorDescriptions[status], errorBody, headersOf(status));
  }
  return answers;
}

function errorHeaders(status: ErrorStatus): AnswerHeaders | undefined {
  if (status === 401) return challengeHeader;
  return status === 429 || status === 503 ? retryHeader : undefined;
}

/** A time as every answer writes it: RFC 3339 in UTC with milliseconds. */
export function timestamp(description: string) {
  const example = "2026-11-20T08:00:00.000Z";
  return z.string().meta({ format: "date-time", description, example });
}
