import { sql } from "kysely";
import type { Kysely, SelectQueryBuilder } from "kysely";
import { OctavoError, readRemoteOrigins } from "@octavo/site/core";
import type { AddressForm } from "@octavo/site/core";
import { isId, newId } from "../../core/index.ts";
import type { OrganizationPlan, Quotas, SpaceWatch } from "../../core/index.ts";
import type { Metrics } from "../../telemetry/index.ts";
import { recordEvent, toColumn } from "../../projects/index.ts";
import type { ActingScope } from "../../projects/index.ts";
import { transact } from "../../db/index.ts";
import type { Database, Param, OrganizationsTable, Tables } from "../../db/index.ts";
import { ChangeLatch } from "../lifecycle/job-changes.ts";
import type { JobQueue } from "../queue/queue.ts";
import { checkBundles, checkOpenJobs, countExportStart } from "../lifecycle/quotas.ts";
import type { JobAnnouncer } from "../webhooks/announce.ts";
import type { StaticExportChanges } from "./changes.ts";
import { hasEnded, hasWebhookEvents, exportColumns, exportOf } from "./job.ts";
import { readProgress } from "./progress.ts";
import type { ExportProgress } from "./progress.ts";
import type { ExportRow, StaticExportSnapshot, StaticExportStatus } from "./job.ts";

/** Who an operation is for. Jobs of other organisations do not exist for it. */
export interface ExportCaller extends ActingScope {
  /** Set if the key is limited to one project. */
  readonly projectId: string | null;
}

export interface StartStaticExport {
  /** Host name of one of the caller's projects. */
  readonly domain: string;
  /** 1 to 100 characters. */
  readonly version?: string | undefined;
  /** 1 to 10,000 pages, as in the navigation; all when absent. */
  readonly paths?: readonly string[] | undefined;
  /** Hosts that pages may ask, as people write them; the project's when absent. */
  readonly remoteScripts?: readonly string[] | undefined;
  /** Whether pages are files or folders; `file` when absent. */
  readonly addresses?: AddressForm | undefined;
  /** Branch, tag or commit; the project's own when absent. */
  readonly ref?: string | undefined;
  readonly format?: "tar.gz" | "zip" | undefined;
}

export interface ListStaticExports {
  readonly domain?: string | undefined;
  readonly status?: StaticExportStatus | undefined;
  /** 1 to 100. */
  readonly limit: number;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
}

export interface StaticExportPage {
  readonly jobs: readonly StaticExportSnapshot[];
  readonly nextCursor: string | null;
}

/** A completed export's bundle in the storage. */
export interface StoredBundle {
  readonly jobId: string;
  readonly key: string;
  readonly bytes: number;
  readonly format: "tar.gz" | "zip";
  /** For the file name of the download. */
  readonly domain: string;
  readonly version: string;
}

export interface StaticExports {
  /**
   * Writes the job and enqueues it, in the transaction `handle` if one is given. Throws
   * `invalid_input` for a domain that is not the caller's and for what is no host, `forbidden` below the plan enterprise, `rate_limited` where
   * a quota is reached, and `unavailable` while disk space is short.
   */
  start(
    caller: ExportCaller,
    input: StartStaticExport,
    handle?: Kysely<Tables>,
  ): Promise<StaticExportSnapshot>;
  /** Throws `not_found`. */
  get(caller: ExportCaller, jobId: string): Promise<StaticExportSnapshot>;
  /** How far it has come, and what it did. Throws `not_found`. */
  progress(caller: ExportCaller, jobId: string): Promise<ExportProgress>;
  /** Newest first, without previews. Throws `invalid_input` for an invalid cursor. */
  list(caller: ExportCaller, filter: ListStaticExports): Promise<StaticExportPage>;
  /** The newest export of a project's branch, whoever started it; undefined if there is none. */
  findNewest(
    caller: ExportCaller & { readonly projectId: string },
    ref: string,
  ): Promise<StaticExportSnapshot | undefined>;
  /** Throws `not_found`, and `conflict` if the job has ended. */
  cancel(caller: ExportCaller, jobId: string): Promise<StaticExportSnapshot>;
  /** Throws `not_found`, `conflict` while there is no bundle, and `gone` after retention removed it. */
  bundle(caller: ExportCaller, jobId: string): Promise<StoredBundle>;
  /** The job now and after each change, up to its end. Ends without an error when aborted. */
  watch(
    caller: ExportCaller,
    jobId: string,
    signal: AbortSignal,
  ): AsyncIterable<StaticExportSnapshot>;
}

export interface StaticExportsOptions {
  readonly database: Database;
  readonly queue: JobQueue;
  readonly changes: StaticExportChanges;
  readonly announcer: JobAnnouncer;
  /** While space is short, no work is accepted. */
  readonly space: SpaceWatch;
  readonly metrics: Pick<Metrics, "jobEntered">;
  readonly quotas: Quotas;
}

/** The operations on static exports, for authenticated callers. */
export function createStaticExports(options: StaticExportsOptions): StaticExports {
  const { database, changes, announcer, metrics } = options;
  const { kysely } = database;

  const read = prepareRead(database);

  const find = async (caller: ExportCaller, jobId: string): Promise<ExportRow> => {
    const [row] = isId("staticExport", jobId) ? await read(caller, jobId) : [];
    if (row) return row;
    throw new OctavoError("not_found", `There is no static export ${JSON.stringify(jobId)}.`);
  };

  return {
    start(caller, input, handle) {
      const run = (tx: Kysely<Tables>) => startExport(options, { tx, caller, input });
      return handle ? run(handle) : transact(kysely, run);
    },

    async get(caller, jobId) {
      return exportOf(await find(caller, jobId));
    },

    progress: async (caller, jobId) => readProgress(kysely, (await find(caller, jobId)).id),

    async list(caller, { domain, status, limit, cursor }) {
      let query = selectVisible(kysely, caller)
        // A literal: with a parameter the database could not use the indexes that exclude previews.
        .where("purpose", "=", sql.lit("export"))
        .orderBy("id", "desc")
        .limit(limit + 1);
      if (domain !== undefined) query = query.where("domain", "=", domain.toLowerCase());
      if (status !== undefined) query = query.where("status", "=", status);
      if (cursor !== undefined) query = query.where("id", "<", parseCursor(cursor));
      const rows = await query.execute();
      const jobs = rows.slice(0, limit).map(exportOf);
      const last = rows.length > limit ? jobs.at(-1) : undefined;
      return { jobs, nextCursor: last?.job.jobId ?? null };
    },

    async findNewest({ organizationId, projectId }, ref) {
      const row = await selectNewest(kysely, projectId, ref)
        .where("organization_id", "=", organizationId)
        .executeTakeFirst();
      return row && exportOf(row);
    },

    async cancel(caller, jobId) {
      const found = await find(caller, jobId);
      const cancelled = await transact(kysely, (transaction) =>
        cancelExport(transaction, announcer, { caller, jobId: found.id }),
      );
      if (cancelled) {
        metrics.jobEntered({ kind: "static_export", state: "cancelled" });
        return cancelled;
      }
      const { status } = await find(caller, jobId);
      throw new OctavoError("conflict", `The export has already ended: it is ${status}.`);
    },

    async bundle(caller, jobId) {
      return bundleOf(await find(caller, jobId));
    },

    async *watch(caller, jobId, signal) {
      const latch = new ChangeLatch();
      using _ = changes.follow(jobId, () => latch.set());
      for (let revision = -1; !signal.aborted; await latch.next(signal)) {
        const snapshot = exportOf(await find(caller, jobId));
        if (snapshot.revision === revision) continue;
        revision = snapshot.revision;
        yield snapshot;
        if (hasEnded(snapshot.job.status)) return;
      }
    },
  };
}

/** The newest export of a branch that contains the whole site, whoever started it. */
export function selectNewest(
  kysely: Kysely<Tables>,
  projectId: string,
  ref: string,
): SelectQueryBuilder<Tables, "static_export_jobs", ExportRow> {
  return kysely
    .selectFrom("static_export_jobs")
    .select(exportColumns)
    .where("project_id", "=", projectId)
    .where("ref", "=", ref)
    .where("paths", "is", null)
    .orderBy("id", "desc")
    .limit(1);
}

interface JobKey {
  readonly organizationId: string;
  readonly jobId: string;
}

/** Prepared, because clients poll it. */
function prepareRead({ kysely, prepare }: Database) {
  const readOne = (given: Param<JobKey>) =>
    kysely
      .selectFrom("static_export_jobs")
      .select(exportColumns)
      .where("organization_id", "=", given("organizationId"))
      .where("id", "=", given("jobId"));
  const ofOrganization = prepare(readOne);
  const ofProject = prepare((given: Param<JobKey & { readonly projectId: string }>) =>
    readOne(given).where("project_id", "=", given("projectId")),
  );
  return ({ organizationId, projectId }: ExportCaller, jobId: string) =>
    projectId === null
      ? ofOrganization({ organizationId, jobId })
      : ofProject({ organizationId, projectId, jobId });
}

function selectVisible(
  kysely: Kysely<Tables>,
  caller: ExportCaller,
): SelectQueryBuilder<Tables, "static_export_jobs", ExportRow> {
  const query = kysely
    .selectFrom("static_export_jobs")
    .select(exportColumns)
    .where("organization_id", "=", caller.organizationId);
  return caller.projectId === null ? query : query.where("project_id", "=", caller.projectId);
}

function parseCursor(cursor: string): string {
  if (isId("staticExport", cursor)) return cursor;
  throw new OctavoError(
    "invalid_input",
    "`cursor` is not from this list; leave it out to start at the newest.",
  );
}

interface StartRequest {
  readonly tx: Kysely<Tables>;
  readonly caller: ExportCaller;
  readonly input: StartStaticExport;
}

async function startExport(
  { queue, space, quotas }: StaticExportsOptions,
  { tx, caller, input }: StartRequest,
): Promise<StaticExportSnapshot> {
  const remoteScripts = input.remoteScripts && readRemoteOrigins(input.remoteScripts);
  const project = await findProject(tx, caller, input.domain);
  space.shortage.throwIfAborted();
  const row = await tx
    .insertInto("static_export_jobs")
    .values({
      id: newId("staticExport"),
      organization_id: caller.organizationId,
      project_id: project.id,
      domain: project.domain,
      version: input.version ?? null,
      ref: input.ref ?? project.ref,
      commit: null,
      format: input.format ?? "tar.gz",
      paths: input.paths ? JSON.stringify(input.paths) : null,
      addresses: input.addresses ?? null,
      remote_scripts: remoteScripts ? JSON.stringify(remoteScripts) : null,
      status: "queued",
      created_by: toColumn(caller.actor),
    })
    .returning(exportColumns)
    .executeTakeFirstOrThrow();
  const { organizationId } = caller;
  const scope = { organizationId, plan: project.plan, quotas };
  await checkOpenJobs(tx, scope);
  await checkBundles(tx, scope);
  await countExportStart(tx, scope);
  const owner = { organizationId, projectId: project.id };
  await queue.enqueue(tx, "static-export", row.id, { owner });
  await recordEvent(tx, caller, eventOf("started", row));
  return exportOf(row);
}

function eventOf(act: "started" | "cancelled", row: ExportRow) {
  const target = { id: row.id, name: row.domain };
  return { action: `export.${act}`, target, projectId: row.project_id } as const;
}

/** Undefined if it has already ended. */
async function cancelExport(
  transaction: Kysely<Tables>,
  announcer: JobAnnouncer,
  { caller, jobId }: { readonly caller: ExportCaller; readonly jobId: string },
): Promise<StaticExportSnapshot | undefined> {
  const row = await transaction
    .updateTable("static_export_jobs")
    .set({ status: "failed", error: "Cancelled by request.", completed_at: sql`now()` })
    .where("id", "=", jobId)
    .where("status", "in", ["queued", "running"])
    .returning([...exportColumns, "purpose", "organization_id"])
    .executeTakeFirst();
  if (!row) return undefined;
  await recordEvent(transaction, caller, eventOf("cancelled", row));
  const snapshot = exportOf(row);
  if (hasWebhookEvents(row.purpose)) {
    await announcer.exportEnded(transaction, row.organization_id, snapshot);
  }
  return snapshot;
}

async function findProject(
  tx: Kysely<Tables>,
  caller: ExportCaller,
  domain: string,
): Promise<{ id: string; domain: string; ref: string | null; plan: OrganizationPlan }> {
  const project = await tx
    .selectFrom("projects")
    .innerJoin("organizations", "organizations.id", "projects.organization_id")
    .select(["projects.id", "projects.domain", "projects.ref", "organizations.plan"])
    .where("projects.domain", "=", domain.toLowerCase())
    .where("projects.organization_id", "=", caller.organizationId)
    .executeTakeFirst();
  if (!project || (caller.projectId !== null && caller.projectId !== project.id)) {
    throw new OctavoError(
      "invalid_input",
      `\`domain\`: there is no project with the domain ${JSON.stringify(domain)} that this key may export.`,
    );
  }
  if (!canExport(project.plan)) {
    throw new OctavoError(
      "forbidden",
      `Static export requires the plan enterprise; this organisation has the plan ${project.plan}.`,
    );
  }
  return project;
}

/** Whether an organisation with this plan can export its sites. */
export function canExport(plan: OrganizationsTable["plan"]): boolean {
  return plan === "enterprise";
}

function bundleOf(row: ExportRow): StoredBundle {
  if (row.status === "failed") {
    throw new OctavoError("conflict", `The export has no bundle, because it failed: ${row.error}`);
  }
  if (row.status !== "completed") {
    throw new OctavoError(
      "conflict",
      `The export is ${row.status}; request its bundle when it is completed.`,
    );
  }
  if (row.bundle_key === null || row.bundle_bytes === null) {
    throw new OctavoError(
      "gone",
      "The bundle was removed after its retention time; start the export again.",
    );
  }
  return {
    jobId: row.id,
    key: row.bundle_key,
    bytes: row.bundle_bytes,
    format: row.format,
    domain: row.domain,
    version: row.version ?? row.id,
  };
}
