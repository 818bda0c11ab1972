import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Reading } from "./reading.ts";

/** Loaded into a node before its own code: measures it when it is sent SIGUSR2, and writes that to a file. */
const folder = process.env["OCTAVO_TEST_READINGS"] ?? "";
let number = 0;

process.on("SIGUSR2", () => {
  // The second finds what finalizers of the first have let go.
  globalThis.gc?.();
  setImmediate(() => {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    const resources = process.getActiveResourcesInfo().length;
    const descriptors = readdirSync("/proc/self/fd").length;
    const reading: Reading = { rss, heapUsed, resources, descriptors };
    number += 1;
    writeFileSync(join(folder, `${process.pid}-${number}.json`), JSON.stringify(reading));
  });
});
