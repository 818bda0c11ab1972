import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { Database } from "../db/index.ts";
import type { Storage } from "../storage/index.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** Rows in one step; each is a statement of its own, so that no reader waits for long. */
const batch = 100;
/** No attempt takes this long; a folder that is older belonged to a worker that died. */
const staleWorkMs = dayMs;

export interface RetentionOptions {
  readonly database: Database;
  readonly storage: Storage;
  /** Bundles of exports that were completed longer ago are removed; their jobs then answer 410. */
  readonly bundleDays: number;
  /** Jobs that ended longer ago are forgotten. At least `bundleDays`. */
  readonly jobDays: number;
  /** This node's folder of attempts. */
  readonly workDir: string;
  readonly now?: Date;
}

export interface Removed {
  readonly bundles: number;
  readonly jobs: number;
}

/** Removes what is older than it is kept. May run on several nodes at once, and be stopped anywhere. */
export async function removeExpired(options: RetentionOptions): Promise<Removed> {
  const now = (options.now ?? new Date()).getTime();
  const bundles = await removeBundles(options, new Date(now - options.bundleDays * dayMs));
  const jobs = await removeJobs(options.database, new Date(now - options.jobDays * dayMs));
  await removeStaleWork(options.workDir, now - staleWorkMs);
  return { bundles, jobs };
}

async function removeBundles(
  { database, storage }: RetentionOptions,
  before: Date,
): Promise<number> {
  let removed = 0;
  for (;;) {
    const rows = await database.kysely
      .selectFrom("static_export_jobs")
      .select(["id", "bundle_key"])
      .where("bundle_key", "is not", null)
      .where("completed_at", "<", before)
      .orderBy("completed_at")
      .limit(batch)
      .execute();
    if (rows.length === 0) return removed;
    for (const { id, bundle_key: key } of rows) {
      if (key === null) continue;
      // The link goes first: a job never leads to a file that is not there.
      await unlinkBundle(database, id);
      if (await isUnused({ database, storage, key, before })) {
        await storage.delete(key);
        removed++;
      }
    }
  }
}

async function unlinkBundle(database: Database, id: string): Promise<void> {
  await database.kysely
    .updateTable("static_export_jobs")
    .set({ bundle_key: null, bundle_bytes: null })
    .where("id", "=", id)
    .execute();
}

/** Exports of the same commit share a file; one that is being completed has just put it again. */
async function isUnused(bundle: {
  database: Database;
  storage: Storage;
  key: string;
  before: Date;
}): Promise<boolean> {
  const user = await bundle.database.kysely
    .selectFrom("static_export_jobs")
    .select("id")
    .where("bundle_key", "=", bundle.key)
    .limit(1)
    .executeTakeFirst();
  if (user) return false;
  const file = await bundle.storage.stat(bundle.key);
  return file !== undefined && file.modifiedAt < bundle.before;
}

async function removeJobs(database: Database, before: Date): Promise<number> {
  let removed = 0;
  for (;;) {
    const { numDeletedRows } = await database.kysely
      .deleteFrom("static_export_jobs")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("static_export_jobs")
          .select("id")
          .where("completed_at", "<", before)
          .where("bundle_key", "is", null)
          .limit(batch),
      )
      .executeTakeFirstOrThrow();
    if (numDeletedRows === 0n) return removed;
    removed += Number(numDeletedRows);
  }
}

async function removeStaleWork(workDir: string, beforeMs: number): Promise<void> {
  for (const name of await readdir(workDir).catch(() => [])) {
    const folder = join(workDir, name);
    const found = await stat(folder).catch(() => undefined);
    if (found && found.mtimeMs < beforeMs) await rm(folder, { recursive: true, force: true });
  }
}
