import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import { PgBoss, fromKysely } from "pg-boss";
import type { QueueResult, WorkOptions } from "pg-boss";
import type { Database, QueueConnection, Tables } from "../db/index.ts";
import type { JobLog } from "./ports.ts";
import { pollQueues } from "./queue-poll.ts";
import type { QueuePollOptions } from "./queue-poll.ts";

/** Every kind of job has its own queue. */
export const queueNames = ["static-export", "agent", "webhook"] as const;
export type QueueName = (typeof queueNames)[number];

/** The library's minimum; a dead worker's job runs elsewhere one to three seconds later. */
const heartbeatSeconds = 10;
/** The time for a stopping worker to release its job. */
const stopMs = 5_000;
/**
 * The maximum number of jobs of one group that run at the same time on each node: a slow group leaves room
 * for the others. The library counts them in memory: a count of rows would let two slots that check at the
 * same moment both take the last place.
 */
const maxPerGroup: Readonly<Partial<Record<QueueName, number>>> = { webhook: 2 };

const queueOptions = {
  notify: true,
  heartbeatSeconds,
  // The maximum duration of an attempt; a worker that hangs longer loses the job.
  expireInSeconds: 4 * 60 * 60,
  // The job's own row counts its failures and ends it: the queue itself never gives up, because it
  // cannot distinguish a released job from a failed one.
  retryLimit: 100_000,
  retryDelay: 0,
  // The maximum time that a job waits for a worker.
  retentionSeconds: 300 * 24 * 60 * 60,
  // The job's own row remains; polling reads what is here.
  deleteAfterSeconds: 10 * 60,
};
const maintenanceSeconds = 10 * 60;
/** The library polls for each slot of each queue; one statement for all of them, in `queue-poll.ts`, replaces that. */
const libraryPollSeconds = 60;

export interface WorkSignals {
  /** The worker is stopping: release the job within a few seconds, by throwing. */
  readonly stopping: AbortSignal;
  /** Another worker has the job; writes of this one have no effect any more. */
  readonly lost: AbortSignal;
}

/**
 * Runs one job. Resolves when the queue can drop it, whether it completed or failed; throws if it must run
 * again, at once, here or elsewhere. May be called for a job that ended long ago.
 */
export type RunJob = (jobId: string, signals: WorkSignals) => Promise<void>;

export interface EnqueueOptions {
  /** For queues that limit how many jobs of one group run at the same time. */
  readonly group?: string;
  /** No worker takes the job before this time has passed. */
  readonly delaySeconds?: number;
  /** Default true. False if nobody is waiting for the job: it runs after all urgent ones. */
  readonly isUrgent?: boolean;
}

export interface JobQueue extends AsyncDisposable {
  /** In the transaction of `handle`, which also writes the job's row: either both exist or neither. */
  enqueue(
    handle: Kysely<Tables>,
    name: QueueName,
    jobId: string,
    options?: EnqueueOptions,
  ): Promise<void>;
  /** Starts running a queue's jobs, `slots` of them at a time. */
  work(name: QueueName, slots: number, run: RunJob): Promise<void>;
}

export interface QueueOptions {
  readonly database: Database;
  readonly log: JobLog;
  /** Whether this node runs jobs, and so also takes over those of dead workers. */
  readonly isWorker: boolean;
  /** How often a worker looks for jobs that no notification announced. Default one second. */
  readonly pollMs?: number | undefined;
}

/**
 * Opens the queue. Disposing it stops running jobs and waits a few seconds until they are released; they
 * continue on another node within a second, or here after the next start.
 */
export async function openQueue(options: QueueOptions): Promise<JobQueue> {
  const { database, log, isWorker } = options;
  const isEmbedded = database.engine === "pglite";
  const waker = createWaker(database.queue);
  const boss = new PgBoss({
    db: waker.connection,
    backend: isEmbedded ? "pglite" : "postgres",
    useListenNotify: true,
    schedule: false,
    supervise: isWorker,
    superviseIntervalSeconds: 60,
    maintenanceIntervalSeconds: maintenanceSeconds,
    // Polling asks for it when a worker died, at any time.
    monitorIntervalSeconds: 1,
    ...(isEmbedded && { reindex: false, monitorVacuum: false }),
  });
  boss.on("error", (err) => log.error({ err }, "The queue reported an error."));
  boss.on("warning", (warning) => log.warn({ warning }, "The queue reported a warning."));
  await boss.start();
  await prepareQueues(boss);
  if (isEmbedded) await releaseAbandoned(database, boss);
  return new BossQueue(boss, { ...options, wake: waker.wake });
}

interface Waker {
  readonly connection: QueueConnection;
  /** Makes the workers of a queue look for jobs, as a notification does. */
  readonly wake: (name: string) => void;
}

/** Wakes workers in the library's own way: by the listener that it gives to the connection. */
function createWaker(connection: QueueConnection): Waker {
  let notified: ((name: string) => void) | undefined;
  return {
    connection: {
      executeSql: (text, values) => connection.executeSql(text, values),
      listen(channel, onPayload, onReconnect) {
        notified = onPayload;
        return connection.listen(channel, onPayload, onReconnect);
      },
    },
    wake: (name) => notified?.(name),
  };
}

/**
 * Skips queues that an earlier start set up with the same options: the library has already read them, and
 * writing them again takes 0.1 s on the embedded database.
 */
async function prepareQueues(boss: PgBoss): Promise<void> {
  const found = new Map(
    (await boss.getQueues([...queueNames])).map((queue) => [queue.name, queue]),
  );
  for (const name of queueNames) {
    const queue = found.get(name);
    if (!queue || !isUpToDate(queue)) await prepareQueue(boss, name);
  }
}

function isUpToDate(queue: QueueResult): boolean {
  const names = Object.keys(queueOptions) as (keyof typeof queueOptions)[];
  return names.every((name) => queue[name] === queueOptions[name]);
}

async function prepareQueue(boss: PgBoss, name: QueueName): Promise<void> {
  await boss.createQueue(name, queueOptions);
  await boss.updateQueue(name, queueOptions);
  // Reads the queue into the library's memory: `send` would otherwise read it on another connection,
  // which the embedded database does not have while the caller's transaction is open.
  await boss.findJobs(name, { id: "00000000-0000-0000-0000-000000000000" });
}

/** The lock on the data folder proves that no other worker is alive: active jobs belonged to a dead one. */
async function releaseAbandoned(database: Database, boss: PgBoss): Promise<void> {
  const { rows } = await database.queue.executeSql(
    "SELECT name, id FROM pgboss.job WHERE name = ANY($1) AND state = 'active'",
    [queueNames],
  );
  for (const [name, jobs] of Map.groupBy(rows, (row) => String(row["name"]))) {
    const ids = jobs.map(({ id }) => String(id));
    await boss.fail(name, ids, { message: "The worker died." });
  }
}

class BossQueue implements JobQueue {
  readonly #boss: PgBoss;
  readonly #poll: Omit<QueuePollOptions, "names">;
  #polling: AsyncDisposable | undefined;
  readonly #worked = new Set<QueueName>();
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(
    boss: PgBoss,
    { database, log, pollMs = 1_000, wake }: QueueOptions & Pick<Waker, "wake">,
  ) {
    this.#boss = boss;
    this.#poll = {
      database,
      log,
      everyMs: pollMs,
      onWaiting: wake,
      onDead: async (name) => {
        // The embedded database has a single process: no other worker can die.
        if (database.engine === "postgres") await boss.supervise(name);
      },
    };
  }

  async enqueue(
    handle: Kysely<Tables>,
    name: QueueName,
    jobId: string,
    { group, delaySeconds = 0, isUrgent = true }: EnqueueOptions = {},
  ): Promise<void> {
    await this.#boss.send(
      name,
      { jobId },
      {
        db: fromKysely(handle),
        startAfter: delaySeconds,
        priority: isUrgent ? 0 : -1,
        ...(group !== undefined && { group: { id: group } }),
      },
    );
  }

  async work(name: QueueName, slots: number, run: RunJob): Promise<void> {
    await this.#startWorkers(name, slots, run);
    this.#worked.add(name);
    await this.#polling?.[Symbol.asyncDispose]();
    this.#polling = pollQueues({ ...this.#poll, names: [...this.#worked] });
  }

  async #startWorkers(name: QueueName, slots: number, run: RunJob): Promise<void> {
    const maxInGroup = maxPerGroup[name];
    if (maxInGroup !== undefined) {
      const localGroupConcurrency = Math.min(maxInGroup, slots);
      await this.#startWorker(name, run, { localConcurrency: slots, localGroupConcurrency });
      return;
    }
    // One worker per slot: each has an ID by which it can be notified to take the next job at once.
    for (let slot = 0; slot < slots; slot++) await this.#startWorker(name, run);
  }

  async #startWorker(
    name: QueueName,
    run: RunJob,
    concurrency: Pick<WorkOptions, "localConcurrency" | "localGroupConcurrency"> = {},
  ): Promise<void> {
    const options = {
      ...concurrency,
      pollingIntervalSeconds: libraryPollSeconds,
      notifyPollingIntervalSeconds: libraryPollSeconds,
      heartbeatRefreshSeconds: 3,
    };
    const workerId = await this.#boss.work<{ jobId: string }>(name, options, async ([job]) => {
      if (!job) return;
      if (this.#stopping.signal.aborted)
        throw new Error("The worker stopped before it started the job.");
      const signals = { stopping: this.#stopping.signal, lost: job.signal };
      const running = run(job.data.jobId, signals);
      this.#running.add(running);
      try {
        await running;
      } finally {
        this.#running.delete(running);
        // With notifications on, a worker would otherwise sleep after a job before it takes the next.
        this.#boss.notifyWorker(workerId);
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#polling?.[Symbol.asyncDispose]();
    // First; otherwise a worker that released its job would take it again.
    for (const name of queueNames) await this.#boss.offWork(name, { wait: false });
    this.#stopping.abort();
    const deadline = sleep(stopMs, undefined, { ref: false });
    await Promise.race([Promise.allSettled(this.#running), deadline]);
    await this.#boss.stop({ graceful: true, timeout: 1000, close: false });
  }
}
