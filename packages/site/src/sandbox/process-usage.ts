import { readFile } from "node:fs/promises";

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
