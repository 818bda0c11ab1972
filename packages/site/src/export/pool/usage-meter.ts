import { OctavoError } from "../../core/index.ts";
import { findProgramId } from "../../sandbox/index.ts";
import { type ProcessUsage, readProcessUsage } from "../../sandbox/index.ts";

/** The maximum total usage of the processes of one export: the process that runs it and its render children. */
export interface ExportBudget {
  readonly cpuMs: number;
  /** The maximum resident memory in bytes at any moment. */
  readonly memoryBytes: number;
}

/** The part of the budget that was exceeded; the value of `budget` in the error's details. */
type BudgetKind = "cpu" | "memory";

/** Measures this process and the added processes until it is disposed of. */
export interface UsageMeter extends Disposable {
  /** Aborts with `too_large` when the budget is exceeded. */
  readonly signal: AbortSignal;
  add(pid: number | undefined): void;
  /** Measures once more. If the budget is exceeded, throws the error with which `signal` would abort. */
  check(): Promise<void>;
}

const pollIntervalMs = 500;
const unlimitedBudget: ExportBudget = { cpuMs: Infinity, memoryBytes: Infinity };

/** Opens a meter. If the system does not report the usage of other processes, only this process is measured. */
export function openUsageMeter(budget = unlimitedBudget): UsageMeter {
  const controller = new AbortController();
  /** CPU time of each process at its last measurement, including processes that have exited. */
  const cpuMs = new Map([[process.pid, 0]]);
  /** CPU time of each process before this export, since it may have worked on an earlier export. */
  const earlierCpuMs = new Map([[process.pid, readOwnUsage().cpuMs]]);
  let isMeasuring = false;

  async function noteEarlierUsage(pid: number): Promise<void> {
    const usage = await readProcessUsage(findProgramId(pid));
    earlierCpuMs.set(pid, usage?.cpuMs ?? 0);
  }

  async function measure(): Promise<void> {
    let residentBytes = 0;
    for (const pid of cpuMs.keys()) {
      const usage =
        pid === process.pid ? readOwnUsage() : await readProcessUsage(findProgramId(pid));
      if (!usage) continue;
      cpuMs.set(pid, usage.cpuMs - (earlierCpuMs.get(pid) ?? usage.cpuMs));
      residentBytes += usage.residentBytes;
    }
    const usedMs = cpuMs.values().reduce((sum, ms) => sum + ms, 0);
    const error = findExceededBudget(budget, { cpuMs: usedMs, memoryBytes: residentBytes });
    if (error) controller.abort(error);
  }

  const poll = setInterval(() => {
    if (isMeasuring) return;
    isMeasuring = true;
    void measure().finally(() => (isMeasuring = false));
  }, pollIntervalMs).unref();
  return {
    signal: controller.signal,
    add(pid) {
      if (pid === undefined) return;
      cpuMs.set(pid, 0);
      void noteEarlierUsage(pid);
    },
    async check() {
      await measure();
      controller.signal.throwIfAborted();
    },
    [Symbol.dispose]() {
      clearInterval(poll);
    },
  };
}

/**
 * Returns the usage of this process, to the microsecond. The system reports the usage of other processes only in
 * hundredths of a second.
 */
function readOwnUsage(): ProcessUsage {
  const { user, system } = process.cpuUsage();
  return { residentBytes: process.memoryUsage.rss(), cpuMs: (user + system) / 1_000 };
}

function findExceededBudget(budget: ExportBudget, used: ExportBudget): OctavoError | undefined {
  if (used.cpuMs > budget.cpuMs) {
    const [spent, max] = [used.cpuMs, budget.cpuMs].map((ms) => Math.ceil(ms / 1_000));
    return createBudgetError(
      "cpu",
      `The export has used ${spent} s of CPU time; its limit is ${max} s.`,
    );
  }
  if (used.memoryBytes > budget.memoryBytes) {
    const [taken, max] = [used.memoryBytes, budget.memoryBytes].map((bytes) =>
      Math.ceil(bytes / 1e6),
    );
    return createBudgetError(
      "memory",
      `The export used ${taken} MB of memory; its limit is ${max} MB.`,
    );
  }
  return undefined;
}

function createBudgetError(budget: BudgetKind, sentence: string): OctavoError {
  return new OctavoError("too_large", sentence, { details: { budget } });
}
