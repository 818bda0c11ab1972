import { fileURLToPath } from "node:url";
import type { IsolatedProcess, StartIsolated } from "@octavo/site";
import { findCompileCacheFolder, resolveSiblingModule } from "@octavo/site/core";
import { openConnection } from "./connection.ts";
import type { Connection } from "./connection.ts";
import type { Message } from "./message.ts";

export type CallOperation = Connection["call"];

/** A process that runs a program, one run at a time. */
export interface IsolatedProgram {
  /** Runs `work` with a function that calls the program's operations, until the promise of `work` is settled. */
  run<Result>(
    work: (call: CallOperation) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
  /** Reports whether it can be called again: it is running, and has neither grown large nor been used often. */
  canGoOn(): Promise<boolean>;
  /** Lets this process exit while the program waits, until `resume`. */
  pause(): void;
  resume(): void;
  /** Ends the process. Resolves when it has ended. */
  end(): Promise<void>;
  isGone(): boolean;
}

/** The time that an operation has to end by itself after its signal is aborted. */
const graceMs = 5_000;
const exitMs = 1_000;
/** Each call leaves little behind, but it is never cleaned up. */
const maxCalls = 50;
/** A process that grew for one site would take this memory from others while it waits. */
const maxWaitingBytes = 400 * 1024 * 1024;
const starter = fileURLToPath(resolveSiblingModule(import.meta.url, "start"));
/** Flags of this process that the program needs to be found, and that keep V8 stable. */
const inherited = /^--(?:conditions=|no-memory-protection-keys$|no-wasm-code-gc$|disable-warning=)/;

export function startProgram(start: StartIsolated, program: URL): IsolatedProgram {
  const cache = findCompileCacheFolder();
  const flags = process.execArgv.filter((flag) => inherited.test(flag));
  const isolated = start([
    ...flags,
    starter,
    program.href,
    ...(cache === undefined ? [] : [cache]),
  ]);
  return new RunningProgram(isolated);
}

class RunningProgram implements IsolatedProgram {
  readonly #isolated: IsolatedProcess;
  readonly #connection: Connection;
  #signal: AbortSignal | undefined;
  #calls = 0;
  #isGone = false;

  constructor(isolated: IsolatedProcess) {
    this.#isolated = isolated;
    const { child } = isolated;
    // A process that has ended cannot receive it; its end is handled separately.
    this.#connection = openConnection((message) => void child.send(message, () => {}));
    child.on("message", (message: Message) => {
      isolated.noteActivity();
      this.#connection.receive(message);
    });
    void isolated.ended.then((reason) => this.#noteEnd(reason));
  }

  async run<Result>(
    work: (call: CallOperation) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    this.#signal = signal;
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => void (timer = setTimeout(this.#isolated.kill, graceMs));
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await work((operation, args) => {
        this.#calls += 1;
        return this.#connection.call(operation, args);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      this.#connection.letGo();
    }
  }

  async canGoOn(): Promise<boolean> {
    if (this.#isGone || this.#calls >= maxCalls || !this.#isolated.child.connected) return false;
    return (await this.#isolated.readResidentBytes()) <= maxWaitingBytes;
  }

  pause(): void {
    const { child } = this.#isolated;
    child.unref();
    child.channel?.unref();
  }

  resume(): void {
    const { child } = this.#isolated;
    child.ref();
    child.channel?.ref();
    // Its activity while it waited does not count toward the next call.
    this.#isolated.noteActivity();
  }

  /** Lets it exit by itself, so that Node can write its compile cache for the next process. */
  async end(): Promise<void> {
    const { child, kill, ended } = this.#isolated;
    this.resume();
    if (child.connected) child.disconnect();
    const timer = setTimeout(kill, exitMs);
    await ended;
    clearTimeout(timer);
  }

  isGone(): boolean {
    return this.#isGone;
  }

  #noteEnd(reason: Error): void {
    this.#isGone = true;
    this.#connection.close(this.#signal?.aborted ? abortOf(this.#signal) : reason);
  }
}

function abortOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error("Aborted.");
}
