import { APICallError } from "@ai-sdk/provider";
import { OctavoError } from "../core/index.ts";
import type { ErrorCode } from "../core/index.ts";

const meanings: ReadonlyMap<number, readonly [ErrorCode, string]> = new Map([
  [400, ["invalid_input", "refused the request"]],
  [401, ["forbidden", "refused the key; check the key of this provider"]],
  [402, ["forbidden", "asks for payment; check the account of this provider"]],
  [403, ["forbidden", "refused the key; check the key of this provider and what it may use"]],
  [404, ["not_found", "does not know this model; check its name"]],
  [413, ["too_large", "refused the request as too large"]],
  [429, ["rate_limited", "takes no more requests for now; try again later"]],
]);

/** What a failed call to a model means. The provider's own words stay in `cause`: they may hold a key. */
export function modelError(
  error: unknown,
  { id, isLate }: { readonly id: string; readonly isLate: boolean },
): OctavoError {
  const inner = innermost(error);
  if (inner instanceof OctavoError) return inner;
  if (isLate) {
    return new OctavoError("unavailable", `The model ${id} did not answer in time.`, {
      cause: error,
    });
  }
  const status = APICallError.isInstance(inner) ? inner.statusCode : undefined;
  const known = meanings.get(status ?? 0);
  if (known)
    return new OctavoError(known[0], `The provider of ${id} ${known[1]}.`, { cause: error });
  const answer = status === undefined ? "cannot be reached" : `answers with an error (${status})`;
  return new OctavoError("unavailable", `The provider of ${id} ${answer}; try again later.`, {
    cause: error,
  });
}

/** Retries wrap what failed last; causes lead to an error of our own. */
function innermost(error: unknown): unknown {
  let current = error;
  for (let depth = 0; depth < 10; depth++) {
    if (current instanceof OctavoError || APICallError.isInstance(current)) return current;
    if (!(current instanceof Error)) return current;
    const next = "lastError" in current ? current.lastError : current.cause;
    if (next === undefined) return current;
    current = next;
  }
  return current;
}
