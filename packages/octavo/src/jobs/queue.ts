import { setTimeout as sleep } from "node:timers/promises";
import type { Kysely } from "kysely";
import { PgBoss, fromKysely } from "pg-boss";
import type { QueueResult, WorkOptions } from "pg-boss";
import type { Database, Tables } from "../db/index.ts";
import type { JobLog } from "./ports.ts";

/** Every kind of job has a queue of its own. */
export const queueNames = ["static-export", "agent", "webhook"] as const;
export type QueueName = (typeof queueNames)[number];

/** The least that the library allows; a dead worker's job runs elsewhere one to three seconds later. */
const heartbeatSeconds = 10;
/** What a worker that is told to stop has to give its job back. */
const stopMs = 5_000;
/**
 * Of one group, on each node: a slow one leaves room for the others. The library counts them in its
 * memory: a count of rows would let two slots that look at the same moment both take the last place.
 */
const mostOfOneGroup: Readonly<Partial<Record<QueueName, number>>> = { webhook: 2 };

const queueOptions = {
  notify: true,
  heartbeatSeconds,
  // One attempt at the longest; a worker that hangs longer loses the job.
  expireInSeconds: 4 * 60 * 60,
  // The job's own row counts its failures and ends it: the queue alone never gives up, because it
  // cannot tell a job that was given back from one that failed.
  retryLimit: 100_000,
  retryDelay: 0,
  // A job may wait this long for a worker.
  retentionSeconds: 300 * 24 * 60 * 60,
  deleteAfterSeconds: 60 * 60,
};

export interface WorkSignals {
  /** The worker is told to stop: give the job back within a few seconds, by throwing. */
  readonly stopping: AbortSignal;
  /** The job was given to another worker; nothing that this one writes counts any more. */
  readonly lost: AbortSignal;
}

/**
 * Works on one job. Resolves when the queue is rid of it, ended well or not; throws where it must
 * run again, at once, here or elsewhere. May be called for a job that has ended long ago.
 */
export type RunJob = (jobId: string, signals: WorkSignals) => Promise<void>;

export interface EnqueueOptions {
  /** Jobs of one group are worked on a few at a time, where the queue says so. */
  readonly group?: string;
  /** Before this time has passed, nobody takes it. */
  readonly delaySeconds?: number;
  /** False where nobody waits for it: it comes after all that somebody asked for. */
  readonly isAwaited?: boolean;
}

export interface JobQueue extends AsyncDisposable {
  /** In the transaction of `handle`, which writes the job's row too: both are there, or neither. */
  enqueue(
    handle: Kysely<Tables>,
    name: QueueName,
    jobId: string,
    options?: EnqueueOptions,
  ): Promise<void>;
  /** Starts to work on a queue's jobs, `slots` of them at a time. */
  work(name: QueueName, slots: number, run: RunJob): Promise<void>;
}

export interface QueueOptions {
  readonly database: Database;
  readonly log: JobLog;
  /** Whether this node works on jobs, and so looks for those of dead workers. */
  readonly isWorker: boolean;
}

/**
 * Opens the queue. Disposing it tells running jobs to stop and waits a few seconds for them to be
 * given back; they run on elsewhere within a second, or here after the next start.
 */
export async function openQueue({ database, log, isWorker }: QueueOptions): Promise<JobQueue> {
  const isAlone = database.engine === "pglite";
  const boss = new PgBoss({
    db: database.queue,
    backend: isAlone ? "pglite" : "postgres",
    useListenNotify: true,
    schedule: false,
    supervise: isWorker,
    // Alone on the embedded database, nobody else can die unseen; maintenance is all there is to do.
    superviseIntervalSeconds: isAlone ? 60 : 1,
    monitorIntervalSeconds: isAlone ? 60 : 1,
    ...(isAlone && { reindex: false, monitorVacuum: false }),
  });
  boss.on("error", (err) => log.error({ err }, "The queue met an error."));
  boss.on("warning", (warning) => log.warn({ warning }, "The queue warns."));
  await boss.start();
  await prepareQueues(boss);
  if (isAlone) await releaseAbandoned(database, boss);
  return new BossQueue(boss, isAlone ? 1 : 0.5);
}

/**
 * What an earlier start made as it should be is left: the library has read it into its memory, and
 * writing it again takes 0.1 s on the embedded database.
 */
async function prepareQueues(boss: PgBoss): Promise<void> {
  const found = new Map(
    (await boss.getQueues([...queueNames])).map((queue) => [queue.name, queue]),
  );
  for (const name of queueNames) {
    const queue = found.get(name);
    if (!queue || !hasOurOptions(queue)) await prepare(boss, name);
  }
}

function hasOurOptions(queue: QueueResult): boolean {
  const names = Object.keys(queueOptions) as (keyof typeof queueOptions)[];
  return names.every((name) => queue[name] === queueOptions[name]);
}

async function prepare(boss: PgBoss, name: QueueName): Promise<void> {
  await boss.createQueue(name, queueOptions);
  await boss.updateQueue(name, queueOptions);
  // Reads the queue into the library's memory: `send` would otherwise read it on another connection,
  // which the embedded database does not have while the caller's transaction is open.
  await boss.findJobs(name, { id: "00000000-0000-0000-0000-000000000000" });
}

/** The lock on the data folder proves that no other worker lives: what is active belonged to a dead one. */
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
  readonly #pollSeconds: number;
  readonly #stopping = new AbortController();
  readonly #running = new Set<Promise<void>>();

  constructor(boss: PgBoss, pollSeconds: number) {
    this.#boss = boss;
    this.#pollSeconds = pollSeconds;
  }

  async enqueue(
    handle: Kysely<Tables>,
    name: QueueName,
    jobId: string,
    { group, delaySeconds = 0, isAwaited = true }: EnqueueOptions = {},
  ): Promise<void> {
    await this.#boss.send(
      name,
      { jobId },
      {
        db: fromKysely(handle),
        startAfter: delaySeconds,
        priority: isAwaited ? 0 : -1,
        ...(group !== undefined && { group: { id: group } }),
      },
    );
  }

  async work(name: QueueName, slots: number, run: RunJob): Promise<void> {
    const most = mostOfOneGroup[name];
    if (most !== undefined) {
      const localGroupConcurrency = Math.min(most, slots);
      await this.#startWorker(name, run, { localConcurrency: slots, localGroupConcurrency });
      return;
    }
    // A worker for each slot has a name by which it is told to look for the next job at once.
    for (let slot = 0; slot < slots; slot++) await this.#startWorker(name, run);
  }

  async #startWorker(
    name: QueueName,
    run: RunJob,
    concurrency: Pick<WorkOptions, "localConcurrency" | "localGroupConcurrency"> = {},
  ): Promise<void> {
    const options = {
      ...concurrency,
      pollingIntervalSeconds: this.#pollSeconds,
      notifyPollingIntervalSeconds: this.#pollSeconds,
      heartbeatRefreshSeconds: 3,
    };
    const workerId = await this.#boss.work<{ jobId: string }>(name, options, async ([job]) => {
      if (!job) return;
      if (this.#stopping.signal.aborted) throw new Error("The worker stops before it began.");
      const signals = { stopping: this.#stopping.signal, lost: job.signal };
      const running = run(job.data.jobId, signals);
      this.#running.add(running);
      try {
        await running;
      } finally {
        this.#running.delete(running);
        // With notifications on, a worker that ends a job would sleep before it looks for the next.
        this.#boss.notifyWorker(workerId);
      }
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // First, or a worker that gave its job back would take it again.
    for (const name of queueNames) await this.#boss.offWork(name, { wait: false });
    this.#stopping.abort();
    const deadline = sleep(stopMs, undefined, { ref: false });
    await Promise.race([Promise.allSettled(this.#running), deadline]);
    await this.#boss.stop({ graceful: true, timeout: 1000, close: false });
  }
}
