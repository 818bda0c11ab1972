/**
 * How long a test waits, in milliseconds, for what must come. It is so long that only what never comes takes it: a busy
 * machine was seen to need more than a minute for an agent job that otherwise takes seconds.
 */
export const patienceMs = 300_000;

/** Aborts where what must come has not come. */
export function patience(): AbortSignal {
  return AbortSignal.timeout(patienceMs);
}
