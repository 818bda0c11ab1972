import type { Logger } from "../telemetry/index.ts";

/** The interval at which a node removes data that is no longer needed. */
export const retentionMs = 60 * 60 * 1000;

export interface RepeatedTask {
  readonly everyMs: number;
  readonly task: () => Promise<unknown>;
  /** The message to log when the task fails. */
  readonly failed: string;
}

/** Repeats tasks until the result is disposed. The failure of a task is logged, and the task runs again. */
export function repeatTasks(log: Logger, tasks: readonly RepeatedTask[]): Disposable {
  const timers = tasks.map(({ everyMs, task, failed }) => {
    const run = () => void task().catch((err: unknown) => log.error({ err }, failed));
    return setInterval(run, everyMs).unref();
  });
  return {
    [Symbol.dispose]() {
      for (const timer of timers) clearInterval(timer);
    },
  };
}
