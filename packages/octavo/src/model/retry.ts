import { parseRetryAfter } from "../core/index.ts";

const maxBackoffMs = 30_000;

/**
 * How long to wait after attempt number `attempt` (1 is the first) where the provider does not say: twice as long each
 * time, and by chance a little less, so that jobs which failed together do not come back together.
 */
export function backoffAfter(attempt: number, firstWaitMs: number): number {
  const backoff = Math.min(maxBackoffMs, firstWaitMs * 2 ** (attempt - 1));
  return backoff * (0.75 + Math.random() / 4);
}

/** Reads `retry-after-ms` (OpenAI) and `retry-after`, as `parseRetryAfter` does. */
export function retryAfterOf(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const ms = headers["retry-after-ms"];
  if (ms !== undefined && /^\d{1,9}(?:\.\d{1,9})?$/.test(ms)) return Math.ceil(Number(ms));
  return parseRetryAfter(headers["retry-after"], now);
}
