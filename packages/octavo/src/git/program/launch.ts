import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { marks } from "./launch-messages.ts";
import type { LaunchReport } from "./launch-messages.ts";
import { endGroup, createDiscardStream } from "./processes.ts";
import type { ProcessCommand, ProcessEnd, RunningProcess } from "./processes.ts";

/**
 * The wait for connections after the program's end. A connection that was refused, for lack of descriptors, never
 * arrives.
 */
const connectMs = 10_000;

/** A program that the launcher was requested to start. */
export class Launch {
  readonly #stdin = Promise.withResolvers<Writable>();
  readonly #stdout = Promise.withResolvers<Socket>();
  readonly #started = Promise.withResolvers<number>();
  readonly #ended = Promise.withResolvers<ProcessEnd>();
  /** The number of connections that have not arrived yet. */
  #missing: number;

  constructor({ hasInput }: ProcessCommand) {
    this.#missing = hasInput ? 2 : 1;
    if (!hasInput) this.#stdin.resolve(createDiscardStream());
  }

  /** Returns the running process, as `Processes.start` does. */
  async run(): Promise<RunningProcess> {
    const pid = await this.#started.promise;
    // The connections were made before the program was started.
    const [stdin, stdout] = await Promise.all([this.#stdin.promise, this.#stdout.promise]);
    const closed = new Promise((resolve) => void stdout.end().once("close", resolve));
    const ended = closed.then(async () => await this.#ended.promise);
    return { stdin, stdout, ended, end: endGroup(pid, ended) };
  }

  /** Resolves when the launcher will not report anything more. */
  async over(): Promise<void> {
    try {
      await Promise.all([this.#started.promise, this.#stdin.promise, this.#stdout.promise]);
      await this.#ended.promise;
    } catch {
      // The program was not started, so its connections must be closed here.
      for (const { promise } of [this.#stdin, this.#stdout]) {
        promise.then(
          (stream) => stream.destroy(),
          () => undefined,
        );
      }
    }
  }

  take(mark: string, stream: Socket): void {
    this.#missing -= 1;
    if (mark === marks.stdout) this.#stdout.resolve(stream);
    // Only the end of this stream matters, and it is noticed only by reading.
    else this.#stdin.resolve(stream.resume());
  }

  note(report: LaunchReport): void {
    if (report.type === "started") this.#started.resolve(report.pid);
    else if (report.type === "ended") this.#end(report.end);
    else this.#started.reject(startError(report.code));
  }

  /** Marks the launch as lost: nothing reports on it anymore. */
  lose(): void {
    this.#started.reject(startError("ESRCH"));
    this.#end({ exitCode: 1, stderr: "The process that started it has ended." });
  }

  #end(end: ProcessEnd): void {
    this.#ended.resolve(end);
    if (this.#missing === 0) return;
    const giveUp = (): void => {
      const error = startError("ECONNREFUSED");
      this.#stdin.reject(error);
      this.#stdout.reject(error);
    };
    // Incoming connections are accepted first: this process may have been paused in the meantime.
    setTimeout(() => setImmediate(giveUp), connectMs);
  }
}

function startError(code: string): Error {
  return Object.assign(new Error(`The program was not started: ${code}.`), { code });
}
