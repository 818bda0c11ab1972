import { OctavoError } from "@octavo/site/core";
import type { ProcessExit, Processes, RunningProcess } from "./processes.ts";

export interface GitCommand {
  /** Passed unchanged, without a shell. */
  readonly args: readonly string[];
  /** The complete environment. The service's own environment is not added. */
  readonly env: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
  readonly timeoutMs: number;
  /** The maximum size of the address space, on systems that support the limit. If git needs more, it fails. */
  readonly memoryBytes?: number | undefined;
  /** If git writes more to standard output than this, it is stopped with `too_large`. */
  readonly maxOutputBytes: number;
  /**
   * Receives standard output as it arrives; `stdout` is then empty. To stop git, return false; any exit code is then
   * accepted.
   */
  readonly onOutput?: ((chunk: Buffer) => boolean) | undefined;
}

export interface GitResult extends ProcessExit {
  readonly stdout: string;
}

/**
 * Runs git until it exits and returns any exit code. Throws `cancelled` when `signal` is aborted, `too_large` if git
 * runs longer or writes more than allowed, and `unavailable` if it cannot be started. By then, git and all its child
 * processes have exited.
 */
export async function runGit(processes: Processes, command: GitCommand): Promise<GitResult> {
  const { signal } = command;
  if (signal?.aborted) throw cancelled();
  const git = await startGit(processes, { ...command, hasInput: command.input !== undefined });
  let stopped: OctavoError | undefined;
  const stop = (reason: OctavoError): void => {
    stopped ??= reason;
    git.stop();
  };
  const onAbort = (): void => stop(cancelled());
  const timer = setTimeout(() => stop(timeoutError(command.timeoutMs)), command.timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    const result = await collect(git, command, stop);
    if (stopped) throw stopped;
    return result;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", onAbort);
  }
}

interface GitStart extends Pick<GitCommand, "args" | "env" | "memoryBytes"> {
  /** As in `ProcessCommand`. */
  readonly hasInput: boolean;
}

/** Starts git. Throws `unavailable` if it cannot be started. */
export async function startGit(processes: Processes, start: GitStart): Promise<RunningProcess> {
  const [program, ...args] = commandLine(start);
  const { env, hasInput } = start;
  try {
    return await processes.start({ program, args, env, hasInput });
  } catch (error) {
    throw startError(error as NodeJS.ErrnoException);
  }
}

/** Returns the command line. A shell sets the memory limit and is then replaced by git. */
function commandLine({ args, memoryBytes }: GitStart): [string, ...string[]] {
  if (memoryBytes === undefined) return ["git", ...args];
  const kilobytes = String(Math.floor(memoryBytes / 1024));
  const script = 'ulimit -v "$0" 2>/dev/null; exec git "$@"';
  return ["sh", "-c", script, kilobytes, ...args];
}

async function collect(
  git: RunningProcess,
  command: GitCommand,
  stop: (reason: OctavoError) => void,
): Promise<GitResult> {
  const stdout: Buffer[] = [];
  let size = 0;
  const take = command.onOutput ?? ((chunk) => stdout.push(chunk) > 0);
  let isWanted = true;
  git.stdout.on("data", (chunk: Buffer) => {
    // Cuts at the exact limit, so that the result does not depend on chunk sizes.
    const allowed = chunk.subarray(0, Math.max(0, command.maxOutputBytes - size));
    size += chunk.length;
    if (!isWanted) return;
    isWanted = take(allowed);
    if (!isWanted) git.stop();
    else if (size > command.maxOutputBytes) stop(outputTooLarge(command.maxOutputBytes));
  });
  git.stdin?.end(command.input);
  const { exitCode, stderr } = await git.exited;
  return { exitCode, stderr, stdout: Buffer.concat(stdout).toString() };
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
