import { createJobWorker } from "../lifecycle/job-worker.ts";
import type { JobWorkerOptions } from "../lifecycle/job-worker.ts";
import type { RunJob } from "../queue/dispatcher.ts";
import { openAgentClaim } from "./claim.ts";
import type { AgentClaimOptions } from "./claim.ts";
import { agentKind } from "./kind.ts";
import type { TurnOptions } from "./turn-work.ts";
import { runWithWatchdog } from "./watchdog.ts";

export interface AgentWorkerOptions extends TurnOptions, AgentClaimOptions, JobWorkerOptions {
  /** The maximum time that a turn may make no progress. Defaults to 15 minutes. */
  readonly stallTimeoutMs?: number;
}

/** The time for the work of a turn other than the agent's: the checkout, the final check and the push. */
const overheadMs = 10 * 60 * 1000;
/** The default is longer than the time limits of a model reply and of a call to git, whose errors are more precise. */
const defaultStallMs = 15 * 60 * 1000;

/** Creates the function that runs the turns of one agent job, until no message is queued or a turn fails. */
export function createAgentWorker(options: AgentWorkerOptions): RunJob {
  const { limits, stallTimeoutMs = defaultStallMs } = options;
  return createJobWorker(agentKind, options, async (attempt) => {
    const { signal, openFolder } = attempt;
    const claim = await openAgentClaim(options, attempt.claim);
    // The module is imported with the first job, because loading the agent and the renderer would add 0.1 s to every
    // start.
    const { runTurn } = await import("./turn.ts");
    const watchdogOptions = { timeoutMs: limits.timeMs + overheadMs, stallTimeoutMs, signal };
    for (;;) {
      const turnEnd = await runWithWatchdog(watchdogOptions, (watch) =>
        runTurn(options, { claim, openFolder }, watch),
      );
      if (turnEnd.type === "failed") return turnEnd;
      if (!turnEnd.hasNext) return { type: "completed" };
    }
  });
}
