import { createIsolation } from "@octavo/site";
import type { IsolationLimits } from "@octavo/site";
import { startProgram } from "./isolated-program.ts";
import type { CallOperation, IsolatedProgram } from "./isolated-program.ts";
import type { Operations } from "./operations.ts";

/**
 * Processes untrusted content in a process of its own, which is ended if it uses too much memory, or too much CPU for
 * one task. None of that work runs in this process, so requests do not wait for it.
 */
export interface Isolation<Program extends Operations<Program>> {
  /**
   * Runs `work` with the program of a process that does nothing else until `work` is settled. Rejects as `work` does.
   * The operations that it calls reject with their own errors, with `too_large` if the process reached a limit, and
   * with the signal's reason if the process did not end when it was aborted.
   */
  run<Result>(work: (program: Program) => Promise<Result>, options?: RunOptions): Promise<Result>;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * The owner of the content. After its work, a process waits for more work of the same owner, and is never used for
   * another owner. Without an owner, the process is new and ends with the call.
   */
  readonly owner?: string | undefined;
}

export interface IsolationOptions {
  /** A module whose export `createOperations` creates a `Program`. */
  readonly program: URL;
  readonly limits?: Partial<IsolationLimits>;
  /**
   * How long a process waits, in milliseconds. It takes about 200 MB while it waits; starting it again takes half a
   * second of CPU time.
   */
  readonly idleMs?: number;
}

/** Less than a second passes between an agent's turn and the preview of its changes. */
const defaultIdleMs = 5_000;

/** Opens the isolation. When disposed, it ends the waiting processes. */
export function openIsolation<Program extends Operations<Program>>({
  program,
  limits,
  idleMs = defaultIdleMs,
}: IsolationOptions): Isolation<Program> & AsyncDisposable {
  const start = createIsolation(limits);
  const waiting = openWaitingPrograms(idleMs);
  return {
    async run(work, { signal, owner } = {}) {
      signal?.throwIfAborted();
      const running = waiting.take(owner) ?? startProgram(start, program);
      try {
        return await running.run((call) => work(programOf<Program>(call)), signal);
      } finally {
        const isKept = owner !== undefined && !signal?.aborted && (await running.canGoOn());
        if (isKept) waiting.giveBack(owner, running);
        else await running.end();
      }
    },
    [Symbol.asyncDispose]: () => waiting[Symbol.asyncDispose](),
  };
}

/** Creates a proxy for a program. Only here is an operation a string; its type was checked at the call. */
function programOf<Program extends Operations<Program>>(call: CallOperation): Program {
  const get =
    (_: object, operation: string | symbol) =>
    (...args: readonly unknown[]) =>
      call(String(operation), args);
  return new Proxy({}, { get }) as Program;
}

/** Programs that wait for more work of the owner for whom they last worked. */
interface WaitingPrograms extends AsyncDisposable {
  /** Takes a waiting program of this owner; undefined if there is none. */
  take(owner: string | undefined): IsolatedProgram | undefined;
  /** Gives back a program. It ends if it is not taken in time, or if too many others are waiting. */
  giveBack(owner: string, program: IsolatedProgram): void;
}

interface Waiting {
  readonly owner: string;
  readonly timer: NodeJS.Timeout;
}

/** Two of the largest take 800 MB, plus about 100 MB for each of their render children. */
const maxWaiting = 2;

function openWaitingPrograms(idleMs: number): WaitingPrograms {
  const waiting = new Map<IsolatedProgram, Waiting>();
  const ending = new Set<Promise<void>>();
  let isClosed = false;

  function forget(program: IsolatedProgram): void {
    clearTimeout(waiting.get(program)?.timer);
    waiting.delete(program);
  }
  function end(program: IsolatedProgram): void {
    forget(program);
    const ended = program.end().finally(() => ending.delete(ended));
    ending.add(ended);
  }
  return {
    take(owner) {
      if (owner === undefined) return undefined;
      for (const [program, { owner: own }] of waiting) {
        if (own !== owner) continue;
        forget(program);
        if (program.isGone()) continue;
        program.resume();
        return program;
      }
      return undefined;
    },
    giveBack(owner, program) {
      if (isClosed) return end(program);
      const timer = setTimeout(() => end(program), idleMs).unref();
      waiting.set(program, { owner, timer });
      program.pause();
      const [oldest] = waiting.keys();
      if (waiting.size > maxWaiting && oldest) end(oldest);
    },
    async [Symbol.asyncDispose]() {
      isClosed = true;
      for (const program of waiting.keys()) end(program);
      await Promise.all(ending);
    },
  };
}
