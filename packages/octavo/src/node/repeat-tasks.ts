import type { Logger } from "../telemetry/index.ts";

/** The interval at which a node removes data that is no longer needed. */
export const cleanupIntervalMs = 60 * 60 * 1000;

export interface RepeatedTask {
  readonly intervalMs: number;
  readonly task: () => Promise<unknown>;
  /** The message to log when the task fails. */
  readonly failureMessage: string;
}

/** Repeats tasks until the result is disposed. The failure of a task is logged, and the task runs again. */
export function repeatTasks(log: Logger, tasks: readonly RepeatedTask[]): Disposable {
  const timers = tasks.map(({ intervalMs, task, failureMessage }) => {
    const run = () => void task().catch((err: unknown) => log.error({ err }, failureMessage));
    return setInterval(run, intervalMs).unref();
  });
  return {
    [Symbol.dispose]() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
