import { fileURLToPath } from "node:url";
import { createIsolation } from "@octavo/site";
import type { IsolatedProcess, IsolationLimits, StartIsolated } from "@octavo/site";
import { compileCacheFolder, siblingModule } from "@octavo/site/core";
import { openConnection } from "./connection.ts";
import type { Message } from "./message.ts";

/**
 * Has work on what strangers wrote done in a process of its own, which is ended when it takes too much memory, or
 * too much CPU on one thing. Nothing of that work is done here, so requests do not wait for it.
 */
export interface Isolation {
  /**
   * Calls an operation of the program in a new process, which ends with it. Values are cloned; functions among them
   * are called back here. Rejects as the operation does, with `too_large` for a process that reached a limit, and with
   * the signal's reason for one that did not end when it was aborted.
   */
  run(operation: string, args: readonly unknown[], signal?: AbortSignal): Promise<unknown>;
}

export interface IsolationOptions {
  /** A module whose export `operations` (`Operations`) is what can be called. */
  readonly program: URL;
  readonly limits?: Partial<IsolationLimits>;
}

/** After its signal is aborted, an operation has this long to end by itself. */
const graceMs = 5_000;
const exitMs = 1_000;
const starter = fileURLToPath(siblingModule(import.meta.url, "start"));
/** Flags of this process that its program needs to be found, and that V8 needs to be stable. */
const inherited = /^--(?:conditions=|no-memory-protection-keys$|no-wasm-code-gc$|disable-warning=)/;

export function openIsolation({ program, limits }: IsolationOptions): Isolation {
  const start = createIsolation(limits);
  return {
    async run(operation, args, signal) {
      signal?.throwIfAborted();
      return await runOnce(start, program, { operation, args, signal });
    },
  };
}

interface Call {
  readonly operation: string;
  readonly args: readonly unknown[];
  readonly signal: AbortSignal | undefined;
}

async function runOnce(
  start: StartIsolated,
  program: URL,
  { operation, args, signal }: Call,
): Promise<unknown> {
  const cache = compileCacheFolder();
  const flags = process.execArgv.filter((flag) => inherited.test(flag));
  const isolated = start([
    ...flags,
    starter,
    program.href,
    ...(cache === undefined ? [] : [cache]),
  ]);
  const { child } = isolated;
  // A process that is gone cannot take it; its end is noticed by itself.
  const connection = openConnection((message) => void child.send(message, () => {}));
  child.on("message", (message: Message) => {
    isolated.noteActivity();
    connection.receive(message);
  });
  void isolated.ended.then((reason) =>
    connection.close(signal?.aborted ? abortOf(signal) : reason),
  );
  let timer: NodeJS.Timeout | undefined;
  const onAbort = (): void => void (timer = setTimeout(isolated.kill, graceMs));
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    return await connection.call(operation, args);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
    await end(isolated);
  }
}

/** Lets it go by itself, so that Node can write what it has compiled for the next one. */
async function end({ child, kill, ended }: IsolatedProcess): Promise<void> {
  if (child.connected) child.disconnect();
  const timer = setTimeout(kill, exitMs);
  await ended;
  clearTimeout(timer);
}

function abortOf({ reason }: AbortSignal): Error {
  return reason instanceof Error ? reason : new Error("Aborted.");
}
