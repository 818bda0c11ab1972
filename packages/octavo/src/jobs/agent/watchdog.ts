import { OctavoError } from "@octavo/site/core";

/** The interface through which a turn's work reports progress and learns when to stop. */
export interface Watchdog {
  /** Aborts when the turn must end for any reason. */
  readonly signal: AbortSignal;
  /** Reports progress, and the activity that starts now, in the form that messages use: `waited for the model`. */
  step(doing: string): void;
}

export interface WatchdogOptions {
  /** The maximum duration of the work. */
  readonly maxMs: number;
  /** The maximum time between two steps. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

/** The time after the abort within which the work must stop its processes and remove its files. */
const graceMs = 5_000;

/**
 * Runs one turn's work. If the work takes too long or makes no progress, ends it with an error that names its last
 * activity. Work that ignores the signal is abandoned. Its writes are rejected, because the job no longer belongs to
 * its attempt.
 */
export async function runWithWatchdog<Result>(
  { maxMs, stallMs, signal }: WatchdogOptions,
  work: (watch: Watchdog) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  let doing = "began";
  const end = (sentence: string) => ended.abort(new OctavoError("too_large", sentence));
  const startStall = () => setTimeout(() => end(formatStallMessage(stallMs, doing)), stallMs);
  let stall = startStall();
  const deadline = setTimeout(() => end(formatTimeoutMessage(maxMs, doing)), maxMs);
  const watch: Watchdog = {
    signal: AbortSignal.any([signal, ended.signal]),
    step(next) {
      doing = next;
      clearTimeout(stall);
      if (!ended.signal.aborted) stall = startStall();
    },
  };
  try {
    return await awaitWithGrace(work(watch), watch.signal);
  } catch (error) {
    // The work itself reports only that it was cancelled.
    if (!signal.aborted) ended.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(stall);
    clearTimeout(deadline);
  }
}

async function awaitWithGrace<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const abandoned = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => abandoned.reject(signal.reason), graceMs);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, abandoned.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    // Abandoned work may fail later, when nothing handles its error anymore.
    work.catch(() => {});
  }
}

function formatStallMessage(ms: number, doing: string): string {
  return (
    `The job was stopped because it made no progress for ${formatDuration(ms)} while it ${doing}. ` +
    "Send the message again; if it stalls again, ask the operator to check the service's log."
  );
}

function formatTimeoutMessage(ms: number, doing: string): string {
  return `The job was stopped because it did not finish within ${formatDuration(ms)}. It last ${doing}. Ask for less in one message.`;
}

function formatDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes > 1) return `${minutes} minutes`;
  return `${(ms / 1_000).toLocaleString("en")} seconds`;
}
