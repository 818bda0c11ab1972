import type { IsolatedProgram } from "./isolated-program.ts";

/** Programs that wait for more work of the owner whose work they did. */
export interface WaitingPrograms extends AsyncDisposable {
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

export function openWaitingPrograms(idleMs: number): WaitingPrograms {
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
