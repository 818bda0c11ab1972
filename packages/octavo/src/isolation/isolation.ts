import { createIsolation } from "@octavo/site";
import type { IsolationLimits } from "@octavo/site";
import { startProgram } from "./isolated-program.ts";
import type { CallOperation, IsolatedProgram } from "./isolated-program.ts";
import type { Operations } from "./operations.ts";

/**
 * Has work on what strangers wrote done in a process of its own, which is ended when it takes too much memory, or
 * too much CPU on one thing. Nothing of that work is done here, so requests do not wait for it.
 */
export interface Isolation<Program extends Operations<Program>> {
  /**
   * Hands `work` the program of a process that does nothing else meanwhile, for as long as `work` takes. Rejects as
   * `work` does; what it calls rejects as the operation does, with `too_large` for a process that reached a limit, and
   * with the signal's reason for one that did not end when it was aborted.
   */
  run<Result>(work: (program: Program) => Promise<Result>, options?: RunOptions): Promise<Result>;
}

export interface RunOptions {
  readonly signal?: AbortSignal | undefined;
  /**
   * Whose content it is. A process that has done its work waits for more of the same owner's, and is never given
   * another's; without an owner it is a new one, and ends with the call.
   */
  readonly owner?: string | undefined;
}

export interface IsolationOptions {
  /** A module whose export `createOperations` makes a `Program`. */
  readonly program: URL;
  readonly limits?: Partial<IsolationLimits>;
  /** How long a process waits. It takes some 200 MB, and half a second of CPU to be started anew. */
  readonly idleMs?: number;
}

/** Between an agent's turn and the preview of what it did lies less than a second. */
const defaultIdleMs = 5_000;

/** Disposed, it ends the processes that wait. */
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

/** The only place where an operation is a string; its type was checked where it was called. */
function programOf<Program extends Operations<Program>>(call: CallOperation): Program {
  const get =
    (_: object, operation: string | symbol) =>
    (...args: readonly unknown[]) =>
      call(String(operation), args);
  return new Proxy({}, { get }) as Program;
}

/** Programs that wait for more work of the owner whose work they did. */
interface WaitingPrograms extends AsyncDisposable {
  /** One that was given back for this owner; undefined where there is none. */
  take(owner: string | undefined): IsolatedProgram | undefined;
  /** The program ends when nobody takes it in time, or others wait already. */
  giveBack(owner: string, program: IsolatedProgram): void;
}

interface Waiting {
  readonly owner: string;
  readonly timer: NodeJS.Timeout;
}

/** Two of the largest take 800 MB, and each of their render children some 100 MB. */
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
