/**
 * How long a test waits, in milliseconds, for what must come. It is so long that only what never comes takes it: a
 * machine that does much else was seen to need 80 s for an agent job that it does in 5.
 */
export const patienceMs = 300_000;

/** Aborts where what must come has not come. */
export function patience(): AbortSignal {
  return AbortSignal.timeout(patienceMs);
}
