import { OctavoError } from "@octavo/site/core";

/** A key has 192 random bits, so no throttle is needed against guessing; this keeps guesses from costing much. */
const failuresAllowed = 10;
const windowMs = 5 * 60 * 1000;
/** Addresses remembered by one node; the oldest are forgotten first. */
const addressesKept = 10_000;

/** Counts failed sign-ins by address. */
export interface SignInThrottle {
  /** Throws `rate_limited` for an address that has failed too often. */
  check(address: string): void;
  noteFailure(address: string): void;
}

export function createSignInThrottle(now: () => number = Date.now): SignInThrottle {
  const failures = new Map<string, { count: number; readonly until: number }>();

  function current(address: string): { count: number; readonly until: number } | undefined {
    const entry = failures.get(address);
    if (entry && entry.until > now()) return entry;
    failures.delete(address);
    return undefined;
  }

  return {
    check(address) {
      const entry = current(address);
      if (!entry || entry.count < failuresAllowed) return;
      const retryAfterSeconds = Math.ceil((entry.until - now()) / 1000);
      throw new OctavoError(
        "rate_limited",
        `Too many sign-ins failed from this address; try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`,
        { details: { retryAfterSeconds } },
      );
    },
    noteFailure(address) {
      const entry = current(address);
      if (entry) {
        entry.count++;
        return;
      }
      failures.set(address, { count: 1, until: now() + windowMs });
      const oldest = failures.keys().next();
      if (failures.size > addressesKept && !oldest.done) failures.delete(oldest.value);
    },
  };
}
