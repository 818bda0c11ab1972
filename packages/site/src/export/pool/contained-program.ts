import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { constants } from "node:os";

/**
 * The process of the program that a child was started for. Bubblewrap stays around what it starts: the program is then
 * the last of those that each have started one alone. A program that starts processes is not found so.
 */
export function findProgram(pid: number): number {
  const children = childrenOf(pid);
  return children.length === 1 ? findProgram(children[0] ?? pid) : pid;
}

function childrenOf(pid: number): readonly number[] {
  try {
    const list = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
    return list.split(" ").filter(Boolean).map(Number);
  } catch {
    return [];
  }
}

/**
 * Ends a child and, first, its program: those around it then wait for that, and so its CPU counts as the child's, as
 * limits and benchmarks take it to be.
 */
export function endChild(child: ChildProcess): void {
  const { pid, exitCode, signalCode } = child;
  if (pid === undefined || exitCode !== null || signalCode !== null) return;
  try {
    process.kill(findProgram(pid), "SIGKILL");
  } catch {
    // It ended meanwhile, or belongs to another user in its namespace.
    child.kill("SIGKILL");
  }
}

/** Programs around others report a signal as an exit code above this, as shells do. */
const firstSignalCode = 128;

/** In words; for `exit` events of children. */
export function describeExit(code: number | null, signal: string | null): string {
  const number = (code ?? 0) - firstSignalCode;
  const [name] = Object.entries(constants.signals).find(([, value]) => value === number) ?? [];
  return signal ?? name ?? `exit code ${code}`;
}
