import type { FastifyError, FastifyReply, FastifyRequest } from "fastify";
import { isOctavoError } from "@octavo/site/core";
import type { OctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";

/**
 * The HTTP status of each error code. Codes that only jobs use map to 500, because an API response with one of these
 * codes would be a bug.
 */
const statuses: Readonly<Record<ErrorCode, number>> = {
  invalid_input: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  too_large: 413,
  key_reused: 422,
  rate_limited: 429,
  unavailable: 503,
  repository_unreachable: 500,
  ref_not_found: 500,
  site_invalid: 500,
  cancelled: 500,
  internal: 500,
};

const defaultRetrySeconds = 5;

/** The response to an error. Its body contains only the error's message. */
export interface ErrorResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: string };
}

/** Returns the response to any error. The response to an unexpected error reveals no details. */
export function toErrorResponse(error: unknown): ErrorResponse {
  if (isOctavoError(error) && statuses[error.code] !== 500) {
    const status = statuses[error.code];
    return { status, headers: getErrorHeaders(error, status), body: { error: error.message } };
  }
  const frameworkError = describeFrameworkError(error);
  if (frameworkError)
    return { status: frameworkError[0], headers: {}, body: { error: frameworkError[1] } };
  const message =
    "An internal error occurred and was logged. Try again; if it happens again, give the operator the value " +
    "of the X-Request-Id header.";
  return { status: 500, headers: {}, body: { error: message } };
}

/** Handles errors for Fastify, and logs server errors with their cause. */
export function sendError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { body } = startErrorResponse(error, request, reply);
  void reply.type("application/json; charset=utf-8").send(body);
}

/** Works like `sendError`, but responds with plain text. */
export function sendTextError(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  const { body } = startErrorResponse(error, request, reply);
  void reply.type("text/plain; charset=utf-8").send(`${body.error}\n`);
}

function startErrorResponse(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): ErrorResponse {
  const response = toErrorResponse(error);
  if (response.status >= 500) request.log.error({ err: error }, "A request failed");
  void reply.code(response.status).headers({ ...response.headers, "cache-control": "no-store" });
  return response;
}

function getErrorHeaders(error: OctavoError, status: number): Record<string, string> {
  if (status === 401) {
    // Git asks its user for a password only if the challenge is "Basic".
    const challenge = error.details["authenticate"];
    const hasChallenge = typeof challenge === "string";
    return { "www-authenticate": hasChallenge ? challenge : 'Bearer realm="Octavo"' };
  }
  if (status !== 429 && status !== 503) return {};
  const seconds = error.details["retryAfterSeconds"];
  return { "retry-after": String(typeof seconds === "number" ? seconds : defaultRetrySeconds) };
}

/**
 * Returns the status and message for an error that Fastify itself threw, or undefined if it is not the caller's fault.
 */
function describeFrameworkError(error: unknown): [status: number, sentence: string] | undefined {
  const { code, statusCode = 500 } = error as Partial<FastifyError>;
  switch (code) {
    case "FST_ERR_CTP_BODY_TOO_LARGE":
      return [413, "The body is too large for this call."];
    case "FST_ERR_CTP_INVALID_MEDIA_TYPE":
      return [415, "The body must be JSON. Send it with Content-Type: application/json."];
    case "FST_ERR_CTP_INVALID_CONTENT_LENGTH":
      return [400, "The length of the body differs from its Content-Length."];
    case "FST_ERR_BAD_URL":
      return [
        400,
        "The path contains an invalid percent-encoding: each % must be followed by two hexadecimal digits, and " +
          "the bytes must be UTF-8.",
      ];
    case "FST_ERR_MAX_PARAM_LENGTH":
      return [404, "This path does not exist."];
    default:
      return statusCode >= 400 && statusCode < 500
        ? [statusCode, "The request could not be read."]
        : undefined;
  }
}
