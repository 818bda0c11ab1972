import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import { sha256 } from "../core/index.ts";

/** A name for this process, by which others can tell whether it still runs. */
export function ownerName(): string {
  return [process.pid, startTimeOf(process.pid), machineId()].join("-");
}

/** The process ID in a name, for a message. */
export function ownerProcess(name: string): string {
  return name.split("-")[0] ?? "";
}

/** Whether the process that has this name runs on this machine. */
export function isAlive(name: string): boolean {
  const [pid, start, host] = name.split("-");
  return host === machineId() && start !== "" && start === startTimeOf(Number(pid));
}

function machineId(): string {
  return sha256(hostname()).slice(0, 8);
}

/** When a process began, which tells it from a later one with the same ID; empty if it does not run. */
function startTimeOf(pid: number): string {
  if (!Number.isSafeInteger(pid) || pid <= 0) return "";
  if (process.platform !== "linux") return isRunning(pid) ? "0" : "";
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program before it may hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const hasEnded = fields[0] === "Z" || fields[0] === "X";
    return hasEnded ? "" : (fields[19] ?? "");
  } catch {
    return "";
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}
