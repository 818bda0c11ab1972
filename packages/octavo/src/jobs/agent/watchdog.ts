import { OctavoError } from "@octavo/site/core";

/** The interface through which a turn's work reports progress and learns when to stop. */
export interface Watchdog {
  /** Aborts when the turn must end for any reason. */
  readonly signal: AbortSignal;
  /**
   * Reports progress, and the activity that starts now, in the form that messages use, such as `waited for the model`.
   */
  step(activity: string): void;
}

export interface WatchdogOptions {
  /** The maximum duration of the work. */
  readonly timeoutMs: number;
  /** The maximum time between two steps. */
  readonly stallTimeoutMs: number;
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
  { timeoutMs, stallTimeoutMs, signal }: WatchdogOptions,
  work: (watch: Watchdog) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  let activity = "began";
  const end = (sentence: string) => controller.abort(new OctavoError("too_large", sentence));
  const startStallTimer = () =>
    setTimeout(() => end(formatStallMessage(stallTimeoutMs, activity)), stallTimeoutMs);
  let stallTimer = startStallTimer();
  const deadlineTimer = setTimeout(() => end(formatTimeoutMessage(timeoutMs, activity)), timeoutMs);
  const watch: Watchdog = {
    signal: AbortSignal.any([signal, controller.signal]),
    step(next) {
      activity = next;
      clearTimeout(stallTimer);
      if (!controller.signal.aborted) stallTimer = startStallTimer();
    },
  };
  try {
    return await awaitWithGrace(work(watch), watch.signal);
  } catch (error) {
    // The error that names the last activity replaces the work's own error, which reports only that it was cancelled.
    if (!signal.aborted) controller.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(stallTimer);
    clearTimeout(deadlineTimer);
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

function formatStallMessage(ms: number, activity: string): string {
  return (
    `The job was stopped because it made no progress for ${formatDuration(ms)} while it ${activity}. ` +
    "Send the message again; if it stalls again, ask the operator to check the service's log."
  );
}

function formatTimeoutMessage(ms: number, activity: string): string {
  return `The job was stopped because it did not finish within ${formatDuration(ms)}. It last ${activity}. Split the request into several messages.`;
}

function formatDuration(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes > 1) return `${minutes} minutes`;
  return `${(ms / 1_000).toLocaleString("en")} seconds`;
}
