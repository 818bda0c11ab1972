import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";
import { setPriority, tmpdir } from "node:os";
import { readFile } from "node:fs/promises";
import { limits, OctavoError } from "../core/index.ts";
import { detectWrapper } from "./sandbox.ts";
import type { WrapperSandbox } from "./sandbox.ts";

/**
 * A process that reads untrusted input, so that this never blocks the process that started it. Unlike a render child,
 * it may read and write files and start processes, as an export does. Its environment is empty, it has no network if
 * the system supports that, and it exits with the process that started it.
 */
export interface IsolatedProcess {
  /** The process. It communicates by messages, which are serialized as structured clones. */
  readonly child: ChildProcess;
  /** Must be called for each message from the child, because a message shows that the child is not blocked. */
  readonly noteActivity: () => void;
  readonly kill: () => void;
  /** Returns the resident memory in bytes; 0 if the system does not report it or the process has exited. */
  readonly readResidentBytes: () => Promise<number>;
  /** Resolves with the reason when the process has exited; the code is `too_large` if it reached a limit. */
  readonly exitReason: Promise<OctavoError>;
}

export interface IsolationLimits {
  /** Maximum resident memory of the process. */
  readonly bytes: number;
  /** Maximum CPU time between two calls of `noteActivity`. If it is exceeded, a single input takes too long. */
  readonly blockedMs: number;
}

/** Starts an isolated process. `args` are Node's arguments: flags, a program and the program's arguments. */
export type StartIsolated = (args: readonly string[]) => IsolatedProcess;

/** Milliseconds between measurements of memory and CPU. */
const pollIntervalMs = 250;
/**
 * Gives priority to the process that serves requests: if both need the processor, that process gets nine times the
 * share of an isolated process, of which there are several per slot. With a niceness of 2, reading a job's status took
 * six times as long as on an idle machine.
 */
const niceness = 10;
/** If the system does not report CPU time, a process is stopped after this much time without activity. */
const maxBlockedWallMs = 10 * 60_000;

/**
 * Returns a function that starts isolated processes. The isolation that the system supports is detected on the first
 * call of that function.
 */
export function createIsolation(overrides: Partial<IsolationLimits> = {}): StartIsolated {
  const bounds = { bytes: limits.readerBytes, blockedMs: limits.readerTaskCpuMs, ...overrides };
  let wrapped: WrapperSandbox | undefined;
  return (args) => startProcess((wrapped ??= detectWrapper()), args, bounds);
}

function startProcess(
  { wrapper }: WrapperSandbox,
  args: readonly string[],
  bounds: IsolationLimits,
): IsolatedProcess {
  const heapMegabytes = Math.floor((bounds.bytes * 3) / 4 / 1024 / 1024);
  const heap = `--max-old-space-size=${heapMegabytes}`;
  const command = [...wrapper, process.execPath, heap, ...args];
  const child = spawn(command[0] ?? process.execPath, command.slice(1), {
    cwd: "/",
    env: { TMPDIR: tmpdir() },
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    serialization: "advanced",
  });
  lowerPriority(child.pid);
  return watchProcess(child, bounds);
}

function watchProcess(child: ChildProcess, bounds: IsolationLimits): IsolatedProcess {
  const exited = Promise.withResolvers<OctavoError>();
  let exceededLimit: OctavoError | undefined;
  let activity = { isNew: true, cpuMs: 0, at: performance.now() };
  let stderr = "";
  const kill = (): void => void child.kill("SIGKILL");
  async function measure(): Promise<void> {
    const usage = await readProcessUsage(child.pid);
    const now = performance.now();
    if (activity.isNew) activity = { isNew: false, cpuMs: usage?.cpuMs ?? 0, at: now };
    exceededLimit ??= findExceededLimit({
      residentBytes: usage?.residentBytes ?? 0,
      isBlocked: usage
        ? usage.cpuMs - activity.cpuMs > bounds.blockedMs
        : now - activity.at > maxBlockedWallMs,
      bounds,
    });
    if (exceededLimit) kill();
  }
  const poll = setInterval(() => void measure(), pollIntervalMs).unref();
  const end = (how: string): void => {
    clearInterval(poll);
    exited.resolve(exceededLimit ?? createExitError(how, stderr, bounds));
  };
  child.stderr?.on("data", (chunk: Buffer) => {
    stderr = (stderr + chunk.toString()).slice(-2_000);
  });
  child.on("error", ({ message }) => end(message));
  child.on("exit", (code, signal) => end(signal ?? `exit code ${code}`));
  return {
    child,
    noteActivity: () => void (activity.isNew = true),
    kill,
    readResidentBytes: async () => (await readProcessUsage(child.pid))?.residentBytes ?? 0,
    exitReason: exited.promise,
  };
}

interface Measurement {
  readonly residentBytes: number;
  readonly isBlocked: boolean;
  readonly bounds: IsolationLimits;
}

function findExceededLimit({
  residentBytes,
  isBlocked,
  bounds,
}: Measurement): OctavoError | undefined {
  if (residentBytes > bounds.bytes) return createMemoryError(bounds);
  if (!isBlocked) return undefined;
  const seconds = Math.round(bounds.blockedMs / 1_000);
  return new OctavoError(
    "too_large",
    `Reading the site was stopped because one file needed more than ${seconds} seconds of CPU time. Look for a very large configuration, API description or page.`,
  );
}

function createExitError(how: string, stderr: string, bounds: IsolationLimits): OctavoError {
  if (/heap out of memory/.test(stderr)) return createMemoryError(bounds);
  const cause = new Error(`The process exited with ${how}. ${stderr.trim()}`);
  return new OctavoError("internal", "The process that reads the site exited unexpectedly.", {
    cause,
  });
}

function createMemoryError({ bytes }: IsolationLimits): OctavoError {
  const megabytes = Math.round(bytes / 1024 / 1024);
  return new OctavoError(
    "too_large",
    `Reading the site was stopped because it needed more than ${megabytes} MB of memory. Look for a very large configuration or API description, or export fewer pages at once.`,
  );
}

function lowerPriority(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    setPriority(pid, niceness);
  } catch {
    // The process may have exited, or the system may not permit this; nothing depends on the priority.
  }
}

/** The resources that a process uses, not including its children. */
export interface ProcessUsage {
  readonly residentBytes: number;
  /** CPU time of all its threads since it started. */
  readonly cpuMs: number;
}

const pageBytes = 4_096;
/** Linux reports CPU time to programs in hundredths of a second on every architecture. */
const tickMs = 10;

/** Returns undefined if the system does not report usage or the process has exited. */
export async function readProcessUsage(pid: number | undefined): Promise<ProcessUsage | undefined> {
  if (process.platform !== "linux" || pid === undefined) return undefined;
  const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  // The preceding program name may contain any characters. The rest begins with the third field of proc(5).
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const [userTicks, systemTicks, residentPages] = [fields[11], fields[12], fields[21]].map(Number);
  if (residentPages === undefined || Number.isNaN(residentPages)) return undefined;
  const cpuMs = ((userTicks ?? 0) + (systemTicks ?? 0)) * tickMs;
  return { residentBytes: residentPages * pageBytes, cpuMs };
}
