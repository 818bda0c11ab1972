import type { Kysely } from "kysely";
import { PgBoss, fromKysely } from "pg-boss";
import type { QueueResult } from "pg-boss";
import { z } from "zod";
import { OctavoError } from "@octavo/site/core";
import { defaultQuotas } from "../../core/index.ts";
import type { Quotas } from "../../core/index.ts";
import type { Database, QueueConnection, Tables } from "../../db/index.ts";
import { Dispatcher } from "./dispatcher.ts";
import type { EntrySource, RunJob, TakenEntry } from "./dispatcher.ts";
import { findLane, startNextLane } from "./fair-order.ts";
import type { QueueOwner } from "./fair-order.ts";
import type { JobLog } from "../ports.ts";
import { queueNames, webhookQueue } from "./queue-names.ts";
import { pollQueues } from "./queue-poll.ts";
import type { QueuePollOptions } from "./queue-poll.ts";

/** The library's minimum; a dead worker's job runs elsewhere one to three seconds later. */
const heartbeatSeconds = 10;
/**
 * The maximum number of jobs of one organisation that run at the same time on each node: receivers that are slow
 * leave room for the others'.
 */
const maxPerOrganization: Readonly<Record<string, number>> = { [webhookQueue]: 2 };

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
/** What the library's types leave out of its response: the IDs of the rows that it found. */
const Touched = z.object({ settled: z.array(z.string()) });
/** How often what was chosen may be gone before an entry waits for the next notification or poll. */
const maxTakes = 5;
const maintenanceSeconds = 10 * 60;

export interface EnqueueOptions {
  /** Owners take turns. What has none goes first. */
  readonly owner?: QueueOwner;
  /** No worker takes the job before this time has passed. */
  readonly delaySeconds?: number;
  /** Default true. False if nobody is waiting for the job: it runs after the urgent ones of its organisation. */
  readonly isUrgent?: boolean;
}

export interface JobQueue extends AsyncDisposable {
  /** In the transaction of `handle`, which also writes the job's row: either both exist or neither. */
  enqueue(
    handle: Kysely<Tables>,
    name: string,
    jobId: string,
    options?: EnqueueOptions,
  ): Promise<void>;
  /** Starts running a queue's jobs, `slots` of them at a time. Throws `internal` if there is no such queue. */
  work(name: string, slots: number, run: RunJob): Promise<void>;
}

export interface QueueOptions {
  readonly database: Database;
  readonly log: JobLog;
  /** Whether this node runs jobs, and so also takes over those of dead workers. */
  readonly isWorker: boolean;
  /** How often a worker looks for jobs that no notification announced. Default one second. */
  readonly pollMs?: number | undefined;
  /** Default: those of all kinds of jobs, and of webhooks. */
  readonly names?: readonly string[] | undefined;
  /** Their shares say how often organisations have a turn. Default: the default quotas. */
  readonly quotas?: Quotas | undefined;
}

/**
 * Opens the queue. Disposing it stops running jobs and waits a few seconds until they are released; they
 * continue on another node within a second, or here after the next start. Rejects if the database fails meanwhile, and
 * leaves nothing running.
 */
export async function openQueue(options: QueueOptions): Promise<JobQueue> {
  const { database, log, isWorker, names = queueNames } = options;
  const isEmbedded = database.engine === "pglite";
  const dispatchers = new Map<string, Dispatcher>();
  /** One queue's, or all of them. */
  const wake = (name?: string): void => {
    for (const [of, dispatcher] of dispatchers)
      if (name === undefined || name === of) dispatcher.wake();
  };
  const boss = new PgBoss({
    db: hearNotifications(database.queue, wake),
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
  try {
    await boss.start();
    await prepareQueues(boss, names);
    if (isEmbedded) await releaseAbandoned(database, boss, names);
  } catch (error) {
    // What it has started so far would keep the process from its end, and others from starting it again.
    await boss.stop({ graceful: false, close: false }).catch((err: unknown) => {
      log.warn({ err }, "The queue that did not open could not be stopped.");
    });
    throw error;
  }
  return new BossQueue(boss, { ...options, names, dispatchers, wake });
}

/** The library listens for its notifications; nothing but its own workers, which do not exist, would hear of them. */
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
 * Skips queues that an earlier start set up with the same options: the library has already read them, and
 * writing them again takes 0.1 s on the embedded database.
 */
async function prepareQueues(boss: PgBoss, names: readonly string[]): Promise<void> {
  const found = new Map((await boss.getQueues([...names])).map((queue) => [queue.name, queue]));
  for (const name of names) {
    const queue = found.get(name);
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
  // Reads the queue into the library's memory: `send` would otherwise read it on another connection,
  // which the embedded database does not have while the caller's transaction is open.
  await boss.findJobs(name, { id: "00000000-0000-0000-0000-000000000000" });
}

/** The lock on the data folder proves that no other worker is alive: active jobs belonged to a dead one. */
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
  /** By the queue's name; of those that this node works on. */
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
    const { database, log, pollMs = 1_000, wake } = options;
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
    dispatchers.set(name, new Dispatcher({ source: this.#sourceOf(name), slots, run, log }));
    await this.#polling?.[Symbol.asyncDispose]();
    this.#polling = pollQueues({ ...this.#poll, names: [...dispatchers.keys()] });
    wake(name);
  }

  #sourceOf(name: string): EntrySource {
    const boss = this.#boss;
    return {
      take: (running) => this.#take(name, running),
      async touch(entries) {
        const { settled } = Touched.parse(await boss.touch(name, [...entries]));
        return entries.filter(({ id }) => settled.includes(id));
      },
      async complete(entry) {
        await boss.complete(name, entry);
      },
      async giveBack(entry, error) {
        const message = error instanceof Error ? error.message : String(error);
        await boss.fail(name, entry, { message });
      },
    };
  }

  async #take(queue: string, running: readonly TakenEntry[]): Promise<TakenEntry | undefined> {
    const { database, quotas = defaultQuotas } = this.#options;
    const excluded = atMaximum(queue, running);
    for (let tries = 0; tries < maxTakes; tries += 1) {
      const next = await startNextLane(database.queue, { queue, quotas, excluded });
      if (!next) return undefined;
      const { lane: minPriority, organizationId } = next;
      const range = { minPriority, maxPriority: minPriority };
      const [job] = await this.#boss.fetch<{ jobId: string }>(queue, range);
      // Otherwise another node has it, and there may be others.
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

/** The organisations of which no more entries may run here. */
function atMaximum(queue: string, running: readonly TakenEntry[]): string[] {
  const max = maxPerOrganization[queue];
  if (max === undefined) return [];
  const byOrganization = Map.groupBy(running, ({ organizationId }) => organizationId);
  return [...byOrganization]
    .filter(([id, entries]) => id !== null && entries.length >= max)
    .map(([id]) => id ?? "");
}
