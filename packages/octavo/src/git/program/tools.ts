import { randomUUID } from "node:crypto";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { redactSecrets } from "../../core/index.ts";
import { OctavoError } from "@octavo/site/core";
import type { AllowList } from "../../core/index.ts";
import { plainEnvironment, searchPath, settingArguments } from "./environment.ts";
import type { GitHome } from "./environment.ts";
import { createGitError } from "./failure.ts";
import type { Mirror } from "../repository.ts";
import { ownProcesses } from "./processes.ts";
import type { Processes, ProcessExit, RunningProcess } from "./processes.ts";

/** The limits that protect the service from hostile or very large repositories. */
export interface GitLimits {
  /** The maximum duration of one call to git, in milliseconds. */
  readonly commandMs: number;
  /**
   * The maximum duration of the search for the last changes of a site's files, in milliseconds. Results found up to
   * then are used.
   */
  readonly historyMs: number;
  /** The maximum size of git's standard output, which lists refs and files. */
  readonly outputBytes: number;
  /** The maximum size of a mirror on disk. */
  readonly mirrorBytes: number;
  readonly checkoutFiles: number;
  readonly checkoutBytes: number;
}

export const defaultLimits: GitLimits = {
  commandMs: 10 * 60_000,
  // Git reads about 20,000 commits per second.
  historyMs: 2 * 60_000,
  outputBytes: 64 * 1024 * 1024,
  mirrorBytes: 8 * 1024 ** 3,
  checkoutFiles: 500_000,
  checkoutBytes: 4 * 1024 ** 3,
};

export type GitLog = (message: string, facts: Readonly<Record<string, unknown>>) => void;

/** The context that the files of this room share: the way to call git, and the limits. */
export interface GitTools {
  readonly processes: Processes;
  readonly home: GitHome;
  readonly cacheDir: string;
  readonly allow: AllowList;
  readonly limits: GitLimits;
  readonly log: GitLog;
}

/** The subset of `GitTools` that a call to git needs. */
export interface GitCaller {
  readonly processes: Processes;
  readonly home: Pick<GitHome, "environment">;
  readonly limits: Pick<GitLimits, "commandMs" | "outputBytes">;
}

/**
 * Creates a `GitCaller` that is independent of the service: it uses neither the service's processes nor its home
 * folder. `path` is the search path for git, in the format of the environment variable PATH.
 */
export function createPlainCaller(
  path: string | undefined,
  limits: Partial<GitLimits>,
): GitCaller & Pick<GitTools, "limits"> {
  return {
    processes: ownProcesses,
    home: {
      environment: {
        ...plainEnvironment,
        PATH: path ?? searchPath,
        HOME: "/nonexistent",
        GIT_CONFIG_GLOBAL: "/dev/null",
      },
    },
    limits: { ...defaultLimits, ...limits },
  };
}

interface CallOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly input?: string;
  readonly signal?: AbortSignal | undefined;
  /** Secrets that the server receives and may repeat. They are removed from git's output. */
  readonly secrets?: readonly string[];
  /** See `runGit`. */
  readonly memoryBytes?: GitCommand["memoryBytes"];
  /** See `runGit`. */
  readonly onOutput?: GitCommand["onOutput"];
}

/** Calls git with the safe settings and returns any exit code. Throws in the same cases as `runGit`. */
export async function callGit(
  tools: GitCaller,
  args: readonly string[],
  { secrets = [], ...options }: CallOptions = {},
): Promise<GitResult> {
  const result = await runGit(tools.processes, {
    args: [...settingArguments, ...args],
    env: { ...tools.home.environment, ...options.environment },
    ...(options.input === undefined ? {} : { input: options.input }),
    signal: options.signal,
    memoryBytes: options.memoryBytes,
    onOutput: options.onOutput,
    timeoutMs: tools.limits.commandMs,
    maxOutputBytes: tools.limits.outputBytes,
  });
  if (secrets.length === 0) return result;
  const { exitCode, stdout, stderr } = result;
  return {
    exitCode,
    stdout: redactSecrets(stdout, secrets),
    stderr: redactSecrets(stderr, secrets),
  };
}

/**
 * Calls git on a bare repository on this machine and returns its output. The requested data is known to exist, so a
 * failure means that the repository is corrupt. In this case, throws `internal`.
 */
export async function readGit(
  tools: GitCaller,
  mirror: Mirror,
  args: readonly string[],
  options: CallOptions = {},
): Promise<string> {
  const environment = { ...options.environment, GIT_DIR: mirror.path };
  const result = await callGit(tools, args, { ...options, environment });
  if (result.exitCode === 0) return result.stdout;
  throw createUnreadableCopyError(result);
}

function createUnreadableCopyError(result: GitResult): OctavoError {
  return new OctavoError("internal", "The service's copy of the repository could not be read.", {
    cause: createGitError(result),
  });
}

type StreamOptions = Omit<CallOptions, "environment"> & Required<Pick<CallOptions, "onOutput">>;

/**
 * Calls git on a bare repository on this machine and passes its output to `onOutput`. Returns false if `onOutput`
 * stopped it. Throws what `onOutput` throws. Path arguments are interpreted literally, whatever characters they
 * contain.
 */
export async function streamGit(
  tools: GitCaller,
  mirror: Mirror,
  args: readonly string[],
  options: StreamOptions,
): Promise<boolean> {
  let isEnded = true;
  let failure: { readonly error: unknown } | undefined;
  const onOutput = (chunk: Buffer): boolean => {
    try {
      isEnded &&= options.onOutput?.(chunk) ?? true;
    } catch (error) {
      failure = { error };
      isEnded = false;
    }
    return isEnded;
  };
  const environment = { GIT_DIR: mirror.path, GIT_LITERAL_PATHSPECS: "1" };
  const result = await callGit(tools, args, { ...options, environment, onOutput });
  if (failure) throw failure.error;
  if (isEnded && result.exitCode !== 0) throw createUnreadableCopyError(result);
  return isEnded;
}

interface OutputStart {
  readonly bytes: Buffer;
  /** Whether the text is the whole output. */
  readonly isWhole: boolean;
}

/** Returns the beginning of git's output. Stops git once it has written more. */
export async function readOutputStart(
  tools: GitCaller,
  mirror: Mirror,
  args: readonly string[],
  { maxBytes, signal }: { readonly maxBytes: number; readonly signal?: AbortSignal | undefined },
): Promise<OutputStart> {
  const chunks: Buffer[] = [];
  let length = 0;
  const isWhole = await streamGit(tools, mirror, args, {
    signal,
    onOutput(chunk) {
      chunks.push(chunk);
      length += chunk.length;
      return length <= maxBytes;
    },
  });
  return { bytes: Buffer.concat(chunks).subarray(0, maxBytes), isWhole };
}

interface GitCommand {
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
  if (signal?.aborted) throw createCancelledError();
  const git = await startGit(processes, { ...command, hasInput: command.input !== undefined });
  let stopReason: OctavoError | undefined;
  const stop = (reason: OctavoError): void => {
    stopReason ??= reason;
    git.stop();
  };
  const onAbort = (): void => stop(createCancelledError());
  const timer = setTimeout(() => stop(createTimeoutError(command.timeoutMs)), command.timeoutMs);
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted) onAbort();
  try {
    const result = await collect(git, command, stop);
    if (stopReason) throw stopReason;
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
  const [program, ...args] = buildCommandLine(start);
  const { env, hasInput } = start;
  try {
    return await processes.start({ program, args, env, hasInput });
  } catch (error) {
    throw createStartError(error as NodeJS.ErrnoException);
  }
}

/** Returns the command line. A shell sets the memory limit and is then replaced by git. */
function buildCommandLine({ args, memoryBytes }: GitStart): [string, ...string[]] {
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
  const handleChunk = command.onOutput ?? ((chunk) => stdout.push(chunk) > 0);
  let isWanted = true;
  git.stdout.on("data", (chunk: Buffer) => {
    // The output is cut at the exact limit, so that the result does not depend on the sizes of chunks.
    const allowed = chunk.subarray(0, Math.max(0, command.maxOutputBytes - size));
    size += chunk.length;
    if (!isWanted) return;
    isWanted = handleChunk(allowed);
    if (!isWanted) git.stop();
    else if (size > command.maxOutputBytes) stop(createLargeOutputError(command.maxOutputBytes));
  });
  git.stdin?.end(command.input);
  const { exitCode, stderr } = await git.exited;
  return { exitCode, stderr, stdout: Buffer.concat(stdout).toString() };
}

function createCancelledError(): OctavoError {
  return new OctavoError("cancelled", "Cancelled while working with the repository.");
}

function createTimeoutError(timeoutMs: number): OctavoError {
  return new OctavoError(
    "too_large",
    `Working with the repository took longer than ${Math.round(timeoutMs / 1000)} seconds and was stopped. ` +
      "Its server may be unresponsive, or the repository very large; try again later.",
  );
}

function createLargeOutputError(bytes: number): OctavoError {
  return new OctavoError(
    "too_large",
    `The repository is too large: git listed more than ${Math.round(bytes / 1024 / 1024)} MB of names in it.`,
  );
}

function createStartError(cause: NodeJS.ErrnoException): OctavoError {
  const reason =
    cause.code === "ENOENT" ? "it is not installed" : `the system refused it (${cause.code})`;
  return new OctavoError("unavailable", `The program git could not be started: ${reason}.`, {
    cause,
  });
}

/** A separate git index for one operation, so that other readers of the mirror are not affected. */
interface WorkIndex extends AsyncDisposable {
  readonly file: string;
}

export function openWorkIndex(tools: GitTools): WorkIndex {
  const file = join(tools.home.folder, `index-${randomUUID()}`);
  return {
    file,
    async [Symbol.asyncDispose]() {
      await Promise.all([rm(file, { force: true }), rm(`${file}.lock`, { force: true })]);
    },
  };
}
