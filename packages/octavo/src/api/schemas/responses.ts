import { z } from "zod";

export const actor = z
  .object({
    type: z.enum(["key", "person"]),
    id: z.string().meta({ description: "ID of the API key or the person." }),
    name: z.string().meta({ description: "The name at the time of the action." }),
  })
  .meta({ id: "Actor", description: "The API key or person that performed an action." });

/** The actor that created a resource. */
export const createdBy = actor.nullable().meta({
  description:
    "Who created the resource. Null if the operator, the service itself or an older version of the service created " +
    "it.",
});

const errorBody = z
  .object({
    error: z.string().meta({ description: "What went wrong and what to do about it." }),
  })
  .meta({ id: "Error", description: "The body of every error." });

/** A response header, as JSON Schema. */
interface ResponseHeader {
  readonly type: "string" | "integer";
  readonly description: string;
  readonly pattern?: string;
  readonly minimum?: number;
}

/** Response headers, keyed by name. */
type ResponseHeaders = Readonly<Record<string, ResponseHeader>>;

export const locationHeader = {
  Location: { type: "string", description: "The path of the created resource.", pattern: "^/" },
} as const satisfies ResponseHeaders;

export const entityTagHeader = {
  ETag: {
    type: "string",
    description: "An entity tag that changes with the resource; send it as `If-None-Match`.",
    pattern: '^"[^"]+"$',
  },
} as const satisfies ResponseHeaders;

/**
 * The headers with the state of a rate limit (draft-ietf-httpapi-ratelimit-headers). Every response to a caller with a
 * valid key has them.
 */
export const rateLimitHeaders = {
  "RateLimit-Policy": {
    type: "string",
    description: "The limit: the number of calls (`q`) in a window of seconds (`w`).",
    pattern: '^"[a-z-]+";q=[0-9]+;w=[0-9]+$',
  },
  RateLimit: {
    type: "string",
    description:
      "The number of remaining calls (`r`) and of seconds until one more call is allowed (`t`).",
    pattern: '^"[a-z-]+";r=[0-9]+(;t=[0-9]+)?$',
  },
} as const satisfies ResponseHeaders;

const retryHeader = {
  "Retry-After": {
    type: "integer",
    description: "Seconds to wait before the next attempt.",
    minimum: 0,
  },
} as const satisfies ResponseHeaders;

const challengeHeader = {
  "WWW-Authenticate": {
    type: "string",
    description: "The authentication scheme.",
    pattern: "^Bearer ",
  },
} as const satisfies ResponseHeaders;

/** Describes a JSON response in the form that route schemas require. */
export function describeJsonResponse<Schema extends z.ZodType>(
  description: string,
  schema: Schema,
  headers?: ResponseHeaders,
) {
  return { description, ...(headers && { headers }), content: { "application/json": { schema } } };
}

/** Describes a stream of server-sent events; `event` is the schema of each event's data. */
export function describeEventStream<Schema extends z.ZodType>(description: string, event: Schema) {
  return { description, content: { "text/event-stream": { schema: event } } };
}

/** The request headers of a resource with an entity tag. */
export const preconditionHeaders = z.object({
  "if-none-match": z.string().optional().meta({
    description: "Entity tags that you know. If the resource has one of them, the response is 304.",
  }),
  "if-match": z.string().optional().meta({
    description:
      "Entity tags that you expect. If the resource has none of them, the response is 412.",
  }),
});

/** The request headers of a stream of events. */
export const eventStreamHeaders = z.object({
  "last-event-id": z.string().optional().meta({
    description: "The ID of the last event that you received. The stream continues after it.",
  }),
});

/** Describes a response without a body. */
export function describeEmptyResponse(description: string, headers?: ResponseHeaders) {
  return z.undefined().meta({ description, ...(headers && { headers }) });
}

/** The descriptions of the error statuses, which are the same on every route. */
const errorDescriptions = {
  400: "The request is invalid; the message names the problem.",
  401: "The API key is missing, malformed, unknown, revoked or expired.",
  403: "The plan does not allow this, or the key lacks the scope for it.",
  404: "The resource does not exist, or it belongs to another organization.",
  409: "The resource's state does not allow this, or the first request with this Idempotency-Key is still running.",
  410: "The resource was removed after its retention time.",
  412: "The resource has none of the entity tags in If-Match.",
  413: "The body is too large.",
  415: "The body is not `application/json`, or it is compressed.",
  422: "The Idempotency-Key was used with a different body.",
  429: "A rate limit or a quota is reached; try again after `Retry-After` seconds.",
  503: "A required service is not responding; try again after `Retry-After` seconds.",
} as const;
type ErrorStatus = keyof typeof errorDescriptions;
type JsonResponse<Schema extends z.ZodType> = ReturnType<typeof describeJsonResponse<Schema>>;

type ErrorResponses<Status extends ErrorStatus> = Record<Status, JsonResponse<typeof errorBody>>;

/** Describes the error responses of a route, keyed by status. */
export function describeErrorResponses<Status extends ErrorStatus>(
  ...statuses: Status[]
): ErrorResponses<Status> {
  return describeErrors(statuses, getErrorHeaders);
}

/** Describes the error responses of a rate-limited call. All except 401 and 503 have the rate limit's headers. */
export function describeRateLimitedErrors<Status extends ErrorStatus>(
  ...statuses: Status[]
): ErrorResponses<Status> {
  return describeErrors(statuses, (status) => {
    const headers = getErrorHeaders(status);
    return status === 401 || status === 503 ? headers : { ...headers, ...rateLimitHeaders };
  });
}

function describeErrors<Status extends ErrorStatus>(
  statuses: readonly Status[],
  getHeaders: (status: Status) => ResponseHeaders | undefined,
): ErrorResponses<Status> {
  const responses = {} as ErrorResponses<Status>;
  for (const status of statuses) {
    responses[status] = describeJsonResponse(
      errorDescriptions[status],
      errorBody,
      getHeaders(status),
    );
  }
  return responses;
}

function getErrorHeaders(status: ErrorStatus): ResponseHeaders | undefined {
  if (status === 401) return challengeHeader;
  if (status === 412) return entityTagHeader;
  return status === 429 || status === 503 ? retryHeader : undefined;
}

/** Describes a time in responses: RFC 3339 in UTC with milliseconds. */
export function describeTimestamp(description: string) {
  const example = "2026-11-20T08:00:00.000Z";
  return z.string().meta({ format: "date-time", description, example });
}
