import { fileURLToPath } from "node:url";
import {
  createIsolation,
  type IsolatedProcess,
  type IsolationLimits,
  type StartIsolated,
} from "@octavo/site/sandbox";
import { findCompileCacheFolder, resolveSiblingModule } from "@octavo/site/core";
import { openConnection, type Connection } from "./connection.ts";
import type { Message } from "./connection.ts";

/**
 * Processes untrusted content in a separate process, which is stopped if it uses too much memory, or too much CPU time
 * for one task. None of that work runs in this process, so requests do not wait for it.
 */
export interface Isolation<Program extends Operations<Program>> {
  /**
   * Runs `work` with the program of a process that does nothing else until `work` is settled. Rejects as `work` does.
   * The operations that `work` calls reject with their own errors, with `too_large` if the process reached a limit, and
   * with the signal's reason if they did not end in time after the signal was aborted.
   */
  run<Result>(work: (program: Program) => Promise<Result>, options?: RunOptions): Promise<Result>;
}

interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * The owner of the content. After its work, a process waits for more work of the same owner, and is never used for a
   * different owner. Without an owner, the process is new and exits after the call.
   */
  readonly owner?: string | undefined;
}

interface IsolationOptions {
  /** A module whose export `createOperations` creates a `Program`. */
  readonly program: URL;
  readonly limits?: Partial<IsolationLimits>;
  /**
   * The time that a process waits for more work, in milliseconds. While it waits, it takes about 200 MB. Starting it
   * again takes half a second of CPU time.
   */
  readonly idleTimeoutMs?: number;
}

/**
 * The time for which an idle process waits for more work. The preview of an agent's changes starts less than a second
 * after the agent's turn.
 */
const defaultIdleTimeoutMs = 5_000;

/** Opens the isolation. Disposing of it stops the waiting processes. */
export function openIsolation<Program extends Operations<Program>>({
  program,
  limits,
  idleTimeoutMs = defaultIdleTimeoutMs,
}: IsolationOptions): Isolation<Program> & AsyncDisposable {
  const start = createIsolation(limits);
  const waitingPrograms = openWaitingPrograms(idleTimeoutMs);
  return {
    async run(work, { signal, owner } = {}) {
      signal?.throwIfAborted();
      const isolatedProgram = waitingPrograms.take(owner) ?? startProgram(start, program);
      try {
        return await isolatedProgram.run((call) => work(createProgramProxy<Program>(call)), signal);
      } finally {
        const isKept =
          owner !== undefined && !signal?.aborted && (await isolatedProgram.isReusable());
        if (isKept) waitingPrograms.giveBack(owner, isolatedProgram);
        else await isolatedProgram.end();
      }
    },
    [Symbol.asyncDispose]: () => waitingPrograms[Symbol.asyncDispose](),
  };
}

/** Creates a proxy for a program. The type `Program` has already checked the operation's name and arguments. */
function createProgramProxy<Program extends Operations<Program>>(call: CallOperation): Program {
  const get =
    (_: object, operation: string | symbol) =>
    (...args: readonly unknown[]) =>
      call(String(operation), args);
  return new Proxy({}, { get }) as Program;
}

/** Programs that wait for more work of the owner for whom they last worked. */
interface WaitingPrograms extends AsyncDisposable {
  /** Takes a waiting program of this owner. Returns undefined if no program is waiting. */
  take(owner: string | undefined): IsolatedProgram | undefined;
  /** Returns a program. It is stopped if nobody takes it in time, or if too many others are waiting. */
  giveBack(owner: string, program: IsolatedProgram): void;
}

interface WaitingProgram {
  readonly owner: string;
  readonly timer: NodeJS.Timeout;
}

/**
 * The maximum number of waiting programs. Two of the largest take 800 MB, plus about 100 MB for each of their render
 * children.
 */
const maxWaitingPrograms = 2;

function openWaitingPrograms(idleTimeoutMs: number): WaitingPrograms {
  const waitingPrograms = new Map<IsolatedProgram, WaitingProgram>();
  const pendingEnds = new Set<Promise<void>>();
  let isClosed = false;

  function forget(program: IsolatedProgram): void {
    clearTimeout(waitingPrograms.get(program)?.timer);
    waitingPrograms.delete(program);
  }
  function end(program: IsolatedProgram): void {
    forget(program);
    const endResult = program.end().finally(() => pendingEnds.delete(endResult));
    pendingEnds.add(endResult);
  }
  return {
    take(owner) {
      if (owner === undefined) return undefined;
      for (const [program, { owner: programOwner }] of waitingPrograms) {
        if (programOwner !== owner) continue;
        forget(program);
        if (program.isGone()) continue;
        program.resume();
        return program;
      }
      return undefined;
    },
    giveBack(owner, program) {
      if (isClosed) return end(program);
      const timer = setTimeout(() => end(program), idleTimeoutMs).unref();
      waitingPrograms.set(program, { owner, timer });
      program.pause();
      const [oldest] = waitingPrograms.keys();
      if (waitingPrograms.size > maxWaitingPrograms && oldest) end(oldest);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const program of waitingPrograms.keys()) end(program);
      await Promise.all(pendingEnds);
    },
  };
}

type CallOperation = Connection["call"];

/** A process that runs a program, one run at a time. */
interface IsolatedProgram {
  /** Runs `work` with a function that calls the program's operations, until the promise of `work` is settled. */
  run<Result>(
    work: (call: CallOperation) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result>;
  /**
   * Reports whether the program can be called again: it is running, has not grown large, and has not been used often.
   */
  isReusable(): Promise<boolean>;
  /** Allows this process to exit while the program waits, until `resume` is called. */
  pause(): void;
  resume(): void;
  /** Stops the process. Resolves when it has exited. */
  end(): Promise<void>;
  isGone(): boolean;
}

/** The time that an operation has to end by itself after its signal is aborted. */
const abortGraceMs = 5_000;
const exitTimeoutMs = 1_000;
/** The maximum number of calls. Each call leaves a little memory behind that is never released. */
const maxCalls = 50;
/**
 * The maximum memory of a waiting process. A process that grew for one site would otherwise take this memory from
 * others.
 */
const maxWaitingBytes = 400 * 1024 * 1024;
const starterPath = fileURLToPath(resolveSiblingModule(import.meta.url, "start"));
/** Flags of this process that are needed to find the program, and that keep V8 stable. */
const inheritedFlagPattern =
  /^--(?:conditions=|no-memory-protection-keys$|no-wasm-code-gc$|disable-warning=)/;

function startProgram(start: StartIsolated, program: URL): IsolatedProgram {
  const cacheFolder = findCompileCacheFolder();
  const flags = process.execArgv.filter((flag) => inheritedFlagPattern.test(flag));
  const isolated = start([
    ...flags,
    starterPath,
    program.href,
    ...(cacheFolder === undefined ? [] : [cacheFolder]),
  ]);
  return new RunningProgram(isolated);
}

class RunningProgram implements IsolatedProgram {
  readonly #isolated: IsolatedProcess;
  readonly #connection: Connection;
  #signal: AbortSignal | undefined;
  #callCount = 0;
  #isGone = false;

  constructor(isolated: IsolatedProcess) {
    this.#isolated = isolated;
    const { child } = isolated;
    // A process that has exited cannot receive the message. Its end is handled separately.
    this.#connection = openConnection((message) => void child.send(message, () => {}));
    child.on("message", (message: Message) => {
      isolated.noteActivity();
      this.#connection.receive(message);
    });
    void isolated.exitReason.then((reason) => this.#handleExit(reason));
  }

  async run<Result>(
    work: (call: CallOperation) => Promise<Result>,
    signal?: AbortSignal,
  ): Promise<Result> {
    this.#signal = signal;
    let timer: NodeJS.Timeout | undefined;
    const onAbort = (): void => void (timer = setTimeout(this.#isolated.kill, abortGraceMs));
    signal?.addEventListener("abort", onAbort, { once: true });
    try {
      return await work((operation, args) => {
        this.#callCount += 1;
        return this.#connection.call(operation, args);
      });
    } finally {
      clearTimeout(timer);
      signal?.removeEventListener("abort", onAbort);
      this.#connection.release();
    }
  }

  async isReusable(): Promise<boolean> {
    if (this.#isGone || this.#callCount >= maxCalls || !this.#isolated.child.connected)
      return false;
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
    // The process's activity while it waited must not count toward the next call.
    this.#isolated.noteActivity();
  }

  /** Lets the process exit by itself, so that Node can write its compile cache for the next process. */
  async end(): Promise<void> {
    const { child, kill, exitReason } = this.#isolated;
    this.resume();
    if (child.connected) child.disconnect();
    const timer = setTimeout(kill, exitTimeoutMs);
    await exitReason;
    clearTimeout(timer);
  }

  isGone(): boolean {
    return this.#isGone;
  }

  #handleExit(reason: Error): void {
    this.#isGone = true;
    this.#connection.close(this.#signal?.aborted ? getAbortError(this.#signal) : reason);
  }
}

function getAbortError({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error("Aborted.");
}

/**
 * The operations that a program runs for another process, as a type for both sides: an interface whose methods return
 * promises. Values are cloned. Functions in arguments call back, so they must return nothing or a promise of data.
 * Signals abort in both processes. Methods must return data, because functions and signals in the result would no
 * longer work on arrival. A method that breaks this rule becomes `never`, so that an `Isolation` of its interface does
 * not compile.
 */
export type Operations<Program> = {
  readonly [Name in keyof Program]: Program[Name] extends (
    ...args: infer Args
  ) => Promise<infer Result>
    ? [Args, Result] extends [Argument<Args>, Data<Result>]
      ? Program[Name]
      : never
    : never;
};

/** Types that arrive as they were sent. `Data` stops at JSON, because the type of JSON is recursive. */
type Cloned =
  | Json
  | ArrayBuffer
  | Date
  | Error
  | ReadonlyMap<unknown, unknown>
  | ReadonlySet<unknown>
  | RegExp
  | URL
  | Uint8Array;
type Json = boolean | number | string | null | undefined | readonly Json[] | JsonObject;
type JsonObject = { readonly [key: string]: Json };

type Data<Value> = unknown extends Value
  ? Value
  : Value extends (...args: never[]) => unknown
    ? never
    : Value extends Cloned
      ? Value
      : { readonly [Key in keyof Value]: Data<Value[Key]> };

type Argument<Value> = unknown extends Value
  ? Value
  : Value extends (...args: never[]) => infer Result
    ? [Result] extends [void | PromiseLike<infer Answer>]
      ? [Answer] extends [Data<Answer>]
        ? Value
        : never
      : never
    : Value extends Cloned | AbortSignal
      ? Value
      : { readonly [Key in keyof Value]: Argument<Value[Key]> };
