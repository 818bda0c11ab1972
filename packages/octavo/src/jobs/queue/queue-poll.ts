import type { Database } from "../../db/index.ts";
import type { JobLog } from "../ports.ts";

export interface QueuePollOptions {
  readonly database: Pick<Database, "queue">;
  /** The queues whose jobs this node runs. */
  readonly names: readonly string[];
  readonly everyMs: number;
  /** Called when a job waits in the queue because it was released or delayed, or its notification was lost. */
  readonly onWaiting: (name: string) => void;
  /**
   * Called when a job's worker has given no sign of life for too long. Takes the job from it, so that it waits again.
   */
  readonly onDead: (name: string) => Promise<void>;
  readonly log: JobLog;
}

/**
 * Looks for work that was not announced by a notification, with one statement for all queues: the number of statements
 * that an idle node sends to its database depends neither on its queues nor on its slots.
 */
export function pollQueues(options: QueuePollOptions): AsyncDisposable {
  const { everyMs, log } = options;
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    // At most one query at a time, even if the database takes longer than the interval.
    if (isRunning) return;
    isRunning = true;
    running = pollOnce(options)
      .catch((err: unknown) => log.warn({ err }, "The queues could not be polled"))
      .finally(() => (isRunning = false));
  }, everyMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
    },
  };
}

async function pollOnce({ database, names, onWaiting, onDead }: QueuePollOptions): Promise<void> {
  const { rows } = await database.queue.executeSql(
    `select name,
      exists (select from pgboss.job where job.name = queue.name and state < 'active' and not blocked
        and start_after <= now()) as is_waiting,
      exists (select from pgboss.job where job.name = queue.name and state = 'active'
        and heartbeat_on + heartbeat_seconds * interval '1s' < now()) as is_dead
    from unnest($1::text[]) as queue(name)`,
    [names],
  );
  for (const row of rows) {
    const name = String(row["name"]);
    if (row["is_dead"] === true) await onDead(name);
    if (row["is_waiting"] === true || row["is_dead"] === true) onWaiting(name);
  }
}
