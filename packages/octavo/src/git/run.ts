import { spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { OctavoError } from "@octavo/site/core";

export interface GitCommand {
  /** Passed as they are: no shell reads them. */
  readonly args: readonly string[];
  /** The complete environment; the service's own is not added. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** Of address space: git fails where it needs more, on a system that can limit it. */
  readonly memoryBytes?: number | undefined;
  /** Standard output beyond this ends git with `too_large`. */
  readonly maxOutputBytes: number;
  /**
   * Receives standard output as it arrives, which `stdout` then does not contain. Return false to end git, with
   * any exit code.
   */
  readonly onOutput?: ((chunk: Buffer) => boolean) | undefined;
}

export interface GitResult {
  readonly exitCode: number;
  readonly stdout: string;
  /** Only its beginning: for classifying failures, never for people. */
  readonly stderr: string;
}

/** More than git writes when it fails; a server's own messages may be endless. */
const maxStderrBytes = 16 * 1024;

/** Between SIGTERM, after which git removes its lock files, and SIGKILL. */
const graceMs = 2_000;

/**
 * Runs git to its end and returns any exit code. Throws `cancelled` when `signal` is aborted, `too_large` when git
 * ran longer or wrote more than allowed, `unavailable` when it cannot be started; git and all its child processes
 * have ended by then.
 */
export async function runGit(command: GitCommand): Promise<GitResult> {
  const { signal } = command;
  if (signal?.aborted) throw cancelled();
  const [program, ...args] = commandLine(command);
  const child = spawn(program, args, {
    env: command.env,
    // Its own process group, so that git-remote-https and ssh end together with git.
    detached: true,
  });
  let stopped: OctavoError | undefined;
  const stop = (reason: OctavoError): void => {
    if (stopped) return;
    stopped = reason;
    endGroup(child);
  };
  const onAbort = (): void => stop(cancelled());
  const timer = setTimeout(() => stop(timeoutError(command.timeoutMs)), command.timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  try {
    const result = await collect(child, command, stop);
    if (stopped) throw stopped;
    return result;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

/** A limit is set by the shell that git then replaces. */
function commandLine({ args, memoryBytes }: GitCommand): [string, ...string[]] {
  if (memoryBytes === undefined) return ["git", ...args];
  const kilobytes = String(Math.floor(memoryBytes / 1024));
  const script = 'ulimit -v "$0" 2>/dev/null; exec git "$@"';
  return ["sh", "-c", script, kilobytes, ...args];
}

function collect(
  child: ChildProcessWithoutNullStreams,
  command: GitCommand,
  stop: (reason: OctavoError) => void,
): Promise<GitResult> {
  const { promise, resolve, reject } = Promise.withResolvers<GitResult>();
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  let [stdoutSize, stderrSize] = [0, 0];
  const take = command.onOutput ?? ((chunk) => stdout.push(chunk) > 0);
  let isWanted = true;
  child.stdout.on("data", (chunk: Buffer) => {
    // Cuts at the exact limit, so that the result does not depend on the chunks.
    const allowed = chunk.subarray(0, Math.max(0, command.maxOutputBytes - stdoutSize));
    stdoutSize += chunk.length;
    if (!isWanted) return;
    isWanted = take(allowed);
    if (!isWanted) endGroup(child);
    else if (stdoutSize > command.maxOutputBytes) stop(outputTooLarge(command.maxOutputBytes));
  });
  child.stderr.on("data", (chunk: Buffer) => {
    if (stderrSize < maxStderrBytes) stderr.push(chunk);
    stderrSize += chunk.length;
  });
  child.once("error", (cause) => reject(startError(cause)));
  child.once("close", (code) =>
    resolve({
      exitCode: code ?? 1,
      stdout: Buffer.concat(stdout).toString(),
      stderr: Buffer.concat(stderr).toString(),
    }),
  );
  // Git may end without reading everything; its exit code then shows why.
  child.stdin.on("error", () => undefined);
  child.stdin.end(command.input ?? "");
  return promise;
}

export function endGroup(child: ChildProcessWithoutNullStreams): void {
  if (child.pid === undefined) return;
  const group = -child.pid;
  signalGroup(group, "SIGTERM");
  const timer = setTimeout(() => signalGroup(group, "SIGKILL"), graceMs);
  child.once("close", () => clearTimeout(timer));
}

function signalGroup(group: number, signal: NodeJS.Signals): void {
  try {
    process.kill(group, signal);
  } catch {
    // The group has already ended.
  }
}

function cancelled(): OctavoError {
  return new OctavoError("cancelled", "Cancelled while working with the repository.");
}

function timeoutError(timeoutMs: number): OctavoError {
  return new OctavoError(
    "too_large",
    `Working with the repository took longer than ${Math.round(timeoutMs / 1000)} seconds and was stopped. ` +
      "Its server may be unresponsive, or the repository very large; try again later.",
  );
}

function outputTooLarge(bytes: number): OctavoError {
  return new OctavoError(
    "too_large",
    `The repository lists more than ${Math.round(bytes / 1024 / 1024)} MB of names; it is too large.`,
  );
}

function startError(cause: NodeJS.ErrnoException): OctavoError {
  const reason =
    cause.code === "ENOENT" ? "it is not installed" : `the system refused it (${cause.code})`;
  return new OctavoError("unavailable", `The program git could not be started: ${reason}.`, {
    cause,
  });
}
