import { isOctavoError } from "@octavo/site/core";
import type { SpaceWatch } from "../../core/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import { handleFailure, maxDeaths, workersDiedMessage } from "../lifecycle/failure.ts";
import type { JobLog } from "../ports.ts";
import type { RunJob } from "../queue/dispatcher.ts";
import type { AgentChanges } from "./changes.ts";
import { claimAgentJob } from "./claim-job.ts";
import type { AgentClaimOptions } from "./claim-job.ts";
import type { AgentClaim } from "./claim.ts";
import type { TurnEnd } from "./turn.ts";
import type { TurnOptions } from "./turn-work.ts";
import { runWithWatchdog } from "./watchdog.ts";

export interface AgentWorkerOptions extends TurnOptions, AgentClaimOptions {
  readonly changes: AgentChanges;
  readonly log: JobLog;
  readonly metrics: Pick<Metrics, "jobEntered">;
  /** While space is short, jobs wait, running ones too. */
  readonly space: SpaceWatch;
  /** As in `handleFailure`. */
  readonly retryMs?: number;
  /** The maximum time a turn may take without progress. Default 15 minutes. */
  readonly stallMs?: number;
}

/** The time for a turn's work besides the agent's: the checkout, the final check, the push. */
const overheadMs = 10 * 60 * 1000;
/** Longer than the time limits of one model reply and one git call, whose errors are more precise. */
const defaultStallMs = 15 * 60 * 1000;

/**
 * Creates the function that runs one agent job: claim it under a new attempt number, which every later
 * write names, then run its turns until no message is queued, fail it, or release it.
 */
export function createAgentWorker(options: AgentWorkerOptions): RunJob {
  return async (jobId, signals) => {
    await using follower = followEnd(options, jobId);
    const claim = await claimAgentJob(options, jobId);
    if (!claim) return;
    follower.begin(claim);
    if (claim.job.strikes > maxDeaths) {
      await failJob(options, claim, workersDiedMessage("agent job"));
      return;
    }
    const revoked = AbortSignal.any([signals.lost, claim.lost]);
    const { shortage } = options.space;
    try {
      shortage.throwIfAborted();
      await runTurns(options, claim, AbortSignal.any([revoked, signals.stopping, shortage]));
    } catch (failure) {
      // This worker is alive: if another one has the job, it was not the job that failed.
      if (revoked.aborted) return await claim.release().catch(() => undefined);
      const error: unknown = shortage.aborted ? shortage.reason : failure;
      const fail = async (sentence: string) => {
        const level = isOctavoError(error) ? "info" : "error";
        const facts = { jobId, attempt: claim.job.attempt, err: error };
        options.log[level](facts, "An agent job failed.");
        await failJob(options, claim, sentence);
      };
      const { log, retryMs } = options;
      await handleFailure({ claim, name: "agent job", error, signals, log, retryMs, fail });
    }
  };
}

/**
 * Checks whether the job still belongs to the attempt whenever a notification says that it ended. The
 * notification alone is no proof: it may be a late one about the previous turn. Follows the job before it is
 * claimed, so that a cancellation in between is not missed.
 */
function followEnd({ changes, log }: AgentWorkerOptions, jobId: string) {
  let claim: AgentClaim | undefined;
  let hasEndedNotice = false;
  let checking = Promise.resolve();
  const check = () => {
    hasEndedNotice = true;
    const current = claim;
    if (!current || current.lost.aborted) return;
    checking = current.checkOwnership().catch((err: unknown) => {
      if (!current.lost.aborted)
        log.warn({ jobId, err }, "Could not check whether a job has ended.");
    });
  };
  const following = changes.follow(jobId, (status) => {
    if (status !== "active") check();
  });
  return {
    begin(claimed: AgentClaim): void {
      claim = claimed;
      if (hasEndedNotice) check();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      following[Symbol.dispose]();
      await checking;
    },
  };
}

async function failJob(
  { metrics }: AgentWorkerOptions,
  claim: AgentClaim,
  sentence: string,
): Promise<void> {
  await claim.fail(sentence);
  metrics.jobEntered({ kind: "agent", state: "failed" });
}

async function runTurns(
  options: AgentWorkerOptions,
  claim: AgentClaim,
  signal: AbortSignal,
): Promise<void> {
  const start = performance.now();
  options.metrics.jobEntered({ kind: "agent", state: "active" });
  for (;;) {
    const end = await runTurnInTime(options, claim, signal);
    if (end.type === "failed") return await failJob(options, claim, end.error);
    if (end.hasNext) continue;
    const seconds = (performance.now() - start) / 1000;
    options.metrics.jobEntered({ kind: "agent", state: "completed", seconds });
    return;
  }
}

async function runTurnInTime(
  options: AgentWorkerOptions,
  claim: AgentClaim,
  signal: AbortSignal,
): Promise<TurnEnd> {
  const { limits, stallMs = defaultStallMs } = options;
  // Imported with the first job: agent and renderer would make every start 0.1 s longer.
  const { runTurn } = await import("./turn.ts");
  const times = { maxMs: limits.timeMs + overheadMs, stallMs, signal };
  return await runWithWatchdog(times, (watch) => runTurn(options, claim, watch));
}
