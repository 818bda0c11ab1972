import { setTimeout } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Collects all garbage now. What the running turn has dereferenced is held until its end. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
}

/**
 * Collects garbage until array buffers hold less than `limit` bytes, for one second at most: V8 frees their memory in
 * parallel to the program. Returns the bytes that they hold then.
 */
export async function collectArrayBuffers(limit: number): Promise<number> {
  for (let tries = 0; tries < 50; tries += 1) {
    collectGarbage();
    if (process.memoryUsage().arrayBuffers < limit) break;
    await setTimeout(20);
  }
  return process.memoryUsage().arrayBuffers;
}
