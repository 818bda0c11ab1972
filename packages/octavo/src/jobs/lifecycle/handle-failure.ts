import { setTimeout as sleep } from "node:timers/promises";
import { isOctavoError, OctavoError } from "@octavo/site/core";
import type { ErrorCode } from "@octavo/site/core";
import { isConnectionFault } from "../../db/index.ts";
import type { JobLog } from "../ports.ts";
import type { WorkSignals } from "../queue/dispatcher.ts";
import type { JobClaim } from "./job-claim.ts";
import type { JobRow, JobTypes } from "./job-kind.ts";

/** The number of failed attempts after which a job with a temporary fault fails. */
const maxStrikes = 3;
/**
 * The number of worker crashes after which a job fails. It is high because site content can crash only a separate
 * process, so a worker usually crashes for some other reason.
 */
const maxWorkerCrashes = 10;

/** The first wait, in seconds. Each subsequent wait is twice as long, up to `maxWaitSeconds`. */
const firstWaitSeconds = 5;
const maxWaitSeconds = 60;
/** The time after which a waiting job fails. */
const maxTotalWaitMs = 24 * 60 * 60 * 1000;

/** The wait before the next attempt to reach the database. */
const releaseRetryMs = 1_000;

/** Errors that a retry cannot fix, because a person has to change something first. */
const permanentCodes: ReadonlySet<ErrorCode> = new Set([
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

type FailingJob = Pick<JobRow, "id" | "attempt" | "strikes"> & WaitingJob;

interface FailedAttempt {
  readonly claim: Pick<
    JobClaim<JobTypes>,
    "lostSignal" | "release" | "wait" | "isKnownRepository"
  > & {
    readonly job: FailingJob;
  };
  /** The name of the job's kind in messages, such as `export`. */
  readonly name: string;
  readonly error: unknown;
  readonly signals: WorkSignals;
  readonly log: Pick<JobLog, "warn">;
  /** The wait before the second attempt after an error; the third waits four times as long. Defaults to one second. */
  readonly retryMs?: number | undefined;
  readonly fail: (sentence: string) => Promise<void>;
}

/**
 * Decides what happens to a job whose attempt threw an error. If a resource that the job needs is unavailable, the job
 * waits, and the attempt is not counted. If a person has to change something, the job fails. After any other error, the
 * job is retried, up to three attempts in total. Throws if the queue must run the job again immediately.
 */
export async function handleFailure(attempt: FailedAttempt): Promise<void> {
  const { claim, name, error, signals } = attempt;
  const facts = { jobId: claim.job.id, attempt: claim.job.attempt, err: error };
  if (signals.stoppingSignal.aborted) {
    await claim.release();
    throw new OctavoError("cancelled", "The worker is stopping; the job was released.");
  }
  if (isConnectionFault(error)) {
    attempt.log.warn(facts, `The ${name} is waiting for the database`);
    await releaseWhenPossible(attempt);
    throw error;
  }
  const outage = describeOutage(error) ?? (await findRepositoryOutage(attempt));
  if (outage) return await waitFor(attempt, outage);
  const sentence = findFailureMessage(error, name, claim.job);
  if (sentence !== undefined) return await attempt.fail(sentence);
  attempt.log.warn(facts, `The ${name} failed and will be retried`);
  await waitBeforeRetry(attempt);
  throw error;
}

/**
 * Returns the outage of a repository that does not respond but was read before. If it was never read, its address may
 * be wrong, so the result is undefined.
 */
async function findRepositoryOutage({ claim, error }: FailedAttempt): Promise<Outage | undefined> {
  if (!isOctavoError(error, "repository_unreachable")) return undefined;
  const { silent } = error.details;
  if (typeof silent !== "string" || !(await claim.isKnownRepository(silent))) return undefined;
  return { reason: error.message };
}

async function waitFor(attempt: FailedAttempt, outage: Outage): Promise<void> {
  const { claim, name, error, log } = attempt;
  const { reason, seconds, isOfNode = false } = outage;
  // If only this node lacks the resource, the wait does not grow. A node that cannot run jobs is
  // always free to take them, so jobs with long waits would rarely reach other nodes.
  const delaySeconds = computeNextWait(isOfNode ? { ...claim.job, waits: 0 } : claim.job);
  if (delaySeconds === undefined) {
    return await attempt.fail(`${reason} The ${name} waited for a day. Start it again later.`);
  }
  const facts = { jobId: claim.job.id, attempt: claim.job.attempt, reason, err: error };
  log.warn(facts, `The ${name} is waiting for an unavailable resource`);
  await claim.wait(reason, Math.max(delaySeconds, seconds ?? 0));
}

/** Waits before a retry, because an internal error may be resolved by then. */
async function waitBeforeRetry({ claim, signals, retryMs = 1000 }: FailedAttempt): Promise<void> {
  const signal = AbortSignal.any([signals.stoppingSignal, signals.lostSignal, claim.lostSignal]);
  const ms = retryMs * 4 ** (claim.job.strikes - 1);
  await sleep(ms, undefined, { signal }).catch(() => undefined);
}

/**
 * Releases the job once the database responds again. The database may be unavailable for some time, and the attempt is
 * not counted against the job.
 */
async function releaseWhenPossible({ claim, signals }: FailedAttempt): Promise<void> {
  for (;;) {
    try {
      return await claim.release();
    } catch (error) {
      if (!isConnectionFault(error) || signals.stoppingSignal.aborted) throw error;
      await sleep(releaseRetryMs, undefined, { signal: signals.stoppingSignal }).catch(
        () => undefined,
      );
    }
  }
}

/**
 * Returns the message with which the job fails after an attempt threw `error`, or undefined if the job should be
 * retried. Only the message of an OctavoError is shown, because other messages may contain paths or secrets.
 */
function findFailureMessage(error: unknown, name: string, job: FailingJob): string | undefined {
  if (isOctavoError(error) && permanentCodes.has(error.code)) return error.message;
  if (job.strikes < maxStrikes) return undefined;
  if (isOctavoError(error, "unavailable") || isOctavoError(error, "rate_limited")) {
    return error.message;
  }
  return (
    `The ${name} failed ${maxStrikes} times because of an error in the service, not in the site. ` +
    `Search the service's log for ${job.id}, fix the cause and start the job again.`
  );
}

/** Returns the message with which a job fails if its workers crashed so often that the job may be the cause. */
export function findCrashMessage(
  { strikes }: Pick<JobRow, "strikes">,
  name: string,
): string | undefined {
  if (strikes <= maxWorkerCrashes) return undefined;
  return (
    `The ${name} failed: its worker crashed ${maxWorkerCrashes} times. ` +
    "If the site is very large, give the workers more memory, then start the job again."
  );
}

/** An outage, not caused by the job, of a resource that the job needs, for example the storage. */
interface Outage {
  /** A sentence for the people who view the job. */
  readonly reason: string;
  /** The minimum time to wait, if the unavailable service specified one. */
  readonly seconds?: number;
  /** Whether the fault is limited to this node, so that another node may be able to run the job. */
  readonly isOfNode?: boolean;
}

/** Messages for system errors that mean that the node lacks a resource, by error code. */
const systemFaults: Readonly<Record<string, string>> = {
  ENOSPC: "The disk of the node that runs the job is full.",
  EDQUOT: "The disk quota of the node that runs the job is used up.",
  EROFS: "The disk of the node that runs the job cannot be written to.",
  EIO: "The disk of the node that runs the job has errors.",
  EMFILE: "The node that runs the job has too many open files.",
  ENFILE: "The node that runs the job has too many open files.",
  ENOMEM: "The node that runs the job is out of memory.",
};

/**
 * Returns the outage of the storage, the code host or the node that made an attempt fail, if waiting can fix it. Model
 * failures are not outages; they have retries of their own, and the attempt is counted.
 */
function describeOutage(error: unknown): Outage | undefined {
  if (isOctavoError(error, "unavailable") || isOctavoError(error, "rate_limited")) {
    const { isOfModel, isOfNode, retryAfterSeconds: seconds } = error.details;
    if (isOfModel === true) return undefined;
    return {
      reason: error.message,
      ...(typeof seconds === "number" && { seconds }),
      ...(isOfNode === true && { isOfNode }),
    };
  }
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const reason = systemFaults[(cause as NodeJS.ErrnoException).code ?? ""];
    if (reason !== undefined) return { reason, isOfNode: true };
  }
  return undefined;
}

type WaitingJob = Pick<JobRow, "waits" | "waiting_since">;

/** Returns the seconds to wait before the next attempt, or undefined if the job has waited long enough. */
export function computeNextWait({ waits, waiting_since: since }: WaitingJob): number | undefined {
  if (since !== null && Date.now() - since.getTime() > maxTotalWaitMs) return undefined;
  return Math.min(firstWaitSeconds * 2 ** Math.min(waits, 10), maxWaitSeconds);
}
