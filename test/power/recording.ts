import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { openDatabase } from "../../packages/octavo/src/db/index.ts";
import type { Random } from "../support/random.ts";
import { preloadInEngine } from "./engine-thread.ts";
import { runLoad } from "./load.ts";
import { readOperations } from "./operation.ts";
import type { Operation } from "./operation.ts";
import { startRecording } from "./record.ts";

/** The operations on the files of a folder. */
export interface Recording {
  /** A copy of the folder from before. */
  readonly base: string;
  readonly operations: readonly Operation[];
}

/** Records `work` on the files of `folder`. The recording lies in `scratch`, which does not exist. */
export async function record(
  folder: string,
  scratch: string,
  work: (acknowledge: (value: unknown) => void) => Promise<void>,
): Promise<Recording> {
  const base = join(scratch, "base");
  const log = join(scratch, "log");
  mkdirSync(scratch);
  mkdirSync(folder, { recursive: true });
  cpSync(folder, base, { recursive: true });
  const place = { root: folder, log };
  const restore = preloadInEngine("./engine.preload.ts", { recording: place });
  try {
    using recorder = startRecording(place);
    await work((value) => recorder.add({ kind: "acknowledge", value }));
  } finally {
    restore();
  }
  return { base, operations: readOperations(log) };
}

export interface LoadOptions {
  readonly dataDir: string;
  readonly scratch: string;
  readonly random: Random;
  readonly steps: number;
}

/** Opens the embedded database in a data folder, writes to it and closes it. */
export async function recordLoad(options: LoadOptions): Promise<Recording> {
  const { dataDir, scratch, random, steps } = options;
  return await record(dataDir, scratch, async (add) => {
    await using database = await openDatabase({ dataDir });
    const acknowledge = (...rows: readonly unknown[]) => rows.forEach(add);
    await runLoad({ database, acknowledge, random, steps });
  });
}
