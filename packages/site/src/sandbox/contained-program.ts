import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";

/**
 * Returns the process ID of the program that a child runs. Bubblewrap remains the parent of the program that it starts,
 * so the program is the last process in a chain in which each process has started exactly one. A program that starts
 * processes itself is not found in this way.
 */
export function findProgramId(pid: number): number {
  const children = listChildren(pid);
  return children.length === 1 ? findProgramId(children[0] ?? pid) : pid;
}

function listChildren(pid: number): readonly number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return list.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/**
 * Kills the program of a child first. The wrapping processes then wait for the program and exit, so its CPU time is
 * attributed to the child, as limits and benchmarks assume.
 */
export function killChild(child: ChildProcess): void {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(findProgramId(pid), "SIGKILL");
  } catch {
    // The program has just exited, or belongs to a different user in its namespace.
    child.kill("SIGKILL");
  }
}

/** Wrapping programs, like shells, report a signal as an exit code greater than this number. */
const firstSignalCode = 128;

/** Describes the `exit` event of a child in words. */
export function describeExit(code: number | null, signal: string | null): string {
  const number = (code ?? 0) - firstSignalCode;
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  return signal ?? name ?? `exit code ${code}`;
}
