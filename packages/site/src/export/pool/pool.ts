import { availableParallelism } from "node:os";
import type { RenderedPage } from "../page/rendered-page.ts";
import { limits } from "../../core/index.ts";
import type { PageTask, RenderSetup } from "./protocol.ts";
import { openRenderChildren, type RenderChildren } from "./render-children.ts";
import { startWorker, type PoolWorker, type WorkerExit } from "./worker.ts";

export interface PoolOptions {
  readonly setup: RenderSetup;
  /**
   * Returns the text of a file of the site, given its normalized path, or undefined if the file does not exist. It must
   * not read outside the site, and must limit the size of the text.
   */
  readonly readFile: (path: string) => Promise<string | undefined>;
  /** Number of children that work at the same time. Defaults to `getDefaultPoolSize()`. */
  readonly workers?: number | undefined;
  /** Supplies the children and takes them back. By default, the pool starts its own children and stops them. */
  readonly children?: RenderChildren | undefined;
  /** Called for each process that starts to render for the pool. */
  readonly onChild?: ((pid: number | undefined) => void) | undefined;
  /** Maximum wall time per page in milliseconds. Defaults to `limits.pageMs`. */
  readonly pageTimeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** The outcome of a page. The reason is a sentence for the report. */
type PageOutcome =
  | { readonly type: "rendered"; readonly page: RenderedPage }
  | { readonly type: "failed"; readonly reason: string };

/**
 * Renders pages in child processes that can be killed. If a page makes its child crash, hang or exceed its memory, only
 * that page fails; the other pages of its batch continue in a new child.
 */
export interface RenderPool extends AsyncDisposable {
  /**
   * Renders a page. Rejects only if the pool is closed, its signal is aborted, or children cannot be started at all.
   */
  render(task: PageTask): Promise<PageOutcome>;
  /** Replaces the setup for the pages that follow; children reuse everything that does not depend on it. */
  renew(setup: RenderSetup): void;
}

interface Job {
  readonly task: PageTask;
  /** Whether its child crashed while more pages were waiting. The page is then retried alone. */
  isSuspect: boolean;
  resolve(outcome: PageOutcome): void;
  reject(error: unknown): void;
}

/** Number of pages assigned to a child at a time, so that it does not wait for messages. */
const batchSize = 8;
/**
 * The number of children that may exit in succession before they are ready. The pool then gives up, because no page is
 * the cause.
 */
const maxStartAttempts = 3;

const maxChildren = 8;
/**
 * A child needs about 1 s of CPU to load its grammars and be optimized, as much as about 400 pages take after that. A
 * small site therefore takes less CPU with one child, and hardly more time.
 */
const pagesPerChild = 400;

export function openPool(options: PoolOptions): RenderPool {
  return new Pool(options);
}

/**
 * Returns the number of children for a number of pages. One core is reserved for the parent, which reads the children's
 * input and writes their output. On two cores, a second child makes 3,400 pages cost a third more CPU, most of it in
 * the kernel, and saves no time.
 */
export function computePoolSize(pages: number): number {
  const freeCores = Math.max(1, availableParallelism() - 1);
  return Math.min(freeCores, maxChildren, 1 + Math.floor(pages / pagesPerChild));
}

class Pool implements RenderPool {
  readonly #options: PoolOptions;
  readonly #children: RenderChildren;
  readonly #size: number;
  readonly #queue: Job[] = [];
  readonly #workers = new Set<PoolWorker<Job>>();
  #setup: RenderSetup;
  #failedStarts = 0;
  #closeReason: Error | undefined;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#children = options.children ?? openRenderChildren();
    this.#setup = options.setup;
    this.#size = options.workers ?? getDefaultPoolSize();
    options.signal?.addEventListener("abort", () => this.#close(options.signal?.reason), {
      once: true,
    });
  }

  render(task: PageTask): Promise<PageOutcome> {
    this.#options.signal?.throwIfAborted();
    return new Promise((resolve, reject) => {
      if (this.#closeReason) return reject(this.#closeReason);
      this.#queue.push({ task, isSuspect: false, resolve, reject });
      this.#feed();
    });
  }

  renew(setup: RenderSetup): void {
    this.#setup = setup;
    for (const worker of this.#workers) worker.renew(setup);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#workers) {
      const child = worker.release();
      if (child === undefined) continue;
      this.#workers.delete(worker);
      this.#children.giveBack(child);
    }
    this.#close(new Error("The render pool was closed."));
    await Promise.all([...this.#workers].map((worker) => worker.stop()));
    if (this.#options.children === undefined) await this.#children[Symbol.asyncDispose]();
  }

  /** Assigns waiting pages to children that have capacity, and starts children as needed. */
  #feed(): void {
    if (this.#closeReason) return;
    for (const worker of this.#workers) this.#fill(worker);
    while (this.#queue.length > 0 && this.#workers.size < this.#size) {
      const child = this.#children.take();
      this.#options.onChild?.(child.pid);
      const worker = startWorker<Job>({
        child,
        setup: this.#setup,
        readFile: this.#options.readFile,
        pageTimeoutMs: this.#options.pageTimeoutMs ?? limits.pageMs,
        onRendered: (job, page) => this.#finish(worker, job, { type: "rendered", page }),
        onFailed: (job, reason) => this.#finish(worker, job, { type: "failed", reason }),
        onEnd: (end) => this.#onEnd(worker, end),
      });
      this.#workers.add(worker);
      this.#fill(worker);
    }
  }

  #fill(worker: PoolWorker<Job>): void {
    while (worker.jobs.length < batchSize) {
      const next = this.#queue[0];
      if (!next || worker.jobs.some((job) => job.isSuspect)) return;
      // A suspect page is assigned to a child without other pages, so that the cause of another crash is certain.
      if (next.isSuspect && worker.jobs.length > 0) return;
      this.#queue.shift();
      worker.assign(next, next.task);
    }
  }

  #finish(worker: PoolWorker<Job>, job: Job, outcome: PageOutcome): void {
    this.#failedStarts = 0;
    job.resolve(outcome);
    this.#fill(worker);
  }

  /**
   * Handles the exit of a child. The page that it was rendering is blamed; its waiting pages return to the queue.
   */
  #onEnd(worker: PoolWorker<Job>, end: WorkerExit): void {
    this.#workers.delete(worker);
    if (this.#closeReason) return;
    if (!end.wasReady && ++this.#failedStarts >= maxStartAttempts) {
      this.#queue.unshift(...worker.jobs);
      this.#close(new Error(`Render processes cannot be started: ${end.reason}`));
      return;
    }
    const [first, ...rest] = worker.jobs;
    this.#queue.unshift(...rest);
    if (first) this.#blame(first, rest.length > 0, end);
    this.#feed();
  }

  #blame(job: Job, hadOthers: boolean, end: WorkerExit): void {
    // A crash can lose the result of a page that was already rendered, so the page is retried once, alone.
    const isCertain = job.isSuspect || !hadOthers || end.kind !== "crash";
    if (end.wasReady && isCertain && end.kind !== "late") {
      job.resolve({ type: "failed", reason: end.reason });
      return;
    }
    job.isSuspect = end.wasReady;
    this.#queue.unshift(job);
  }

  #close(reason: unknown): void {
    if (this.#closeReason) return;
    this.#closeReason = reason instanceof Error ? reason : new Error("The render pool was closed.");
    const openJobs = [...this.#queue, ...[...this.#workers].flatMap((worker) => worker.jobs)];
    for (const worker of this.#workers) void worker.stop();
    for (const job of openJobs) job.reject(this.#closeReason);
    this.#queue.length = 0;
  }
}

/** Returns the number of cores, for one child per core. */
function getDefaultPoolSize(): number {
  return Math.min(maxChildren, availableParallelism());
}
