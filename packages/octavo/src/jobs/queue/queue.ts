import type { Kysely } from "kysely";
import { PgBoss, fromKysely, type QueueResult } from "pg-boss";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { defaultQuotas, type Quotas } from "../../core/index.ts";
import type { Database, QueueConnection, Tables } from "../../db/index.ts";
import type { JobLog } from "../ports.ts";
import { Dispatcher, type EntrySource, type RunJob, type TakenEntry } from "./dispatcher.ts";
import { findLane, startNextLane, type QueueOwner } from "./fair-order.ts";
import { queueNames, webhookQueue } from "../job-kinds.ts";

/** The library's minimum. A dead worker's job runs elsewhere one to three seconds after this time. */
const heartbeatSeconds = 10;
/**
 * The maximum number of jobs of one organization that run at the same time on each node, so that slow receivers leave
 * room for the messages of other organizations.
 */
const maxRunningPerOrganization: Readonly<Record<string, number>> = { [webhookQueue]: 2 };

const queueOptions = {
  notify: true,
  heartbeatSeconds,
  // The maximum duration of an attempt. A worker that takes longer loses the job.
  expireInSeconds: 4 * 60 * 60,
  // The job's own row counts its failures and ends it. The queue itself never gives up, because it cannot distinguish a
  // released job from a failed job.
  retryLimit: 100_000,
  retryDelay: 0,
  // The maximum time that a job waits for a worker.
  retentionSeconds: 300 * 24 * 60 * 60,
  // The job's own row remains. Polling reads the queue's rows, so these are deleted.
  deleteAfterSeconds: 10 * 60,
};
/** The part of the library's response that its types omit: the IDs of the rows that the library found. */
const TouchResponse = z.object({ settled: z.array(z.string()) });
/**
 * The maximum number of attempts to take an entry. An attempt fails if another node takes the chosen entry first; after
 * the last attempt, the slot waits for the next notification or poll.
 */
const maxTakeAttempts = 5;
const maintenanceSeconds = 10 * 60;

export interface EnqueueOptions {
  /** The owner. Owners take turns. Entries without an owner come first. */
  readonly owner?: QueueOwner;
  /** The delay before workers may take the job. */
  readonly delaySeconds?: number;
  /**
   * Defaults to true. Set it to false if no one is waiting for the job, which then runs after the urgent jobs of its
   * organization.
   */
  readonly isUrgent?: boolean;
}

export interface JobQueue extends AsyncDisposable {
  /**
   * Enqueues a job in the transaction of `handle`, which also writes the job's row, so that either both are stored or
   * neither is.
   */
  enqueue(
    handle: Kysely<Tables>,
    name: string,
    jobId: string,
    options?: EnqueueOptions,
  ): Promise<void>;
  /** Starts running a queue's jobs, at most `slots` at a time. Throws `internal` if the queue does not exist. */
  work(name: string, slots: number, run: RunJob): Promise<void>;
}

export interface QueueOptions {
  readonly database: Database;
  readonly log: JobLog;
  /** Whether this node runs jobs, and therefore also takes over the jobs of dead workers. */
  readonly isWorker: boolean;
  /**
   * The interval at which a worker looks for jobs that no notification announced, in milliseconds. Defaults to one
   * second.
   */
  readonly pollIntervalMs?: number | undefined;
  /** The names of the queues. Defaults to the queues of all kinds of jobs, and of webhooks. */
  readonly names?: readonly string[] | undefined;
  /** The quotas, whose shares determine how often each organization takes a turn. Defaults to the default quotas. */
  readonly quotas?: Quotas | undefined;
}

/**
 * Opens the queue. When disposed of, the queue stops running jobs and waits a few seconds for them to be released. They
 * continue on another node within a second, or here after the next start. If the database fails while the queue opens,
 * rejects and leaves nothing running.
 */
export async function openQueue(options: QueueOptions): Promise<JobQueue> {
  const { database, log, isWorker, names = queueNames } = options;
  const isEmbedded = database.engine === "pglite";
  const dispatchers = new Map<string, Dispatcher>();
  /** Wakes the dispatcher of one queue, or of all queues if `name` is omitted. */
  const wake = (name?: string): void => {
    for (const [queueName, dispatcher] of dispatchers)
      if (name === undefined || name === queueName) dispatcher.wake();
  };
  const boss = new PgBoss({
    db: hearNotifications(database.queue, wake),
    backend: isEmbedded ? "pglite" : "postgres",
    useListenNotify: true,
    schedule: false,
    supervise: isWorker,
    superviseIntervalSeconds: 60,
    maintenanceIntervalSeconds: maintenanceSeconds,
    // A poll requests supervision when a worker has died, which can happen at any time.
    monitorIntervalSeconds: 1,
    ...(isEmbedded && { reindex: false, monitorVacuum: false }),
  });
  boss.on("error", (err) => log.error({ err }, "The queue reported an error."));
  boss.on("warning", (warning) => log.warn({ warning }, "The queue reported a warning."));
  try {
    await boss.start();
    await prepareQueues(boss, names);
    if (isEmbedded) await releaseAbandoned(database, boss, names);
  } catch (error) {
    // The parts of the library that have already started would keep the process from exiting, and
    // would prevent another start.
    await boss.stop({ graceful: false, close: false }).catch((err: unknown) => {
      log.warn({ err }, "The queue failed to start and could not be stopped.");
    });
    throw error;
  }
  return new BossQueue(boss, { ...options, names, dispatchers, wake });
}

/**
 * Passes the library's notifications on to `wake`. The library listens for them but wakes only its own workers, which
 * are not used here.
 */
function hearNotifications(
  connection: QueueConnection,
  wake: (name: string | undefined) => void,
): QueueConnection {
  return {
    executeSql: (text, values) => connection.executeSql(text, values),
    listen: (channel) => connection.listen(channel, wake, () => wake(undefined)),
  };
}

/**
 * Prepares the queues. Skips those that an earlier start set up with the same options, because the library has already
 * read them, and writing them again takes 0.1 s on the embedded database.
 */
async function prepareQueues(boss: PgBoss, names: readonly string[]): Promise<void> {
  const queuesByName = new Map(
    (await boss.getQueues([...names])).map((queue) => [queue.name, queue]),
  );
  for (const name of names) {
    const queue = queuesByName.get(name);
    if (!queue || !isUpToDate(queue)) await prepareQueue(boss, name);
  }
}

function isUpToDate(queue: QueueResult): boolean {
  const names = Object.keys(queueOptions) as (keyof typeof queueOptions)[];
  return names.every((name) => queue[name] === queueOptions[name]);
}

async function prepareQueue(boss: PgBoss, name: string): Promise<void> {
  await boss.createQueue(name, queueOptions);
  await boss.updateQueue(name, queueOptions);
  // Reads the queue into the library's memory. Otherwise, `send` would read it on another connection, which the
  // embedded database does not have while the caller's transaction is open.
  await boss.findJobs(name, { id: "00000000-0000-0000-0000-000000000000" });
}

/**
 * Releases active jobs. The lock on the data folder proves that no other worker is alive, so these jobs belong to a
 * dead worker.
 */
async function releaseAbandoned(
  database: Database,
  boss: PgBoss,
  names: readonly string[],
): Promise<void> {
  const { rows } = await database.queue.executeSql(
    "SELECT name, id FROM pgboss.job WHERE name = ANY($1) AND state = 'active'",
    [names],
  );
  for (const [name, jobs] of Map.groupBy(rows, (row) => String(row["name"]))) {
    const ids = jobs.map(({ id }) => String(id));
    await boss.fail(name, ids, { message: "The worker died." });
  }
}

interface BossQueueOptions extends QueueOptions {
  readonly names: readonly string[];
  /** The dispatchers of the queues that this node works on, by the queue's name. */
  readonly dispatchers: Map<string, Dispatcher>;
  readonly wake: (name?: string) => void;
}

class BossQueue implements JobQueue {
  readonly #boss: PgBoss;
  readonly #options: BossQueueOptions;
  readonly #poll: Omit<QueuePollOptions, "names">;
  #polling: AsyncDisposable | undefined;

  constructor(boss: PgBoss, options: BossQueueOptions) {
    this.#boss = boss;
    this.#options = options;
    const { database, log, pollIntervalMs = 1_000, wake } = options;
    this.#poll = {
      database,
      log,
      intervalMs: pollIntervalMs,
      onWaiting: wake,
      onDeadWorker: async (name) => {
        // The embedded database has a single process, so no other worker can die.
        if (database.engine === "postgres") await boss.supervise(name);
      },
    };
  }

  async enqueue(
    handle: Kysely<Tables>,
    name: string,
    jobId: string,
    { owner, delaySeconds = 0, isUrgent = true }: EnqueueOptions = {},
  ): Promise<void> {
    await this.#boss.send(
      name,
      { jobId },
      {
        db: fromKysely(handle),
        startAfter: delaySeconds,
        ...(owner && {
          priority: await findLane(handle, { ...owner, queue: name, isUrgent }),
        }),
      },
    );
  }

  async work(name: string, slots: number, run: RunJob): Promise<void> {
    const { names, log, dispatchers, wake } = this.#options;
    if (!names.includes(name)) throw new OctavoError("internal", `There is no queue ${name}.`);
    dispatchers.set(name, new Dispatcher({ source: this.#createSource(name), slots, run, log }));
    await this.#polling?.[Symbol.asyncDispose]();
    this.#polling = pollQueues({ ...this.#poll, names: [...dispatchers.keys()] });
    wake(name);
  }

  #createSource(name: string): EntrySource {
    const boss = this.#boss;
    return {
      take: (running) => this.#take(name, running),
      async touch(entries) {
        const { settled } = TouchResponse.parse(await boss.touch(name, [...entries]));
        return entries.filter(({ id }) => settled.includes(id));
      },
      async complete(entry) {
        await boss.complete(name, entry);
      },
      async returnEntry(entry, error) {
        const message = error instanceof Error ? error.message : String(error);
        await boss.fail(name, entry, { message });
      },
    };
  }

  async #take(queue: string, running: readonly TakenEntry[]): Promise<TakenEntry | undefined> {
    const { database, quotas = defaultQuotas } = this.#options;
    const excluded = listFullOrganizations(queue, running);
    for (let attempts = 0; attempts < maxTakeAttempts; attempts += 1) {
      const next = await startNextLane(database.queue, { queue, quotas, excluded });
      if (!next) return undefined;
      const { lane: minPriority, organizationId } = next;
      const range = { minPriority, maxPriority: minPriority };
      const [job] = await this.#boss.fetch<{ jobId: string }>(queue, range);
      // If there is no job, another node took the chosen job, and there may be more jobs.
      if (job)
        return { id: job.id, retryCount: job.retryCount, jobId: job.data.jobId, organizationId };
    }
    return undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#polling?.[Symbol.asyncDispose]();
    const dispatchers = [...this.#options.dispatchers.values()];
    await Promise.all(dispatchers.map((dispatcher) => dispatcher[Symbol.asyncDispose]()));
    await this.#boss.stop({ graceful: true, timeout: 1000, close: false });
  }
}

/** Returns the organizations that may not run more entries here. */
function listFullOrganizations(queue: string, running: readonly TakenEntry[]): string[] {
  const max = maxRunningPerOrganization[queue];
  if (max === undefined) return [];
  const byOrganization = Map.groupBy(running, ({ organizationId }) => organizationId);
  return [...byOrganization]
    .filter(([id, entries]) => id !== null && entries.length >= max)
    .map(([id]) => id ?? "");
}

interface QueuePollOptions {
  readonly database: Pick<Database, "queue">;
  /** The queues whose jobs this node runs. */
  readonly names: readonly string[];
  readonly intervalMs: number;
  /** Called when a job waits in the queue because it was released or delayed, or its notification was lost. */
  readonly onWaiting: (name: string) => void;
  /**
   * Called when a job's worker has sent no heartbeat for too long. Takes the job from the worker, so that it waits
   * again.
   */
  readonly onDeadWorker: (name: string) => Promise<void>;
  readonly log: JobLog;
}

/**
 * Looks for work that no notification announced, with one statement for all queues. The number of statements that an
 * idle node sends to its database does not depend on the number of its queues or slots.
 */
function pollQueues(options: QueuePollOptions): AsyncDisposable {
  const { intervalMs, log } = options;
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  const timer = setInterval(() => {
    // Only one query runs at a time, even if the database takes longer than the interval.
    if (isRunning) return;
    isRunning = true;
    running = pollOnce(options)
      .catch((err: unknown) => log.warn({ err }, "The queues could not be polled"))
      .finally(() => (isRunning = false));
  }, intervalMs).unref();
  return {
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      await running;
    },
  };
}

async function pollOnce({
  database,
  names,
  onWaiting,
  onDeadWorker,
}: QueuePollOptions): Promise<void> {
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
    if (row["is_dead"] === true) await onDeadWorker(name);
    if (row["is_waiting"] === true || row["is_dead"] === true) onWaiting(name);
  }
}
