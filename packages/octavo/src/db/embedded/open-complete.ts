import { existsSync } from "node:fs";
import { readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { OctavoError } from "@octavo/site/core";
import { flush, flushParents, flushTree } from "../../core/index.ts";
import type { Engine } from "./engine.ts";

/**
 * Opens the database in `<dataDir>/database`, which this process has locked, or creates it. When this resolves, all
 * its files are on the disk; PostgreSQL itself flushes only what it writes from then on.
 */
export async function openComplete(
  dataDir: string,
  open: (folder: string) => Promise<Engine>,
): Promise<Engine> {
  const folder = join(dataDir, "database");
  const finish = await prepareNew(dataDir, folder);
  // PostgreSQL's own lock. A power cut can leave it empty, and PostgreSQL then refuses to start.
  await rm(join(folder, "postmaster.pid"), { force: true });
  try {
    const engine = await open(folder);
    try {
      await flushOnce(dataDir, folder);
      await finish();
      return engine;
    } catch (error) {
      await engine.close();
      throw error;
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new OctavoError(
      "unavailable",
      `The embedded database in ${folder} could not be opened: ${reason}`,
      { cause },
    );
  }
}

/**
 * A first start that was killed leaves an incomplete database, which cannot be opened. A marker file shows this:
 * nothing was stored yet, so the database is created again. The result removes the marker.
 */
async function prepareNew(dataDir: string, folder: string): Promise<() => Promise<void>> {
  const marker = join(dataDir, "database.unfinished");
  if (existsSync(marker)) await rm(folder, { recursive: true, force: true });
  if (existsSync(folder)) return async () => undefined;
  await writeFile(marker, "");
  await flush(dataDir);
  return async () => {
    await rm(marker);
    await flush(dataDir);
  };
}

/**
 * Flushes a database that is new, a copy, or was written by a version that did not flush. A marker file names the
 * folder for which this was done, because it takes as long as the rest of a start.
 */
async function flushOnce(dataDir: string, folder: string): Promise<void> {
  const marker = join(dataDir, "database.flushed");
  const { ino, birthtimeMs } = await stat(folder);
  const identity = `${ino} ${birthtimeMs}`;
  if ((await readFile(marker, "utf8").catch(() => undefined)) === identity) return;
  await flushTree(folder);
  await flushParents(dataDir);
  await writeFile(marker, identity);
}
