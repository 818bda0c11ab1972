import { parseRetryAfter } from "../../core/index.ts";

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The waits between attempts: soon for what passes soon, and about a day in all, for a receiver that is mended by people. */
export const retryDelaysMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  8 * hour,
  10 * hour,
];

/** What a receiver may ask for: a day of waiting for one attempt would leave no time for the others. */
const longestRetryAfterMs = 6 * hour;

export interface RetryOptions {
  /** Attempts that were made. */
  readonly attempts: number;
  /** The answer's `Retry-After`, where there is one. */
  readonly retryAfter?: string | null | undefined;
  readonly now: number;
  readonly delaysMs: readonly number[];
}

/**
 * How long to wait for the next attempt; undefined where there is none. By chance up to a fifth more or
 * less, so that messages which failed together do not come back together; never sooner than the receiver
 * asked for, within bounds.
 */
export function nextDelayMs(options: RetryOptions): number | undefined {
  const delay = options.delaysMs[options.attempts - 1];
  if (delay === undefined) return undefined;
  const asked = parseRetryAfter(options.retryAfter, options.now) ?? 0;
  const spread = delay * (0.8 + Math.random() * 0.4);
  return Math.max(spread, Math.min(asked, longestRetryAfterMs));
}
