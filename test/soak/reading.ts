import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";

/** The resources that a node holds after a garbage collection. */
export interface Reading {
  readonly rss: number;
  readonly heapUsed: number;
  /** Open handles and requests by their kind, as Node counts them: what stayed open while the node was looked at. */
  readonly handles: Readonly<Record<string, number>>;
  readonly descriptors: number;
}

/** Has a node that was started with `measure.preload.ts` measure itself, the `number`th time. */
export async function readNode(folder: string, pid: number, number: number): Promise<Reading> {
  process.kill(pid, "SIGUSR2");
  const file = join(folder, `${pid}-${number}.json`);
  for (let attempt = 1; ; attempt++) {
    try {
      return JSON.parse(await readFile(file, "utf8")) as Reading;
    } catch (error) {
      if (attempt === 600) throw error;
      await wait(50);
    }
  }
}

/** Folders below `data` but for those of git's objects, of which a repository has at most 256. */
export async function countFolders(data: string): Promise<number> {
  const entries = await readdir(data, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  return paths.filter((path) => !/objects\/[0-9a-f]{2}$/.test(path)).length;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor((sorted.length - 1) / 2)] ?? Number.NaN;
}
