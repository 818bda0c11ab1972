import { setTimeout as sleep } from "node:timers/promises";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import type { JobLog } from "./ports.ts";
import type { WorkSignals } from "./queue.ts";

/** A job is tried this often before it fails for a fault that may pass. */
export const mostStrikes = 3;

/** Trying again cannot help: the person has to change something first. */
const lastingCodes: ReadonlySet<ErrorCode> = new Set([
  "invalid_input",
  "unauthorized",
  "forbidden",
  "not_found",
  "conflict",
  "gone",
  "too_large",
  "repository_unreachable",
  "ref_not_found",
  "site_invalid",
]);

/** A job at an attempt that failed. */
interface FailingJob {
  readonly id: string;
  readonly attempt: number;
  readonly strikes: number;
}

export interface FailedAttempt {
  readonly claim: {
    readonly job: FailingJob;
    /** Aborts when the job is no longer the attempt's. */
    readonly lost: AbortSignal;
    giveBack(): Promise<void>;
  };
  /** What a person knows the job as: `export`. */
  readonly name: string;
  readonly error: unknown;
  readonly signals: WorkSignals;
  readonly log: Pick<JobLog, "warn">;
  /** The wait before the second attempt after a fault; the third waits four times as long. Default one second. */
  readonly retryMs?: number | undefined;
  readonly fail: (sentence: string) => Promise<void>;
}

/** Fails the job of an attempt that threw, or gives it back and throws, so that the queue runs it again. */
export async function answerFailure(attempt: FailedAttempt): Promise<void> {
  const { claim, name, error, signals, retryMs = 1000 } = attempt;
  const { job } = claim;
  if (signals.stopping.aborted) {
    await claim.giveBack();
    throw new OctavoError("cancelled", "The worker stops; the job was given back.");
  }
  const sentence = failureSentence(error, name, job);
  if (sentence !== undefined) {
    await attempt.fail(sentence);
    return;
  }
  const facts = { jobId: job.id, attempt: job.attempt, err: error };
  attempt.log.warn(facts, `The ${name} failed and is tried again`);
  // What made it fail may have passed by then.
  const signal = AbortSignal.any([signals.stopping, signals.lost, claim.lost]);
  await sleep(retryMs * 4 ** (job.strikes - 1), undefined, { signal }).catch(() => undefined);
  throw error;
}

/**
 * The sentence that the job fails with after an attempt threw `error`, or undefined where it is to
 * be tried again. Only an OctavoError's message is shown: others may hold paths and worse.
 */
function failureSentence(error: unknown, name: string, job: FailingJob): string | undefined {
  if (isOctavoError(error) && lastingCodes.has(error.code)) return error.message;
  if (job.strikes < mostStrikes) return undefined;
  if (isOctavoError(error, "unavailable") || isOctavoError(error, "rate_limited")) {
    return error.message;
  }
  return (
    `The ${name} failed ${mostStrikes} times for a fault of the service, not of the site. ` +
    `Its log tells more under ${job.id}; start it again when that is mended.`
  );
}

/** For a job whose workers died so often that they may have died of it. */
export function workersDiedSentence(name: string): string {
  return (
    `The ${name} was given up: ${mostStrikes} times the worker that ran it died. ` +
    "If the site is very large, give the workers more memory, then start it again."
  );
}
