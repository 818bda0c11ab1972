import { spawn } from "node:child_process";
import { readFileSync, readdirSync } from "node:fs";

/** The longest that a timer takes. */
const longestTimeoutMs = 2 ** 31 - 1;

export interface Usage {
  readonly wallSeconds: number;
  /** User and system time of the process and all that it waited for. */
  readonly cpuSeconds: number;
  /** Highest sum of the resident memory of the whole process tree, looked at every 50 ms. */
  readonly peakBytes: number;
  readonly stdout: string;
}

export interface MeasureOptions {
  readonly cwd: string;
  /** Over the environment of the benchmark. */
  readonly env?: Readonly<Record<string, string>>;
  /** When the command and its children are ended; never when absent. */
  readonly timeoutMs?: number;
}

/**
 * Runs a command to its end and measures its whole process tree. Linux only, by `/proc` and bash's `time`.
 * Throws with what it said where it fails or takes too long.
 */
export async function measure(
  command: readonly string[],
  { cwd, env, timeoutMs }: MeasureOptions,
): Promise<Usage> {
  const started = performance.now();
  const timed = ["-c", 'TIMEFORMAT="octavo-bench %U %S"; time "$@"', "bash", ...command];
  const child = spawn("bash", timed, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    // A group of its own, so that all of it can be ended.
    detached: true,
  });
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
  let peakBytes = 0;
  const poll = setInterval(() => {
    if (child.pid !== undefined) peakBytes = Math.max(peakBytes, treeBytes(child.pid));
  }, 50);
  let isLate = false;
  const limit = setTimeout(() => {
    isLate = true;
    endGroup(child.pid);
  }, timeoutMs ?? longestTimeoutMs);
  // What interrupts the benchmark does not reach another group by itself.
  const endWithBenchmark = () => endGroup(child.pid);
  process.once("exit", endWithBenchmark);
  const code = await new Promise((resolve) => child.once("close", resolve));
  process.off("exit", endWithBenchmark);
  clearTimeout(limit);
  clearInterval(poll);
  if (isLate) throw new Error(`not done within ${(timeoutMs ?? 0) / 60_000} minutes`);
  const [, user, system] = /octavo-bench ([\d.]+) ([\d.]+)/.exec(stderr) ?? [];
  if (code !== 0 || user === undefined) {
    throw new Error(`${command.join(" ")} ended with ${String(code)}:\n${stdout}${stderr}`);
  }
  return {
    wallSeconds: (performance.now() - started) / 1_000,
    cpuSeconds: Number(user) + Number(system),
    peakBytes,
    stdout,
  };
}

function endGroup(pid: number | undefined): void {
  if (pid !== undefined) process.kill(-pid, "SIGKILL");
}

/** User and system time that a running process has used so far, in seconds. */
export function cpuSecondsOf(pid: number): number {
  const fields = statFields(pid);
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

/** The same with all processes below it: those that are alive, and those that have ended and were waited for. */
export function cpuSecondsWithChildren(pid: number): number {
  const ticks = listTree(pid).map((each) => {
    try {
      return statFields(each)
        .slice(11, 15)
        .reduce((sum, field) => sum + Number(field), 0);
    } catch {
      // It ended between the listing and the look.
      return 0;
    }
  });
  return ticks.reduce((sum, each) => sum + each, 0) / 100;
}

/** The fields of `/proc/<pid>/stat` after the command's name, which may hold spaces. */
function statFields(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}

function treeBytes(root: number): number {
  return listTree(root).reduce((sum, pid) => sum + residentBytes(pid), 0);
}

/** Lists a process and all below it. */
function listTree(root: number): readonly number[] {
  const children = new Map<number, number[]>();
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const parent = Number(statFields(Number(name))[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(name)]);
    } catch {
      // It ended between the listing and the look.
    }
  }
  const tree = [root];
  for (const pid of tree) tree.push(...(children.get(pid) ?? []));
  return tree;
}

function residentBytes(pid: number): number {
  try {
    return Number(readFileSync(`/proc/${pid}/statm`, "utf8").split(" ")[1]) * 4_096;
  } catch {
    return 0;
  }
}
