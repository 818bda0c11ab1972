import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { ReplyUsage } from "./transcript.ts";

/** What a failed call to a model means: the model's own error, else one that repeats nothing of it. */
export function modelError(
  error: unknown,
  { id, isLate }: { readonly id: string; readonly isLate: boolean },
): OctavoError {
  const own = findOctavoError(error);
  if (own) return ofModel(own);
  const message = isLate
    ? `The model ${id} did not answer in time.`
    : `The model ${id} failed without a reason that can be shown. Try again later.`;
  return new OctavoError("unavailable", message, { cause: error, details: { isOfModel: true } });
}

/** Marked, because a model's failures count against the job; what the call itself needs, as the database, does not. */
function ofModel(error: OctavoError): OctavoError {
  const { code, message, details } = error;
  if (details["isDatabaseFault"] === true) return error;
  return new OctavoError(code, message, { cause: error, details: { ...details, isOfModel: true } });
}

function findOctavoError(error: unknown): OctavoError | undefined {
  let current = error;
  for (let depth = 0; depth < 10 && current instanceof Error; depth++) {
    if (isOctavoError(current)) return current;
    current = current.cause;
  }
  return undefined;
}

/** The tokens of a call that failed, as far as its provider told them; undefined where it told none. */
export function usageOfFailure({ details }: OctavoError): ReplyUsage | undefined {
  const { inputTokens, outputTokens } = (details["usage"] ?? {}) as Partial<ReplyUsage>;
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return undefined;
  return inputTokens + outputTokens > 0 ? { inputTokens, outputTokens } : undefined;
}

/** Whether something that the turn needs is away, other than its model: the turn can go on later. */
export function isOutage({ code, details }: OctavoError): boolean {
  return (code === "unavailable" || code === "rate_limited") && details["isOfModel"] !== true;
}

/** Whether the provider found the conversation too long for the model. */
export function isTooLong(error: unknown): error is OctavoError {
  return isOctavoError(error, "too_large") && error.details["isContextExceeded"] === true;
}
