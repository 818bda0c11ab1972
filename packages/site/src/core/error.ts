/** The kinds of failure that the product distinguishes. Only `api/` maps them to HTTP statuses. */
const errorCodes = [
  "invalid_input", // the caller's values are wrong; the message says which
  "unauthorized", // the key is missing or invalid
  "forbidden", // the key or the plan does not allow the request
  "not_found", // the object does not exist, or belongs to someone else
  "conflict", // the object is not in a state that allows the request
  "gone", // the object existed, but was removed by retention
  "key_reused", // an idempotency key was reused with a different request
  "rate_limited",
  "too_large", // a limit of size, depth, count or time
  "unavailable", // a dependency does not respond; retrying may help
  "repository_unreachable",
  "ref_not_found",
  "site_invalid", // the site cannot be rendered: it has no pages, or its configuration is unreadable
  "cancelled",
  "internal",
] as const;
export type ErrorCode = (typeof errorCodes)[number];

export interface OctavoErrorOptions {
  readonly cause?: unknown;
  /** Facts for the program that reads the error, e.g. `{ retryAfterSeconds: 12 }`. They never contain secrets. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The product's only error class. `message` is a sentence for the person who sees it: what failed, for which object,
 * and what to do. It never contains a secret, a stack trace or a path on the service's machine.
 */
export class OctavoError extends Error {
  override readonly name = "OctavoError" as const;
  readonly code: ErrorCode;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: ErrorCode, message: string, options: OctavoErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.code = code;
    this.details = options.details ?? {};
  }
}

/** Reports whether `error` is an OctavoError, and has the code `code`, if that is given. */
export function isOctavoError(error: unknown, code?: ErrorCode): error is OctavoError {
  return error instanceof OctavoError && (code === undefined || error.code === code);
}

/** Creates the error for a caller's invalid value. The message names the value and states what to do. */
export function createInputError(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}
