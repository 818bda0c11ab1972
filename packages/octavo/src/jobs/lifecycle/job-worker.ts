import { join } from "node:path";
import { isOctavoError } from "@octavo/site/core";
import type { SpaceWatch } from "../../core/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import type { JobLog } from "../ports.ts";
import type { RunJob } from "../queue/dispatcher.ts";
import { findCrashMessage, handleFailure } from "./handle-failure.ts";
import type { JobChanges } from "./job-changes.ts";
import { claimJob } from "./job-claim.ts";
import type { JobClaim, JobClaimOptions } from "./job-claim.ts";
import { getShortName } from "./job-kind.ts";
import type { JobKind, JobTypes } from "./job-kind.ts";
import { openWorkFolder } from "./work-folder.ts";

export interface JobWorkerOptions extends JobClaimOptions {
  readonly changes: JobChanges;
  /** A folder that contains one folder per attempt, which is removed after the attempt. */
  readonly workDir: string;
  readonly log: JobLog;
  readonly metrics: Pick<Metrics, "jobEntered">;
  /** Watches the disk space. While it is low, all jobs wait, including running jobs. */
  readonly space: SpaceWatch;
  /** See `FailedAttempt`. */
  readonly retryMs?: number | undefined;
}

/** The context of one attempt. */
export interface JobAttempt<T extends JobTypes> {
  readonly claim: JobClaim<T>;
  /** Aborts when the attempt must end for any reason. */
  readonly signal: AbortSignal;
  /** Opens a folder for the attempt, or for a part of it. Disposing of it removes the folder with its contents. */
  readonly openFolder: (
    part?: string | number,
  ) => Promise<{ readonly path: string } & AsyncDisposable>;
}

/** The outcome of the work. */
type WorkOutcome =
  /** The work has completed the job. `facts` are logged. */
  | { readonly type: "completed"; readonly facts?: Readonly<Record<string, unknown>> }
  /** The job fails with this message. */
  | { readonly type: "failed"; readonly error: string };

/**
 * Does the job's work from its claim to `claim.complete`, in steps that can each be repeated. If it throws, the error
 * determines what happens to the job (see `handleFailure`).
 */
export type DoWork<T extends JobTypes> = (attempt: JobAttempt<T>) => Promise<WorkOutcome>;

/**
 * Creates the function that runs the jobs of a kind, one at a time:
 *
 * 1. Claim the job under a new attempt number, which every later write names.
 * 2. Fail it if its workers have crashed repeatedly.
 * 3. Do its work until the job is lost, disk space is low, or the worker stops.
 * 4. Complete it, fail it, make it wait, or release it.
 */
export function createJobWorker<T extends JobTypes>(
  kind: JobKind<T>,
  options: JobWorkerOptions,
  work: DoWork<T>,
): RunJob {
  return async (jobId, signals) => {
    await using follower = followEnd(kind, options, jobId);
    const claim = await claimJob(kind, options, jobId);
    if (!claim) return;
    follower.begin(claim);
    const reporter = createReporter(kind, options, claim);
    const revokedSignal = AbortSignal.any([signals.lostSignal, claim.lostSignal]);
    const { shortage } = options.space;
    const signal = AbortSignal.any([revokedSignal, signals.stoppingSignal, shortage]);
    const { log, retryMs } = options;
    const fail = async (sentence: string, err?: unknown) => {
      await claim.fail(sentence);
      reporter.reportFailure(sentence, err);
    };
    const run = async () => {
      const crashMessage = findCrashMessage(claim.job, getShortName(kind));
      if (crashMessage !== undefined) return await fail(crashMessage);
      reporter.reportStart();
      signal.throwIfAborted();
      const openFolder = (part?: string | number) => {
        const name = [jobId, claim.job.attempt, part].filter((each) => each !== undefined);
        return openWorkFolder(join(options.workDir, name.join("-")));
      };
      const outcome = await work({ claim, signal, openFolder });
      if (outcome.type === "failed") return await fail(outcome.error);
      reporter.reportCompletion(outcome.facts);
    };
    try {
      await run().catch(async (failure: unknown) => {
        if (revokedSignal.aborted) throw failure;
        const error: unknown = shortage.aborted ? shortage.reason : failure;
        await handleFailure({
          claim,
          name: getShortName(kind),
          error,
          signals,
          log,
          retryMs,
          fail: (sentence) => fail(sentence, error),
        });
      });
    } catch (error) {
      if (!revokedSignal.aborted) throw error;
      reporter.reportLoss();
      // The job did not crash this worker, so the attempt is not counted as failed.
      await claim.release().catch(() => undefined);
    }
  };
}

/** Creates the methods that log and count the states of one attempt. */
function createReporter<T extends JobTypes>(
  kind: JobKind<T>,
  { log, metrics }: JobWorkerOptions,
  { job }: JobClaim<T>,
) {
  const start = performance.now();
  const facts = { jobId: job.id, attempt: job.attempt };
  const title = `${/^[aeiou]/.test(kind.name) ? "An" : "A"} ${kind.name}`;
  const metric = kind.getMetricKind(job);
  /** Returns the elapsed seconds, rounded to milliseconds. */
  const getElapsedSeconds = () => Math.round(performance.now() - start) / 1000;
  return {
    reportStart() {
      log.info({ ...facts, name: kind.getTargetName?.(job) }, `${title} started`);
      metrics.jobEntered({ kind: metric, state: kind.statuses.running });
    },
    reportCompletion(moreFacts: Readonly<Record<string, unknown>> = {}) {
      const seconds = getElapsedSeconds();
      log.info({ ...facts, ...moreFacts, seconds }, `${title} completed`);
      metrics.jobEntered({ kind: metric, state: "completed", seconds });
    },
    reportFailure(error: string, err: unknown) {
      const seconds = getElapsedSeconds();
      const level = err !== undefined && !isOctavoError(err) ? "error" : "info";
      log[level]({ ...facts, seconds, error, err }, `${title} failed`);
      metrics.jobEntered({ kind: metric, state: "failed", seconds });
    },
    reportLoss() {
      log.info(facts, `${title} was cancelled or claimed by another worker`);
    },
  };
}

/**
 * Whenever a notification says that the job has ended, checks whether the job still belongs to the attempt. The
 * notification alone is not proof, because the end of a job that was reopened may be announced late. Must be called
 * before the job is claimed, so that a cancellation in between is not missed.
 */
function followEnd<T extends JobTypes>(
  { statuses }: JobKind<T>,
  { changes, log }: JobWorkerOptions,
  jobId: string,
) {
  let claim: JobClaim<T> | undefined;
  let hasEndNotice = false;
  let checking = Promise.resolve();
  const check = () => {
    hasEndNotice = true;
    const current = claim;
    if (!current || current.lostSignal.aborted) return;
    checking = current.checkOwnership().catch((err: unknown) => {
      if (!current.lostSignal.aborted)
        log.warn({ jobId, err }, "Could not check whether a job has ended.");
    });
  };
  const subscription = changes.follow(jobId, (status) => {
    if (!statuses.open.some((open) => open === status)) check();
  });
  return {
    begin(claimed: JobClaim<T>): void {
      claim = claimed;
      if (hasEndNotice) check();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      subscription[Symbol.dispose]();
      await checking;
    },
  };
}
