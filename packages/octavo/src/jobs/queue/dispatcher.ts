import { setTimeout as sleep } from "node:timers/promises";
import type { JobLog } from "../ports.ts";

/** The interval between the heartbeats of running entries. The queue allows ten seconds. */
const heartbeatIntervalMs = 3_000;
/** The maximum time that a stopping worker waits for its jobs to be released. */
const stopTimeoutMs = 5_000;

/** An attempt's claim on an entry of the queue. */
export interface TakenEntry {
  /** The ID of the queue's row. */
  readonly id: string;
  readonly retryCount: number;
  readonly jobId: string;
  /** The organization that owns the entry; null for entries without an owner. */
  readonly organizationId: string | null;
}

export interface WorkSignals {
  /** Aborts when the worker is stopping. The job must then be released within a few seconds, by throwing. */
  readonly stoppingSignal: AbortSignal;
  /** Aborts when another worker has the job. This worker's writes then no longer have any effect. */
  readonly lostSignal: AbortSignal;
}

/**
 * Runs one job. Resolves when the queue can drop the job, whether it completed or failed. Throws if the job must run
 * again immediately, on this node or another. May be called for a job that ended long ago.
 */
export type RunJob = (jobId: string, signals: WorkSignals) => Promise<void>;

/** The queue operations that a dispatcher uses. */
export interface EntrySource {
  /**
   * Takes a due entry for this worker. Returns undefined if no entry is due. `running` contains the entries that the
   * worker already runs.
   */
  take(running: readonly TakenEntry[]): Promise<TakenEntry | undefined>;
  /** Sends the heartbeat of the worker. Returns the entries that it still holds. */
  touch(entries: readonly TakenEntry[]): Promise<readonly TakenEntry[]>;
  /** Removes an entry that the queue can drop. */
  complete(entry: TakenEntry): Promise<void>;
  /** Returns an entry that must run again. */
  returnEntry(entry: TakenEntry, error: unknown): Promise<void>;
}

export interface DispatcherOptions {
  readonly source: EntrySource;
  /** The number of entries that run at the same time. */
  readonly slots: number;
  readonly run: RunJob;
  readonly log: JobLog;
}

interface RunningEntry {
  readonly entry: TakenEntry;
  readonly lost: AbortController;
}

/**
 * Takes entries of one queue for the free slots of this node and runs them. When disposed of, it stops taking entries,
 * aborts `stopping`, waits a few seconds, and gives back the entries that are still running.
 */
export class Dispatcher implements AsyncDisposable {
  readonly #options: DispatcherOptions;
  readonly #running = new Map<string, RunningEntry>();
  /** Promises of entries that are running, or whose end is being reported to the queue. */
  readonly #ends = new Set<Promise<void>>();
  readonly #stopping = new AbortController();
  readonly #heartbeat: NodeJS.Timeout;
  #isWoken = false;
  #taking: Promise<void> | undefined;
  #touching: Promise<void> | undefined;

  constructor(options: DispatcherOptions) {
    this.#options = options;
    this.#heartbeat = setInterval(() => {
      // Only one heartbeat runs at a time, even if the database takes longer than the interval.
      this.#touching ??= this.#touch().finally(() => (this.#touching = undefined));
    }, heartbeatIntervalMs).unref();
  }

  /** Takes due entries until no entry is left or all slots are in use. */
  wake(): void {
    this.#isWoken = true;
    this.#taking ??= this.#takeAll().finally(() => {
      this.#taking = undefined;
      if (this.#isWoken && this.#countFreeSlots() > 0) this.wake();
    });
  }

  #countFreeSlots(): number {
    return this.#stopping.signal.aborted ? 0 : this.#options.slots - this.#running.size;
  }

  async #takeAll(): Promise<void> {
    const { source, log } = this.#options;
    try {
      while (this.#isWoken && this.#countFreeSlots() > 0) {
        this.#isWoken = false;
        const running = [...this.#running.values()].map(({ entry }) => entry);
        const entry = await source.take(running);
        if (!entry) continue;
        this.#start(entry);
        // If one entry was due, more may be.
        this.#isWoken = true;
      }
    } catch (err) {
      // The next poll of the queue wakes this dispatcher again.
      log.warn({ err }, "The next job could not be taken");
    }
  }

  #start(entry: TakenEntry): void {
    const lost = new AbortController();
    this.#running.set(entry.id, { entry, lost });
    const end = this.#run(entry, lost.signal)
      .catch((err: unknown) =>
        // The entry's heartbeats stop, so another worker soon takes the entry and finds that the
        // job has ended.
        this.#options.log.warn(
          { err, jobId: entry.jobId },
          "A job's end could not be reported to the queue",
        ),
      )
      .finally(() => {
        this.#ends.delete(end);
        this.#release(entry);
      });
    this.#ends.add(end);
  }

  /** Frees the entry's slot. */
  #release(entry: TakenEntry): void {
    if (this.#running.delete(entry.id)) this.wake();
  }

  async #run(entry: TakenEntry, lostSignal: AbortSignal): Promise<void> {
    const { source, run } = this.#options;
    try {
      const stoppingSignal = this.#stopping.signal;
      if (stoppingSignal.aborted) throw new Error("The worker stopped before it started the job.");
      await run(entry.jobId, { stoppingSignal, lostSignal });
    } catch (error) {
      return await source.returnEntry(entry, error);
    }
    // Takes the next entry while the end is being reported to the queue.
    this.#release(entry);
    await source.complete(entry);
  }

  async #touch(): Promise<void> {
    const running = [...this.#running.values()];
    if (running.length === 0) return;
    try {
      const heldEntries = await this.#options.source.touch(running.map(({ entry }) => entry));
      for (const { entry, lost } of running) if (!heldEntries.includes(entry)) lost.abort();
    } catch (err) {
      // The error does not reveal which worker has the jobs.
      this.#options.log.warn({ err }, "The heartbeats of running jobs could not be sent");
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stopping.abort();
    const deadline = sleep(stopTimeoutMs, undefined, { ref: false });
    // An entry that is being taken now ends immediately, because the worker is stopping.
    await Promise.race([this.#taking, deadline]);
    await Promise.race([Promise.all(this.#ends), deadline]);
    clearInterval(this.#heartbeat);
    await this.#touching;
    const stopped = new Error("The worker stopped.");
    for (const { entry, lost } of this.#running.values()) {
      await this.#options.source.returnEntry(entry, stopped).catch(() => undefined);
      lost.abort();
    }
  }
}
