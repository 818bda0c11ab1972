import { isOctavoError } from "@octavo/site/core";
import type { Metrics } from "../../telemetry/index.ts";
import { answerFailure, mostStrikes, workersDiedSentence } from "../failure.ts";
import type { JobLog } from "../ports.ts";
import type { RunJob } from "../queue.ts";
import type { AgentChanges } from "./changes.ts";
import { claimAgentJob } from "./claim.ts";
import type { AgentClaim, AgentClaimOptions } from "./claim.ts";
import type { TurnEnd } from "./turn.ts";
import type { TurnOptions } from "./turn-work.ts";
import { watched } from "./watch.ts";

export interface AgentWorkerOptions extends TurnOptions, AgentClaimOptions {
  readonly changes: AgentChanges;
  readonly log: JobLog;
  readonly metrics: Pick<Metrics, "jobEntered">;
  /** As of `answerFailure`. */
  readonly retryMs?: number;
  /** How long a turn may go without getting further. Default 15 minutes. */
  readonly stallMs?: number;
}

/** What a turn may take beyond the agent's own time: to check out, to look once more, to push. */
const aroundMs = 10 * 60 * 1000;
/** Longer than one answer of a model and one call of git may take, which end with better reasons. */
const defaultStallMs = 15 * 60 * 1000;

/**
 * Makes the function that runs one agent job: claim it under a new attempt number, which every later
 * write names, then run its turns until no message waits, fail it, or give it back.
 */
export function createAgentWorker(options: AgentWorkerOptions): RunJob {
  return async (jobId, signals) => {
    await using follower = followEnd(options, jobId);
    const claim = await claimAgentJob(options, jobId);
    if (!claim) return;
    follower.begin(claim);
    if (claim.job.strikes > mostStrikes) {
      await failJob(options, claim, workersDiedSentence("agent job"));
      return;
    }
    const theirs = AbortSignal.any([signals.lost, claim.lost]);
    try {
      await runTurns(options, claim, AbortSignal.any([theirs, signals.stopping]));
    } catch (error) {
      if (theirs.aborted) return;
      const fail = async (sentence: string) => {
        const level = isOctavoError(error) ? "info" : "error";
        const facts = { jobId, attempt: claim.job.attempt, err: error };
        options.log[level](facts, "An agent job failed.");
        await failJob(options, claim, sentence);
      };
      const { log, retryMs } = options;
      await answerFailure({ claim, name: "agent job", error, signals, log, retryMs, fail });
    }
  };
}

/**
 * Looks whether the job is still the attempt's whenever it is told that it ended. Told, and not simply
 * believed: it may be the end of the turn before, told late. Followed before the job is claimed, so that
 * a cancellation in between is not missed.
 */
function followEnd({ changes, log }: AgentWorkerOptions, jobId: string) {
  let claim: AgentClaim | undefined;
  let isTold = false;
  let looking = Promise.resolve();
  const look = () => {
    isTold = true;
    const current = claim;
    if (!current || current.lost.aborted) return;
    looking = current.verify().catch((err: unknown) => {
      if (!current.lost.aborted) log.warn({ jobId, err }, "Whether a job ended could not be seen.");
    });
  };
  const following = changes.follow(jobId, (status) => {
    if (status !== "active") look();
  });
  return {
    begin(claimed: AgentClaim): void {
      claim = claimed;
      if (isTold) look();
    },
    async [Symbol.asyncDispose](): Promise<void> {
      following[Symbol.dispose]();
      await looking;
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
    const end = await runInTime(options, claim, signal);
    if (end.type === "failed") return await failJob(options, claim, end.error);
    if (end.hasNext) continue;
    const seconds = (performance.now() - start) / 1000;
    options.metrics.jobEntered({ kind: "agent", state: "completed", seconds });
    return;
  }
}

async function runInTime(
  options: AgentWorkerOptions,
  claim: AgentClaim,
  signal: AbortSignal,
): Promise<TurnEnd> {
  const { limits, stallMs = defaultStallMs } = options;
  // With the first job: agent and renderer would make each start 0.1 s longer.
  const { runTurn } = await import("./turn.ts");
  const times = { mostMs: limits.timeMs + aroundMs, stallMs, signal };
  return await watched(times, (watch) => runTurn(options, claim, watch));
}
