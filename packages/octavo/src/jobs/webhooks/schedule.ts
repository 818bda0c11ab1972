import { parseRetryAfter } from "../../core/index.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * The waits between attempts: short ones for brief faults, about a day in total for a receiver that people must repair.
 */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  8 * hour,
  10 * hour,
];

/** The maximum `Retry-After`: waiting a day for one attempt would leave no time for the others. */
const maxRetryAfterMs = 6 * hour;

export interface RetryOptions {
  /** The number of attempts made so far. */
  readonly attempts: number;
  /** The response's `Retry-After`, if present. */
  readonly retryAfter?: string | null | undefined;
  readonly now: number;
  readonly delaysMs: readonly number[];
}

/**
 * Returns the wait before the next attempt; undefined if there is none. Varies randomly by up to a fifth, so that
 * messages that failed together are not retried together; never shorter than the receiver's `Retry-After`, up to
 * `maxRetryAfterMs`.
 */
export function computeNextDelayMs(options: RetryOptions): number | undefined {
  const delay = options.delaysMs[options.attempts - 1];
  if (delay === undefined) return undefined;
  const asked = parseRetryAfter(options.retryAfter, options.now) ?? 0;
  const jittered = delay * (0.8 + Math.random() * 0.4);
  return Math.max(jittered, Math.min(asked, maxRetryAfterMs));
}
