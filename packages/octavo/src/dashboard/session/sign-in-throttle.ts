import { OctavoError } from "@octavo/site/core";

/** Keys have 192 random bits and cannot be guessed; the throttle only limits the cost of attempts. */
const maxFailures = 10;
const windowMs = 5 * 60 * 1000;
/** The maximum number of entries in one node's memory; the oldest are removed first. */
const maxEntries = 10_000;

/** Counts failed sign-ins by their address and key prefix. A sign-in with a valid key is never throttled. */
export interface SignInThrottle {
  /**
   * Records a failure for each subject: an address, the first characters of a key. Throws `rate_limited` if one of them
   * has too many failures.
   */
  recordFailure(subjects: readonly string[]): void;
}

interface Entry {
  count: number;
  readonly until: number;
}

export function createSignInThrottle(now: () => number = Date.now): SignInThrottle {
  const failures = new Map<string, Entry>();

  function entryOf(subject: string): Entry {
    const entry = failures.get(subject);
    if (entry && entry.until > now()) return entry;
    failures.delete(subject);
    const fresh = { count: 0, until: now() + windowMs };
    failures.set(subject, fresh);
    const oldest = failures.keys().next();
    if (failures.size > maxEntries && !oldest.done) failures.delete(oldest.value);
    return fresh;
  }

  return {
    recordFailure(subjects) {
      const entries = subjects.map(entryOf);
      const full = entries.find(({ count }) => count >= maxFailures);
      if (full) throw tooMany(Math.ceil((full.until - now()) / 1000));
      for (const entry of entries) entry.count++;
    },
  };
}

function tooMany(retryAfterSeconds: number): OctavoError {
  return new OctavoError(
    "rate_limited",
    `Too many sign-ins failed from this address or with a similar key. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes. A valid key works immediately.`,
    { details: { retryAfterSeconds } },
  );
}
