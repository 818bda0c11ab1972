import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setImmediate, setTimeout as wait } from "node:timers/promises";
import type { Reading } from "./reading.ts";

/** Loaded into a node before its own code: measures it when it is sent SIGUSR2, and writes that to a file. */
const folder = process.env["OCTAVO_TEST_READINGS"] ?? "";
/** A node at rest still polls: what a poll opens and closes is not there at each of these looks. */
const looks = 40;
const betweenLooksMs = 150;
let number = 0;

process.on("SIGUSR2", () => void measure());

async function measure(): Promise<void> {
  // The second finds what finalizers of the first have let go.
  globalThis.gc?.();
  await setImmediate();
  globalThis.gc?.();
  const { rss, heapUsed } = process.memoryUsage();
  const handles: Record<string, number>[] = [];
  const descriptors: number[] = [];
  for (let look = 1; look <= looks; look++) {
    await wait(betweenLooksMs);
    handles.push(countByKind(process.getActiveResourcesInfo()));
    descriptors.push(readdirSync("/proc/self/fd").length);
  }
  const reading: Reading = {
    rss,
    heapUsed,
    handles: lowestOfEach(handles),
    descriptors: Math.min(...descriptors),
  };
  number += 1;
  writeFileSync(join(folder, `${process.pid}-${number}.json`), JSON.stringify(reading));
}

function countByKind(kinds: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of kinds) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
}

/** Returns the lowest count of each kind over all readings. */
function lowestOfEach(all: readonly Record<string, number>[]): Record<string, number> {
  const kinds = Object.keys(all[0] ?? {});
  const lowest = kinds.map((kind): [string, number] => {
    return [kind, Math.min(...all.map((counts) => counts[kind] ?? 0))];
  });
  return Object.fromEntries(lowest.filter(([, count]) => count > 0));
}
