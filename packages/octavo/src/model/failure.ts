import { APICallError, InvalidResponseDataError } from "@ai-sdk/provider";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import { hideSecrets, parseRetryAfter } from "../core/index.ts";

/** The provider, for messages; and what no message may contain. */
export interface FailureContext {
  readonly label: string;
  readonly model: string;
  readonly keyVariable: string;
  readonly urlVariable: string;
  /** Keys: never in a message, and removed from what the provider says. */
  readonly secrets: readonly string[];
}

interface ModelFailure {
  readonly error: OctavoError;
  /** Whether the same call may succeed soon. */
  readonly isRetryable: boolean;
  /** How long the provider asks to wait. */
  readonly retryAfterMs?: number | undefined;
}

const maxBackoffMs = 30_000;

/**
 * The failure of a call to a provider, as an error for a person. The provider's own error is not its
 * cause: it contains the whole conversation, and a careless server repeats the key in it.
 */
export function describeModelFailure(error: unknown, context: FailureContext): ModelFailure {
  const own = findOctavoError(error);
  if (own) return { error: own, isRetryable: own.code === "unavailable" };
  const response = readFailedResponse(error);
  if (response) return describeResponse(response, context);
  // The stream broke off without saying so.
  const isRetryable = InvalidResponseDataError.isInstance(error);
  const message = isRetryable
    ? `The response of ${context.label} was cut off.`
    : `The response of ${context.label} is not in its API's format. Check ${context.urlVariable}, if it is set.`;
  return { error: new OctavoError("unavailable", message), isRetryable };
}

function findOctavoError(error: unknown): OctavoError | undefined {
  let current = error;
  // Providers wrap what `fetch` throws once or twice.
  for (let depth = 0; depth < 8 && current instanceof Error; depth++) {
    if (isOctavoError(current)) return current;
    current = current.cause;
  }
  return undefined;
}

interface FailedResponse {
  /** 500 if an error in a stream has none. */
  readonly status: number;
  readonly text: string;
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Errors come as an HTTP response, or as an event in a stream, in a format of the provider's own. */
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
  const kind = kindOf(response);
  const { code, sentence, isRetryable } = kinds[kind](context);
  const said = redact(response.text, context.secrets);
  const quoted = said === "" ? "" : `: ${JSON.stringify(said)}`;
  const requestId = response.headers["request-id"] ?? response.headers["x-request-id"] ?? "";
  const retryAfterMs = retryAfterOf(response.headers, Date.now());
  const error = new OctavoError(code, `${sentence} (HTTP ${response.status}${quoted}).`, {
    details: {
      status: response.status,
      ...(kind === "size" && { isContextExceeded: true }),
      ...(requestId !== "" && { requestId: redact(requestId, context.secrets) }),
      ...(retryAfterMs !== undefined && { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) }),
    },
  });
  const isForbidden = response.headers["x-should-retry"] === "false";
  return { error, isRetryable: isRetryable && !isForbidden, retryAfterMs };
}

type Kind = "key" | "credit" | "model" | "size" | "rate" | "request" | "outage";

function kindOf({ status, text, body }: FailedResponse): Kind {
  // OpenAI reports an empty account as 429, Anthropic as 400.
  if (status === 402 || /insufficient_quota|credit balance is too low/.test(`${body} ${text}`)) {
    return "credit";
  }
  if (status === 429) return "rate";
  if (status === 413 || longCodes.test(body) || longForms.test(text)) return "size";
  if (status === 401 || status === 403) return "key";
  if (status === 404) return "model";
  if (status === 408 || status === 409 || status >= 500) return "outage";
  return "request";
}

/**
 * A conversation that is too long, in the words of Anthropic, OpenAI, Google and the servers with OpenAI's API. In a
 * stream it comes without a status.
 */
const longForms =
  /context.{0,20}(?:length|window|limit|size)|prompt is too long|input is too long|too many tokens|exceeds the maximum number of tokens/i;
/** OpenAI's code, and llama.cpp's. The rest of a body can quote what was sent. */
const longCodes = /context_length_exceeded|exceed_context_size_error/;

interface Description {
  readonly code: ErrorCode;
  /** Without its full stop. */
  readonly sentence: string;
  readonly isRetryable: boolean;
}

const kinds: Readonly<Record<Kind, (context: FailureContext) => Description>> = {
  key: ({ label, model, keyVariable }) =>
    refused(`${label} does not let this key use the model ${model}; check ${keyVariable}`),
  credit: ({ label }) => refused(`The account at ${label} has no credit left`),
  model: ({ label, model, urlVariable }) =>
    refused(
      `${label} knows no model ${model}, or not for this key; check the name, and ${urlVariable} if it is set`,
    ),
  size: ({ label, model }) => ({
    code: "too_large",
    sentence: `The conversation is longer than ${model} of ${label} takes`,
    isRetryable: false,
  }),
  rate: ({ label }) => ({
    code: "rate_limited",
    sentence: `${label} takes no more requests for now`,
    isRetryable: true,
  }),
  request: ({ label, model }) => refused(`${label} refused the request to ${model}`),
  outage: ({ label }) => ({
    code: "unavailable",
    sentence: `${label} cannot answer for now`,
    isRetryable: true,
  }),
};

function refused(sentence: string): Description {
  return { code: "invalid_input", sentence, isRetryable: false };
}

const maxQuote = 200;
/** Keys of the known providers by their format, including partly hidden ones, whoever's they are. */
const keyForms = /\b(?:sk|pk|key)-[\w*.-]{6,}|\bAIza[\w-]{10,}|\b(?:Bearer|Basic)\s+\S+/gi;

/** The provider's message on one line, without any key, and no longer than a sentence or two. */
function redact(text: string, secrets: readonly string[]): string {
  const clean = hideSecrets(text.slice(0, 10_000), secrets)
    .replace(keyForms, "[redacted]")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
  return clean.length > maxQuote ? `${clean.slice(0, maxQuote)}...` : clean;
}

/**
 * How long to wait after attempt number `attempt` (1 is the first) where the provider does not say: twice as long each
 * time, and by chance a little less, so that jobs which failed together do not come back together.
 */
export function backoffAfter(attempt: number, firstWaitMs: number): number {
  const backoff = Math.min(maxBackoffMs, firstWaitMs * 2 ** (attempt - 1));
  return backoff * (0.75 + Math.random() / 4);
}

/** Reads `retry-after-ms` (OpenAI) and `retry-after`, as `parseRetryAfter` does. */
function retryAfterOf(headers: Readonly<Record<string, string>>, now: number): number | undefined {
  const ms = headers["retry-after-ms"];
  if (ms !== undefined && /^\d{1,9}(?:\.\d{1,9})?$/.test(ms)) return Math.ceil(Number(ms));
  return parseRetryAfter(headers["retry-after"], now);
}
