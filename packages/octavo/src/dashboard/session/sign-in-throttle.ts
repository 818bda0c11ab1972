import { OctavoError } from "@octavo/site/core";

/** Keys have 192 random bits and cannot be guessed; the throttle only limits the cost of attempts. */
const maxFailures = 10;
const windowMs = 5 * 60 * 1000;
/** Addresses in one node's memory; the oldest are removed first. */
const maxAddresses = 10_000;

/** Counts failed sign-ins by address. */
export interface SignInThrottle {
  /** Throws `rate_limited` for an address with too many failures. */
  check(address: string): void;
  recordFailure(address: string): void;
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
      if (!entry || entry.count < maxFailures) return;
      const retryAfterSeconds = Math.ceil((entry.until - now()) / 1000);
      throw new OctavoError(
        "rate_limited",
        `Too many sign-ins failed from this address; try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`,
        { details: { retryAfterSeconds } },
      );
    },
    recordFailure(address) {
      const entry = current(address);
      if (entry) {
        entry.count++;
        return;
      }
      failures.set(address, { count: 1, until: now() + windowMs });
      const oldest = failures.keys().next();
      if (failures.size > maxAddresses && !oldest.done) failures.delete(oldest.value);
    },
  };
}
