import { sql } from "kysely";
import type { Expression, Kysely, SqlBool } from "kysely";
import { OctavoError } from "@octavo/site/core";
import type { Database, Tables } from "../db/index.ts";
import type { Storage } from "../storage/index.ts";
import { jobKinds } from "./job-kinds.ts";
import { removalMark } from "./static-export/build-bundle.ts";

const dayMs = 24 * 60 * 60 * 1000;
/** The number of rows per statement. Small, so that readers do not wait long. */
const batchSize = 100;
/** The time for which the API answers a repeated request with the stored response. */
const idempotencyKeyLifetimeMs = dayMs;
/** The time after which an unfinished upload is considered abandoned. No upload takes this long. */
const maxUploadMs = dayMs;
/** The number of days for which deliveries are kept, both of webhook messages and of pushes from code hosts. */
export const deliveryRetentionDays = 14;

export interface RetentionOptions {
  readonly database: Database;
  readonly storage: Storage;
  /** Bundles of exports that completed longer ago than this are removed. Requests for them then return 410. */
  readonly bundleDays: number;
  /** Jobs that ended longer ago than this are deleted. Must be at least `bundleDays`. */
  readonly jobDays: number;
  /** Events of the audit log that are older than this are deleted. */
  readonly auditDays: number;
  /** Defaults to the time on the database's clock, which also set the times that are compared with `now`. */
  readonly now?: Date;
}

export interface RemovedCounts {
  readonly bundles: number;
  readonly jobs: number;
}

/**
 * Removes everything older than its retention time. May run on several nodes at the same time, and may be stopped at
 * any point.
 */
export async function removeExpired(options: RetentionOptions): Promise<RemovedCounts> {
  const { kysely } = options.database;
  const now = (options.now ?? (await readClock(options.database))).getTime();
  const bundleCutoff = new Date(now - options.bundleDays * dayMs);
  await unlinkBundles(options.database, bundleCutoff);
  await unlinkDeployments(options.database, new Date(now), options.bundleDays);
  const bundles = await removeBundles(options, bundleCutoff);
  const jobCutoff = new Date(now - options.jobDays * dayMs);
  let jobs = 0;
  for (const { table, endedColumn, isRemovable = sql`true` } of jobKinds) {
    const where = sql<SqlBool>`${sql.ref(endedColumn)} < ${jobCutoff} and ${isRemovable}`;
    jobs += await removeRows(kysely, table, { where, batchSize });
  }
  await removeAgentData(options.database, jobCutoff);
  await removeIdempotencyKeys(options.database, new Date(now - idempotencyKeyLifetimeMs));
  const isOldEvent = sql<SqlBool>`at < ${new Date(now - options.auditDays * dayMs)}`;
  await removeRows(kysely, "audit_events", { where: isOldEvent, batchSize });
  const deliveryCutoff = new Date(now - deliveryRetentionDays * dayMs);
  const isOldMessage = sql<SqlBool>`ended_at < ${deliveryCutoff}`;
  await removeRows(kysely, "webhook_deliveries", { where: isOldMessage, batchSize: 1_000 });
  const isOldPush = sql<SqlBool>`received_at < ${deliveryCutoff}`;
  await removeRows(kysely, "hook_deliveries", { where: isOldPush, batchSize });
  await options.storage.removeUnfinished(new Date(now - maxUploadMs));
  return { bundles, jobs };
}

/** Reads the database's clock, because the stored times come from that clock. */
async function readClock({ kysely }: Database): Promise<Date> {
  const { rows } = await sql<{ now: Date }>`select now() as now`.execute(kysely);
  const [row] = rows;
  if (!row) throw new OctavoError("internal", "The database did not return the time.");
  return row.now;
}

/**
 * Removes the references to expired bundles. The files are removed later, so that a job never refers to a missing file.
 */
async function unlinkBundles(database: Database, cutoff: Date): Promise<void> {
  await repeatInBatches(async () => {
    const { numUpdatedRows } = await database.kysely
      .updateTable("static_export_jobs")
      .set({ bundle_key: null, bundle_bytes: null })
      .where("id", "in", (eb) =>
        eb
          .selectFrom("static_export_jobs")
          .select("id")
          .where("completed_at", "<", cutoff)
          .where("bundle_key", "is not", null)
          .limit(batchSize),
      )
      .executeTakeFirstOrThrow();
    return numUpdatedRows;
  });
}

/** The maximum number of deployments that are kept per branch, so that an earlier deployment can be published again. */
const maxDeploymentsPerBranch = 10;
/** The maximum numbers of previews that are kept for one pull request, and for all pull requests of a project. */
const [maxPreviewsPerPullRequest, maxPullRequestPreviews] = [3, 300];
/**
 * The number of days for which a deployment stays available after it is no longer live, or after its pull request has
 * ended.
 */
const graceDays = 7;

/**
 * Removes the references to bundles of deployments that are no longer needed. Live deployments and the last deployments
 * of each branch are kept indefinitely. The last previews of a pull request are kept until a week after it ended, and
 * the last deployments of a version until a week after it was removed. Previews without a pull request are kept for
 * `previewDays`.
 */
async function unlinkDeployments(
  { kysely }: Database,
  now: Date,
  previewDays: number,
): Promise<void> {
  const daysAgo = (days: number) => sql`${now}::timestamptz - make_interval(days => ${days})`;
  await repeatInBatches(async () => {
    const { rows } = await sql<{ project_id: string }>`
      with ranked as (
        select id, kind, ref, project_id, ended_at, pull_request, left_at, published_at,
          row_number() over (
            partition by project_id, kind, ref, pull_request order by id desc) as place
        from deployments where status = 'ready'
      ), previews as (
        -- The newest of each pull request come first.
        select id, row_number() over (partition by project_id order by place, id desc) as preview_place
        from ranked where pull_request is not null
      ), unneeded as (
        select ranked.id from ranked
          left join previews on previews.id = ranked.id
          left join reviews pull
            on pull.project_id = ranked.project_id and pull.number = ranked.pull_request
        where not (published_at is not null and left_at is null)
          and (left_at is null or left_at < ${daysAgo(graceDays)})
          and (place > case when pull_request is null then ${maxDeploymentsPerBranch}::int else ${maxPreviewsPerPullRequest}::int end
            or preview_place > ${maxPullRequestPreviews}::int
            or (kind = 'version' and not exists (select from site_versions version
              where version.project_id = ranked.project_id and version.ref = ranked.ref))
            or (kind = 'preview' and case
            when pull.number is null then ranked.ended_at < ${daysAgo(previewDays)}
            else pull.ended_at < ${daysAgo(graceDays)} end))
        limit ${batchSize}
      )
      update deployments set status = 'removed', bundle_key = null
      from unneeded where deployments.id = unneeded.id
        -- The deployment may have been published in the meantime.
        and not (deployments.published_at is not null and deployments.left_at is null)
      returning deployments.project_id`.execute(kysely);
    const projectIds = [...new Set(rows.map(({ project_id: id }) => id))];
    if (projectIds.length > 0) {
      await sql`update sites set slug = slug where project_id in (${sql.join(projectIds)})`.execute(
        kysely,
      );
    }
    return BigInt(rows.length);
  });
}

/** Removes files to which no job refers: files of old jobs, deleted projects and cancelled jobs. */
async function removeBundles(
  { database, storage }: RetentionOptions,
  cutoff: Date,
): Promise<number> {
  let removedCount = 0;
  for (let lastKey = ""; ;) {
    const unusedBundles = await database.kysely
      .selectFrom("bundles")
      .select("key")
      .where("stored_at", "<", cutoff)
      .where("key", ">", lastKey)
      .where(isUnused)
      .orderBy("key")
      .limit(batchSize)
      .execute();
    for (const { key } of unusedBundles) {
      lastKey = key;
      // An export that is about to store the same bytes either records the bundle first or waits until the removal has
      // finished.
      if (!(await markForRemoval(database, key, cutoff))) continue;
      const file = await storage.stat(key);
      await storage.delete(key);
      if (file) removedCount++;
      // The file is removed before the row, so that after a crash here, the next run finds the row again.
      await database.kysely
        .deleteFrom("bundles")
        .where("key", "=", key)
        .where("stored_at", "=", removalMark)
        .execute();
    }
    if (unusedBundles.length < batchSize) return removedCount;
  }
}

/** Marks a bundle for removal. Returns false if it is in use again. */
async function markForRemoval(database: Database, key: string, cutoff: Date): Promise<boolean> {
  const { numUpdatedRows } = await database.kysely
    .updateTable("bundles")
    .set({ stored_at: removalMark })
    .where("key", "=", key)
    .where("stored_at", "<", cutoff)
    .where(isUnused)
    .executeTakeFirstOrThrow();
  return numUpdatedRows > 0n;
}

/** The condition that neither an export nor a deployment refers to a bundle. */
const isUnused = sql<SqlBool>`
  not exists (select from static_export_jobs where bundle_key = bundles.key)
  and not exists (select from deployments where bundle_key = bundles.key)`;

async function removeIdempotencyKeys(database: Database, cutoff: Date): Promise<void> {
  await database.kysely.deleteFrom("idempotency_keys").where("created_at", "<", cutoff).execute();
}

/**
 * Deletes the steps of agent jobs that ended before `cutoff`, and the token counts of the days before it. A job whose
 * pull request is open is kept without its steps, so that it can be continued.
 */
async function removeAgentData({ kysely }: Database, cutoff: Date): Promise<void> {
  await repeatInBatches(async () => {
    const { numAffectedRows = 0n } = await sql`
      delete from agent_events where job_id in (
        select id from agent_jobs where ended_at < ${cutoff}
          and exists (select from agent_events where job_id = agent_jobs.id)
        limit ${batchSize}
      )`.execute(kysely);
    return numAffectedRows;
  });
  const day = cutoff.toISOString().slice(0, 10);
  await kysely.deleteFrom("agent_tokens").where("day", "<", new Date(day)).execute();
}

/**
 * Repeats a statement that changes few rows, so that readers do not wait long, until it changes no rows. Returns the
 * total number of changed rows.
 */
async function repeatInBatches(statement: () => Promise<bigint>): Promise<number> {
  let total = 0;
  for (;;) {
    const changedRows = await statement();
    if (changedRows === 0n) return total;
    total += Number(changedRows);
  }
}

interface Removal {
  readonly where: Expression<SqlBool>;
  /** The number of rows per statement. */
  readonly batchSize: number;
}

/** Deletes rows of a table that has an `id` column, in batches. Returns the number of deleted rows. */
async function removeRows(
  kysely: Kysely<Tables>,
  table: string,
  { where, batchSize }: Removal,
): Promise<number> {
  return await repeatInBatches(async () => {
    // The condition is checked again, because a row may have changed since it was selected.
    const { numAffectedRows = 0n } = await sql`
      delete from ${sql.table(table)} where id in (
        select id from ${sql.table(table)} where ${where} limit ${batchSize}
      ) and ${where}`.execute(kysely);
    return numAffectedRows;
  });
}
