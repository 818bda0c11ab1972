import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import { Writable } from "node:stream";
import type { Readable } from "node:stream";

export interface ProcessCommand {
  readonly program: string;
  /** Passed unchanged, without a shell. */
  readonly args: readonly string[];
  /** The complete environment. The service's own environment is not added. */
  readonly env: Readonly<Record<string, string>>;
  /** Whether the program has a standard input. If not, data written to `stdin` is dropped. */
  readonly hasInput: boolean;
}

export interface ProcessExit {
  /** The exit code; 1 if a signal terminated the program. */
  readonly exitCode: number;
  /** The beginning of standard error, for classifying failures. It is never shown to people. */
  readonly stderr: string;
}

export interface RunningProcess {
  /**
   * The program's standard input. Errors of this stream are ignored, because the exit code of a program that does not
   * read everything shows the reason.
   */
  readonly stdin: Writable;
  /**
   * The program's standard output. The caller must read it to its end, because the program does not exit before that.
   */
  readonly stdout: Readable;
  /**
   * Resolves when the program and everything that has its output open have exited, and the output has been read. Never
   * rejects.
   */
  readonly exited: Promise<ProcessExit>;
  /**
   * Stops the program and every program that it started. Sends SIGTERM, after which git removes its lock files, then
   * SIGKILL.
   */
  readonly stop: () => void;
}

/** Runs programs. */
export interface Processes {
  /** Starts a program. Throws the system's error, with its `code`, if the program cannot be started. */
  start(command: ProcessCommand): Promise<RunningProcess>;
}

/**
 * The maximum size of the recorded standard error, more than git itself writes when it fails. A server's messages may
 * be endless.
 */
const maxStderrBytes = 16 * 1024;

/** The time between SIGTERM and SIGKILL. */
const graceMs = 2_000;

/** Runs programs as children of this process. */
export const ownProcesses: Processes = {
  async start({ program, args, env, hasInput }) {
    const child = spawn(program, args, {
      env,
      // The program gets its own process group, so that git-remote-https and ssh stop together with git.
      detached: true,
    });
    const { stdin, stdout } = child;
    stdin.on("error", () => undefined);
    if (!hasInput) stdin.end();
    const exited = waitForExit(child, child.stderr);
    await once(child, "spawn");
    const { pid = 0 } = child;
    return {
      stdin: hasInput ? stdin : createDiscardStream(),
      stdout,
      exited,
      stop: createGroupStopper(pid, exited),
    };
  },
};

/**
 * Waits for a program to exit and reads its standard error, because a full pipe could keep the program from exiting. If
 * the program was not started, the promise never settles.
 */
export async function waitForExit(child: ChildProcess, stderr: Readable): Promise<ProcessExit> {
  const chunks: Buffer[] = [];
  let size = 0;
  stderr.on("data", (chunk: Buffer) => {
    if (size < maxStderrBytes) chunks.push(chunk);
    size += chunk.length;
  });
  const { promise, resolve } = Promise.withResolvers<number>();
  child.once("close", (code) => resolve(code ?? 1));
  return { exitCode: await promise, stderr: Buffer.concat(chunks).toString() };
}

export function createDiscardStream(): Writable {
  return new Writable({ write: (_chunk, _encoding, done) => done() });
}

/** Returns a function that stops a process group, identified by the ID of its first process, unless it has `exited`. */
export function createGroupStopper(pid: number, exited: Promise<unknown>): () => void {
  let hasExited = false;
  let timer: NodeJS.Timeout | undefined;
  const noteExit = (): void => {
    hasExited = true;
    clearTimeout(timer);
  };
  void exited.then(noteExit);
  return () => {
    if (hasExited || timer !== undefined) return;
    sendGroupSignal(pid, "SIGTERM");
    timer = setTimeout(() => sendGroupSignal(pid, "SIGKILL"), graceMs);
  };
}

function sendGroupSignal(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // The group has already exited.
  }
}
