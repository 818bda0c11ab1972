import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { workerData } from "node:worker_threads";

export interface FailingDisk {
  /** The disk fails as long as this file exists. */
  readonly file: string;
  readonly call: "fsyncSync" | "writeSync";
}

/** Loaded into the embedded database's thread before its own code, by `failing-disk.stress.test.ts`. */
const { file, call } = (workerData as { readonly failing: FailingDisk }).failing;
const original = fs[call] as (...given: unknown[]) => unknown;
Object.assign(fs, {
  [call](...given: unknown[]): unknown {
    if (!fs.existsSync(file)) return original(...given);
    throw Object.assign(new Error(`EIO: i/o error, ${call}`), { code: "EIO" });
  },
});
syncBuiltinESMExports();
