import { OctavoError } from "@octavo/site/core";

/** What the work of a turn knows of its watch. */
export interface Watch {
  /** Aborts when the turn shall end, for whatever reason. */
  readonly signal: AbortSignal;
  /** The work got further. What it does from now on, for a sentence: `waited for the model`. */
  step(doing: string): void;
}

export interface WatchOptions {
  /** All of the work's time. */
  readonly mostMs: number;
  /** How long it may go without a step. */
  readonly stallMs: number;
  readonly signal: AbortSignal;
}

/** For the work to end its processes and remove its files, once it was told to stop. */
const graceMs = 5_000;

/**
 * Does the work of one turn, and ends it with a reason that says what it was at when it takes too long or
 * gets no further. What does not listen to the signal is left behind: its writes are refused, because
 * the job is no longer its attempt's.
 */
export async function watched<Result>(
  { mostMs, stallMs, signal }: WatchOptions,
  work: (watch: Watch) => Promise<Result>,
): Promise<Result> {
  const ended = new AbortController();
  let doing = "began";
  const end = (sentence: string) => ended.abort(new OctavoError("too_large", sentence));
  const startStall = () => setTimeout(() => end(stalled(stallMs, doing)), stallMs);
  let stall = startStall();
  const late = setTimeout(() => end(tooLate(mostMs, doing)), mostMs);
  const watch: Watch = {
    signal: AbortSignal.any([signal, ended.signal]),
    step(next) {
      doing = next;
      clearTimeout(stall);
      if (!ended.signal.aborted) stall = startStall();
    },
  };
  try {
    return await orLeftBehind(work(watch), watch.signal);
  } catch (error) {
    // The work says of itself only that it was cancelled.
    if (!signal.aborted) ended.signal.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(stall);
    clearTimeout(late);
  }
}

async function orLeftBehind<Result>(work: Promise<Result>, signal: AbortSignal): Promise<Result> {
  const left = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const onAbort = () => {
    timer = setTimeout(() => left.reject(signal.reason), graceMs);
  };
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, left.promise]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", onAbort);
    // What is left behind may fail later, with nobody to hear.
    work.catch(() => {});
  }
}

function stalled(ms: number, doing: string): string {
  return (
    `The job was ended, because it got no further for ${inWords(ms)} while it ${doing}. ` +
    "Send the message again; if it stalls there again, the service's log may tell an operator why."
  );
}

function tooLate(ms: number, doing: string): string {
  return `The job was ended, because it did not come to its end within ${inWords(ms)}; last it ${doing}. Ask for less at once.`;
}

function inWords(ms: number): string {
  const minutes = Math.round(ms / 60_000);
  if (minutes > 1) return `${minutes} minutes`;
  return `${(ms / 1_000).toLocaleString("en")} seconds`;
}
