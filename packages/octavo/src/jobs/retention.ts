import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { ExpressionBuilder } from "kysely";
import type { Database, Tables } from "../db/index.ts";
import type { Storage } from "../storage/index.ts";
import { removeAgentJobs } from "./agent/retention.ts";
import { inBatches } from "./in-batches.ts";
import { beingRemoved } from "./static-export/bundle-record.ts";
import { removeDeliveries } from "./webhooks/deliveries.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** Rows in one step; each is a statement of its own, so that no reader waits for long. */
const batch = 100;
/** No attempt takes this long; a folder that is older belonged to a worker that died. */
const staleWorkMs = dayMs;
/** As long as the interface promises to give an answer again. */
const idempotencyMs = dayMs;
/** Time enough to see what became of a webhook's message. */
const deliveryMs = 14 * dayMs;

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
  const bundlesBefore = new Date(now - options.bundleDays * dayMs);
  await unlinkBundles(options.database, bundlesBefore);
  const bundles = await removeBundles(options, bundlesBefore);
  const jobsBefore = new Date(now - options.jobDays * dayMs);
  const exports = await removeJobs(options.database, jobsBefore);
  const agentJobs = await removeAgentJobs(options.database, jobsBefore);
  await forgetIdempotencyKeys(options.database, new Date(now - idempotencyMs));
  await removeDeliveries(options.database, new Date(now - deliveryMs));
  await removeStaleWork(options.workDir, now - staleWorkMs);
  return { bundles, jobs: exports + agentJobs };
}

/** The links go first: a job never leads to a file that is not there. */
async function unlinkBundles(database: Database, before: Date): Promise<void> {
  await inBatches(async () => {
    const { numUpdatedRows } = await database.kysely
      .updateTable("static_export_jobs")
      .set({ bundle_key: null, bundle_bytes: null })
      .where("id", "in", (eb) =>
        eb
          .selectFrom("static_export_jobs")
          .select("id")
          .where("completed_at", "<", before)
          .where("bundle_key", "is not", null)
          .limit(batch),
      )
      .executeTakeFirstOrThrow();
    return numUpdatedRows;
  });
}

/** Removes the files that no job leads to: of old exports, of deleted projects, of cancelled exports. */
async function removeBundles(
  { database, storage }: RetentionOptions,
  before: Date,
): Promise<number> {
  let removed = 0;
  for (let last = ""; ;) {
    const unused = await database.kysely
      .selectFrom("bundles")
      .select("key")
      .where("stored_at", "<", before)
      .where("key", ">", last)
      .where((eb) => eb.not(eb.exists(jobsOf(eb))))
      .orderBy("key")
      .limit(batch)
      .execute();
    for (const { key } of unused) {
      last = key;
      // An export that is about to store the same bytes keeps them: it comes first, or waits for the end.
      if (!(await markForRemoval(database, key, before))) continue;
      const file = await storage.stat(key);
      await storage.delete(key);
      if (file) removed++;
      // The file goes first: should this end here, the next run finds the row again.
      await database.kysely
        .deleteFrom("bundles")
        .where("key", "=", key)
        .where("stored_at", "=", beingRemoved)
        .execute();
    }
    if (unused.length < batch) return removed;
  }
}

/** False where the bundle is in use again. */
async function markForRemoval(database: Database, key: string, before: Date): Promise<boolean> {
  const { numUpdatedRows } = await database.kysely
    .updateTable("bundles")
    .set({ stored_at: beingRemoved })
    .where("key", "=", key)
    .where("stored_at", "<", before)
    .where((eb) => eb.not(eb.exists(jobsOf(eb))))
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

function jobsOf(eb: ExpressionBuilder<Tables, "bundles">) {
  return eb
    .selectFrom("static_export_jobs")
    .select("id")
    .whereRef("bundle_key", "=", "bundles.key");
}

async function removeJobs(database: Database, before: Date): Promise<number> {
  return await inBatches(async () => {
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
    return numDeletedRows;
  });
}

async function forgetIdempotencyKeys(database: Database, before: Date): Promise<void> {
  await database.kysely.deleteFrom("idempotency_keys").where("created_at", "<", before).execute();
}

async function removeStaleWork(workDir: string, beforeMs: number): Promise<void> {
  for (const name of await readdir(workDir).catch(() => [])) {
    const folder = join(workDir, name);
    const found = await stat(folder).catch(() => undefined);
    if (found && found.mtimeMs < beforeMs) await rm(folder, { recursive: true, force: true });
  }
}
