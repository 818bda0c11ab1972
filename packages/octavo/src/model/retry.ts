const longestBackoffMs = 30_000;

/**
 * How long to wait after attempt number `attempt` (1 is the first) where the provider does not say: twice as long each
 * time, and by chance a little less, so that jobs which failed together do not come back together.
 */
export function backoffAfter(attempt: number, firstWaitMs: number): number {
  const backoff = Math.min(longestBackoffMs, firstWaitMs * 2 ** (attempt - 1));
  return backoff * (0.75 + Math.random() / 4);
}

/**
 * Reads `retry-after-ms` (OpenAI) and `retry-after` (seconds, or a date). Undefined where there is none that can be read;
 * `now` in milliseconds since 1970.
 */
export function parseRetryAfter(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const ms = headers["retry-after-ms"];
  if (ms !== undefined && /^\d{1,9}(?:\.\d{1,9})?$/.test(ms)) return Math.ceil(Number(ms));
  const value = headers["retry-after"];
  if (value === undefined) return undefined;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(value)) return Math.ceil(Number(value) * 1000);
  const date = /^[A-Za-z]{3},/.test(value) ? Date.parse(value) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}
