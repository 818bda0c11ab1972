import { setTimeout as sleep } from "node:timers/promises";
import type { JobLog } from "../ports.ts";

/** How often running entries show that their worker is alive; the queue allows ten seconds. */
const heartbeatMs = 3_000;
/** The time for a stopping worker to release its jobs. */
const stopMs = 5_000;

/** One attempt's hold on an entry of the queue. */
export interface TakenEntry {
  /** Of the queue's row. */
  readonly id: string;
  readonly retryCount: number;
  readonly jobId: string;
  /** Null for entries without an owner. */
  readonly organizationId: string | null;
}

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

/** What a dispatcher does with the queue. */
export interface EntrySource {
  /** Takes an entry that is due, for this worker; `running` are those that it has. Undefined if there is none. */
  take(running: readonly TakenEntry[]): Promise<TakenEntry | undefined>;
  /** Shows that the worker is alive; returns those entries that it still has. */
  touch(entries: readonly TakenEntry[]): Promise<readonly TakenEntry[]>;
  /** The queue can drop it. */
  complete(entry: TakenEntry): Promise<void>;
  /** It must run again. */
  giveBack(entry: TakenEntry, error: unknown): Promise<void>;
}

export interface DispatcherOptions {
  readonly source: EntrySource;
  /** Entries that run at the same time. */
  readonly slots: number;
  readonly run: RunJob;
  readonly log: JobLog;
}

interface Running {
  readonly entry: TakenEntry;
  readonly lost: AbortController;
}

/**
 * Takes entries of one queue for the free slots of this node and runs them. Disposing it takes no more, aborts
 * `stopping`, waits a few seconds, and gives back what still runs.
 */
export class Dispatcher implements AsyncDisposable {
  readonly #options: DispatcherOptions;
  readonly #running = new Map<string, Running>();
  /** Of those that run, and those that the queue is being told of. */
  readonly #ends = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  #isWoken = false;
  #taking: Promise<void> | undefined;
  #touching: Promise<void> | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#heartbeat = setInterval(() => {
      // A database that takes longer than the interval is not asked twice.
      this.#touching ??= this.#touch().finally(() => (this.#touching = undefined));
    }, heartbeatMs).unref();
  }

  /** Something may be due. */
  wake(): void {
    this.#isWoken = true;
    this.#taking ??= this.#takeAll().finally(() => {
      this.#taking = undefined;
      if (this.#isWoken && this.#freeSlots() > 0) this.wake();
    });
  }

  #freeSlots(): number {
    return this.#stopping.signal.aborted ? 0 : this.#options.slots - this.#running.size;
  }

  async #takeAll(): Promise<void> {
    const { source, log } = this.#options;
    try {
      while (this.#isWoken && this.#freeSlots() > 0) {
        this.#isWoken = false;
        const running = [...this.#running.values()].map(({ entry }) => entry);
        const entry = await source.take(running);
        if (!entry) continue;
        this.#start(entry);
        // Where one was due there may be more.
        this.#isWoken = true;
      }
    } catch (err) {
      // Whoever polls the queue wakes this again.
      log.warn({ err }, "The next job could not be taken");
    }
  }

  #start(entry: TakenEntry): void {
    const lost = new AbortController();
    this.#running.set(entry.id, { entry, lost });
    const end = this.#run(entry, lost.signal)
      .catch((err: unknown) =>
        // Its heartbeats stop, so another worker has it soon and finds that it ended.
        this.#options.log.warn({ err, jobId: entry.jobId }, "The queue could not be told of a job"),
      )
      .finally(() => {
        this.#ends.delete(end);
        this.#leave(entry);
      });
    this.#ends.add(end);
  }

  /** Its slot is free. */
  #leave(entry: TakenEntry): void {
    if (this.#running.delete(entry.id)) this.wake();
  }

  async #run(entry: TakenEntry, lost: AbortSignal): Promise<void> {
    const { source, run } = this.#options;
    try {
      const stopping = this.#stopping.signal;
      if (stopping.aborted) throw new Error("The worker stopped before it started the job.");
      await run(entry.jobId, { stopping, lost });
    } catch (error) {
      return await source.giveBack(entry, error);
    }
    // The next one is taken while the queue is told.
    this.#leave(entry);
    await source.complete(entry);
  }

  async #touch(): Promise<void> {
    const running = [...this.#running.values()];
    if (running.length === 0) return;
    try {
      const held = await this.#options.source.touch(running.map(({ entry }) => entry));
      for (const { entry, lost } of running) if (!held.includes(entry)) lost.abort();
    } catch (err) {
      // Says nothing about who has the jobs.
      this.#options.log.warn({ err }, "Running jobs could not show that they are alive");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    const deadline = sleep(stopMs, undefined, { ref: false });
    // What is taken at this moment ends at once, because the worker is stopping.
    await Promise.race([this.#taking, deadline]);
    await Promise.race([Promise.all(this.#ends), deadline]);
    clearInterval(this.#heartbeat);
    await this.#touching;
    const stopped = new Error("The worker stopped.");
    for (const { entry, lost } of this.#running.values()) {
      await this.#options.source.giveBack(entry, stopped).catch(() => undefined);
      lost.abort();
    }
  }
}
