import { APICallError, InvalidResponseDataError } from "@ai-sdk/provider";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import { redactSecrets, parseRetryAfter } from "../core/index.ts";

/** The provider as messages name it, and the secrets that no message may contain. */
export interface FailureContext {
  readonly label: string;
  readonly model: string;
  readonly keyVariable: string;
  readonly urlVariable: string;
  /** Keys that must not appear in messages and are removed from the provider's text. */
  readonly secrets: readonly string[];
}

interface ModelFailure {
  readonly error: OctavoError;
  /** Whether the same call may succeed soon. */
  readonly isRetryable: boolean;
  /** The wait that the provider requests before a retry. */
  readonly retryAfterMs?: number | undefined;
}

const maxBackoffMs = 30_000;

/**
 * Converts the failure of a call to a provider to an error for people. The provider's own error does not become its
 * cause, because it contains the whole conversation, and a careless server may repeat the key in it.
 */
export function describeModelFailure(error: unknown, context: FailureContext): ModelFailure {
  const known = findOctavoError(error);
  if (known) return { error: known, isRetryable: known.code === "unavailable" };
  const response = readFailedResponse(error);
  if (response) return describeResponse(response, context);
  // This error means that the stream ended early without an error event.
  const isRetryable = InvalidResponseDataError.isInstance(error);
  const message = isRetryable
    ? `${context.label} sent an incomplete response.`
    : `${context.label} sent a response that is not in its API's format. Check ${context.urlVariable}, if it is set.`;
  return { error: new OctavoError("unavailable", message), isRetryable };
}

function findOctavoError(error: unknown): OctavoError | undefined {
  let current = error;
  // Providers wrap the errors of `fetch` once or twice.
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if (isOctavoError(current)) return current;
    current = current.cause;
  }
  return undefined;
}

interface FailedResponse {
  /** The HTTP status; 500 if an error in a stream has no status. */
  readonly status: number;
  readonly text: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Reads an error in the provider's own format from an HTTP response or from a stream event. */
function readFailedResponse(error: unknown): FailedResponse | undefined {
  if (APICallError.isInstance(error)) {
    const { statusCode, message, responseBody = "", responseHeaders: headers = {} } = error;
    const isFailure = statusCode !== undefined && statusCode >= 400;
    return isFailure
      ? { status: statusCode, text: message, body: responseBody, headers }
      : undefined;
  }
  if (error instanceof Error) return undefined;
  if (typeof error === "string") return { status: 500, text: error, body: "", headers: {} };
  if (typeof error !== "object" || error === null) return undefined;
  const { message, statusCode, code } = error as Readonly<Record<string, unknown>>;
  const status = [statusCode, code].find(isErrorStatus) ?? 500;
  const text = typeof message === "string" ? message : "";
  return { status, text, body: typeof code === "string" ? code : "", headers: {} };
}

function isErrorStatus(value: unknown): value is number {
  return typeof value === "number" && value >= 400 && value <= 599;
}

function describeResponse(response: FailedResponse, context: FailureContext): ModelFailure {
  const kind = classifyFailure(response);
  const { code, sentence, isRetryable } = failureDescriptions[kind](context);
  const providerText = redactKeys(response.text, context.secrets);
  const quoted = providerText === "" ? "" : `: ${JSON.stringify(providerText)}`;
  const requestId = response.headers["request-id"] ?? response.headers["x-request-id"] ?? "";
  const retryAfterMs = readRetryAfter(response.headers, Date.now());
  const error = new OctavoError(code, `${sentence} (HTTP ${response.status}${quoted}).`, {
    details: {
      status: response.status,
      ...(kind === "size" && { isContextExceeded: true }),
      ...(requestId !== "" && { requestId: redactKeys(requestId, context.secrets) }),
      ...(retryAfterMs !== undefined && { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }),
    },
  });
  const isRetryForbidden = response.headers["x-should-retry"] === "false";
  return { error, isRetryable: isRetryable && !isRetryForbidden, retryAfterMs };
}

type FailureKind = "key" | "credit" | "model" | "size" | "rate" | "request" | "outage";

function classifyFailure({ status, text, body }: FailedResponse): FailureKind {
  // OpenAI reports an account without credit as 429, Anthropic as 400.
  if (status === 402 || /insufficient_quota|credit balance is too low/.test(`${body} ${text}`)) {
    return "credit";
  }
  if (status === 429) return "rate";
  if (status === 413 || tooLongCodes.test(body) || tooLongMessages.test(text)) return "size";
  if (status === 401 || status === 403) return "key";
  if (status === 404) return "model";
  if (status === 408 || status === 409 || status >= 500) return "outage";
  return "request";
}

/**
 * Matches messages about a conversation that is too long, from Anthropic, OpenAI, Google and OpenAI-compatible servers.
 * Messages in a stream have no HTTP status.
 */
const tooLongMessages =
  /context.{0,20}(?:length|window|limit|size)|prompt is too long|input is too long|too many tokens|exceeds the maximum number of tokens/i;
/** The codes of OpenAI and llama.cpp. The rest of a body may quote the request. */
const tooLongCodes = /context_length_exceeded|exceed_context_size_error/;

interface FailureDescription {
  readonly code: ErrorCode;
  /** A sentence without its period. */
  readonly sentence: string;
  readonly isRetryable: boolean;
}

const failureDescriptions: Readonly<
  Record<FailureKind, (context: FailureContext) => FailureDescription>
> = {
  key: ({ label, model, keyVariable }) =>
    describeRefusal(
      `${label} does not allow this key to use the model ${model}; check ${keyVariable}`,
    ),
  credit: ({ label }) => describeRefusal(`The account at ${label} has no credit left`),
  model: ({ label, model, urlVariable }) =>
    describeRefusal(
      `${label} has no model ${model}, or this key has no access to it; check the name, and ${urlVariable} if it is set`,
    ),
  size: ({ label, model }) => ({
    code: "too_large",
    sentence: `The conversation is longer than ${model} from ${label} accepts`,
    isRetryable: false,
  }),
  rate: ({ label }) => ({
    code: "rate_limited",
    sentence: `${label} is temporarily not accepting requests`,
    isRetryable: true,
  }),
  request: ({ label, model }) => describeRefusal(`${label} rejected the request to ${model}`),
  outage: ({ label }) => ({
    code: "unavailable",
    sentence: `${label} is temporarily unavailable`,
    isRetryable: true,
  }),
};

function describeRefusal(sentence: string): FailureDescription {
  return { code: "invalid_input", sentence, isRetryable: false };
}

const maxQuoteLength = 200;
/** The formats of API keys of known providers, including partially masked keys and keys of other accounts. */
const keyPattern = /\b(?:sk|pk|key)-[\w*.-]{6,}|\bAIza[\w-]{10,}|\b(?:Bearer|Basic)\s+\S+/gi;

/** Returns the provider's message on one line, without keys, shortened to a sentence or two. */
function redactKeys(text: string, secrets: readonly string[]): string {
  const clean = redactSecrets(text.slice(0, 10_000), secrets)
    .replace(keyPattern, "[redacted]")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return clean.length > maxQuoteLength ? `${clean.slice(0, maxQuoteLength)}...` : clean;
}

/**
 * Returns the wait after attempt number `attempt` (1 is the first) if the provider does not specify one. The wait
 * doubles each time, and is randomly shortened by up to a quarter, so that jobs that failed together do not retry at
 * the same moment.
 */
export function computeBackoffMs(attempt: number, firstWaitMs: number): number {
  const backoff = Math.min(maxBackoffMs, firstWaitMs * 2 ** (attempt - 1));
  return backoff * (0.75 + Math.random() / 4);
}

/** Reads `retry-after-ms` (OpenAI) and `retry-after`, as `parseRetryAfter` does. */
function readRetryAfter(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const ms = headers["retry-after-ms"];
  if (ms !== undefined && /^\d{1,9}(?:\.\d{1,9})?$/.test(ms)) return Math.ceil(Number(ms));
  return parseRetryAfter(headers["retry-after"], now);
}
