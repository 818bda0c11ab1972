import type { ChildProcess } from "node:child_process";
import type { RenderedPage } from "../page/rendered-page.ts";
import { limits } from "../../core/index.ts";
import { describeExit, killChild, findProgramId } from "../../sandbox/index.ts";
import { readProcessUsage } from "../../sandbox/index.ts";
import { send, sendSetup } from "./protocol.ts";
import type { ChildMessage, PageTask, RenderSetup } from "./protocol.ts";

/** A child process and the jobs assigned to it, in the order in which it processes them. */
export interface PoolWorker<Job> {
  readonly jobs: readonly Job[];
  assign(job: Job, task: PageTask): void;
  /** Replaces the setup for the jobs that follow. */
  renew(setup: RenderSetup): void;
  /** Stops the process. Resolves when it has exited. */
  stop(): Promise<void>;
  /** Releases the process if it has answered all requests. Returns undefined if the process must be stopped. */
  release(): ChildProcess | undefined;
}

export interface WorkerExit {
  /**
   * `late` means that the child was killed because of a page that had finished in the meantime, so the next page is not
   * the cause.
   */
  readonly kind: "crash" | "timeout" | "memory" | "late";
  /** A sentence about the page that was being rendered. */
  readonly reason: string;
  /** Whether the child had finished starting. If not, the page is not the cause. */
  readonly wasReady: boolean;
}

interface WorkerOptions<Job> {
  /** An idle child, whose program is waiting for a setup. */
  readonly child: ChildProcess;
  readonly setup: RenderSetup;
  readonly readFile: (path: string) => Promise<string | undefined>;
  /** The wall time per page, in milliseconds, after which the child is killed. */
  readonly pageTimeoutMs: number;
  readonly onRendered: (job: Job, page: RenderedPage) => void;
  readonly onFailed: (job: Job, reason: string) => void;
  /** Called once, when the process has exited for a reason other than `stop`. */
  readonly onEnd: (end: WorkerExit) => void;
}

/** Milliseconds between measurements of a working child's resident memory. */
const memoryPollIntervalMs = 200;
/** Maximum time for a child to start. */
const startTimeoutMs = 30_000;
/** A timer that fires more than this late indicates that this process was suspended. */
const maxDelayMs = 1_000;

export function startWorker<Job>(options: WorkerOptions<Job>): PoolWorker<Job> {
  return new Worker(options);
}

class Worker<Job> implements PoolWorker<Job> {
  readonly jobs: Job[] = [];
  readonly #options: WorkerOptions<Job>;
  readonly #child: ChildProcess;
  readonly #exited = Promise.withResolvers<void>();
  #lastId = 0;
  #isReady = false;
  #isStopped = false;
  #killCause: Pick<WorkerExit, "kind" | "reason"> | undefined;
  #timer: NodeJS.Timeout | undefined;
  readonly #memoryPoll: NodeJS.Timeout;
  #stderr = "";

  constructor(options: WorkerOptions<Job>) {
    this.#options = options;
    this.#child = options.child;
    this.#child.on("message", this.#onMessage);
    this.#child.on("error", this.#onError);
    this.#child.on("exit", this.#onExit);
    this.#child.stderr?.on("data", this.#onStderr);
    this.#memoryPoll = setInterval(() => void this.#checkMemory(), memoryPollIntervalMs);
    sendSetup(this.#child, options.setup);
    this.#restartTimer();
  }

  assign(job: Job, task: PageTask): void {
    this.jobs.push(job);
    if (this.jobs.length === 1) this.#restartTimer();
    send(this.#child, { type: "render", id: ++this.#lastId, task });
  }

  renew(setup: RenderSetup): void {
    sendSetup(this.#child, setup);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#clear();
    killChild(this.#child);
    await this.#exited.promise;
  }

  release(): ChildProcess | undefined {
    if (this.#isStopped || this.#killCause || !this.#isReady || this.jobs.length > 0)
      return undefined;
    this.#isStopped = true;
    this.#clear();
    this.#child.off("message", this.#onMessage).off("error", this.#onError);
    this.#child.off("exit", this.#onExit).stderr?.off("data", this.#onStderr);
    return this.#child;
  }

  readonly #onMessage = (message: ChildMessage): void => void this.#handle(message);

  readonly #onError = ({ message }: Error): void => this.#exited.resolve(this.#onEnd(message));

  readonly #onExit = (code: number | null, signal: string | null): void =>
    this.#exited.resolve(this.#onEnd(describeExit(code, signal)));

  readonly #onStderr = (chunk: Buffer): void => {
    this.#stderr = (this.#stderr + chunk.toString()).slice(-2_000);
  };

  async #handle(message: ChildMessage): Promise<void> {
    // Messages from a child may arrive after it exits, when its pages have already been assigned to a different child.
    if (this.#isStopped) return;
    switch (message.type) {
      case "ready":
        this.#isReady = true;
        return this.#restartTimer();
      case "read": {
        const answer = await this.#options.readFile(message.path).then(
          (text) => ({ text }),
          (error: unknown) => ({ refused: error instanceof Error ? error.message : String(error) }),
        );
        return send(this.#child, { type: "file", request: message.request, ...answer });
      }
      case "rendered":
      case "failed": {
        const job = this.jobs.shift();
        if (this.#killCause)
          this.#killCause = {
            kind: "late",
            reason: "Its process was stopped because of another page.",
          };
        this.#restartTimer();
        if (job === undefined) return;
        if (message.type === "rendered") this.#options.onRendered(job, message.page);
        else this.#options.onFailed(job, message.reason);
      }
    }
  }

  #restartTimer(): void {
    clearTimeout(this.#timer);
    if (this.jobs.length === 0) return;
    // On a busy machine, a child may take as long to start as a page takes to render, which is not the page's fault.
    const pageMs = this.#isReady
      ? this.#options.pageTimeoutMs
      : Math.max(startTimeoutMs, this.#options.pageTimeoutMs);
    const reason = `It took longer than ${pageMs / 1_000} seconds to render and was stopped.`;
    const dueMs = performance.now() + pageMs;
    this.#timer = setTimeout(() => {
      // If this process was stopped, for example because the machine was suspended, its child was stopped too.
      if (performance.now() - dueMs > maxDelayMs) this.#restartTimer();
      else this.#kill("timeout", reason);
    }, pageMs);
  }

  async #checkMemory(): Promise<void> {
    if (this.jobs.length === 0) return;
    const { pid } = this.#child;
    const usage = await readProcessUsage(pid && findProgramId(pid));
    if (usage === undefined || usage.residentBytes <= limits.renderChildBytes) return;
    const megabytes = Math.round(limits.renderChildBytes / 1024 / 1024);
    this.#kill("memory", `It used more than ${megabytes} MB of memory to render and was stopped.`);
  }

  #kill(kind: WorkerExit["kind"], reason: string): void {
    this.#killCause ??= { kind, reason };
    killChild(this.#child);
  }

  #onEnd(exitDescription: string): void {
    this.#clear();
    if (this.#isStopped) return;
    this.#isStopped = true;
    const wasReady = this.#isReady;
    if (this.#killCause) return this.#options.onEnd({ ...this.#killCause, wasReady });
    if (/heap out of memory/.test(this.#stderr)) {
      const reason = "It needed more memory to render than a page may use.";
      return this.#options.onEnd({ kind: "memory", reason, wasReady });
    }
    const reason = wasReady
      ? `It crashed the renderer (${exitDescription}).`
      : `the process ended with ${exitDescription}. ${this.#stderr.trim()}`;
    this.#options.onEnd({ kind: "crash", reason, wasReady });
  }

  #clear(): void {
    clearTimeout(this.#timer);
    clearInterval(this.#memoryPoll);
  }
}
