import { sql } from "kysely";
import type { Kysely, SelectQueryBuilder, SqlBool } from "kysely";
import { OctavoError, readRemoteOrigins } from "@octavo/site/core";
import type { AddressForm } from "@octavo/site/core";
import { createId, toHostName } from "../../core/index.ts";
import type { OrganizationPlan } from "../../core/index.ts";
import { requireExports, toColumn } from "../../projects/index.ts";
import { transact } from "../../db/index.ts";
import type { Tables } from "../../db/index.ts";
import { createJobStore } from "../lifecycle/job-store.ts";
import type {
  JobPage,
  JobScope,
  JobStore,
  JobStoreOptions,
  JobFilter,
} from "../lifecycle/job-store.ts";
import { exportColumns, toExportSnapshot } from "./job.ts";
import type { ExportRow, StaticExportSnapshot, StaticExportStatus } from "./job.ts";
import { staticExportKind } from "./kind.ts";
import type { ExportTypes } from "./kind.ts";
import type { ExportProgress } from "./progress.ts";

/** The caller of an operation. `projectId` is set if the API key is limited to one project. */
export type ExportCaller = JobScope;

export interface StaticExportInput {
  /** The host name of one of the caller's projects. */
  readonly domain: string;
  /** The version that labels the export: 1 to 100 characters. */
  readonly version?: string | undefined;
  /** The pages to export: 1 to 10,000 pages, written as in the navigation. Defaults to all pages. */
  readonly paths?: readonly string[] | undefined;
  /**
   * Hosts to which pages may send requests, as people write them, before normalization. Defaults to the project's
   * hosts.
   */
  readonly remoteScripts?: readonly string[] | undefined;
  /** The form of the pages' addresses. Defaults to `file`. */
  readonly addresses?: AddressForm | undefined;
  /** A branch, tag or commit. Defaults to the project's own ref. */
  readonly ref?: string | undefined;
  readonly format?: "tar.gz" | "zip" | undefined;
}

export interface StaticExportFilter extends Pick<JobFilter, "limit" | "cursor"> {
  readonly domain?: string | undefined;
  readonly status?: StaticExportStatus | undefined;
}

export type StaticExportPage = JobPage<ExportTypes>;

/** A completed export's bundle in the storage. */
export interface StoredBundle {
  readonly jobId: string;
  readonly key: string;
  readonly bytes: number;
  readonly format: "tar.gz" | "zip";
  /** The project's domain, which is part of the download's file name. */
  readonly domain: string;
  readonly version: string;
}

export interface StaticExports {
  /**
   * Stores the job and enqueues it, in the transaction of `handle` if it is set. Throws `invalid_input` for a domain
   * that does not belong to the caller and for an invalid host, `forbidden` if the plan is below enterprise,
   * `rate_limited` when a quota is reached, and `unavailable` while disk space is low.
   */
  start(
    caller: ExportCaller,
    input: StaticExportInput,
    handle?: Kysely<Tables>,
  ): Promise<StaticExportSnapshot>;
  /** Returns an export. Throws `not_found`. */
  get(caller: ExportCaller, jobId: string): Promise<StaticExportSnapshot>;
  /** Returns an export's progress and its log. Throws `not_found`. */
  readProgress(caller: ExportCaller, jobId: string): Promise<ExportProgress>;
  /** Returns a page of exports, newest first, without previews. Throws `invalid_input` for an invalid cursor. */
  list(caller: ExportCaller, filter: StaticExportFilter): Promise<StaticExportPage>;
  /**
   * Returns the newest export of a project's branch, no matter who started it. Returns undefined if the branch has no
   * export.
   */
  findNewest(
    caller: ExportCaller & { readonly projectId: string },
    ref: string,
  ): Promise<StaticExportSnapshot | undefined>;
  /** Cancels an export. Throws `not_found`, and `conflict` if the job has ended. */
  cancel(caller: ExportCaller, jobId: string): Promise<StaticExportSnapshot>;
  /**
   * Returns an export's bundle. Throws `not_found`, `conflict` while there is no bundle, and `gone` after retention has
   * removed it.
   */
  getBundle(caller: ExportCaller, jobId: string): Promise<StoredBundle>;
  /** Yields the job now and after each change until it ends. When aborted, ends without an error. */
  watch(
    caller: ExportCaller,
    jobId: string,
    signal: AbortSignal,
  ): AsyncIterable<StaticExportSnapshot>;
}

export type StaticExportsOptions = JobStoreOptions;

/** Creates the operations on static exports, for authenticated callers. */
export function createStaticExports(options: StaticExportsOptions): StaticExports {
  const { kysely } = options.database;
  const store = createJobStore(staticExportKind, options);
  return {
    start(caller, input, handle) {
      const run = (tx: Kysely<Tables>) => startExport(store, { tx, caller, input });
      return handle ? run(handle) : transact(kysely, run);
    },

    async get(caller, jobId) {
      return toExportSnapshot(await store.find(caller, jobId));
    },

    readProgress: async (caller, jobId) =>
      readProgress(kysely, (await store.find(caller, jobId)).id),

    list(caller, { domain, ...filter }) {
      return store.list(caller, {
        ...filter,
        where: [
          // A literal instead of a parameter, so that the database can use the indexes that exclude
          // previews.
          sql`purpose = 'export'`,
          ...(domain === undefined ? [] : [sql<SqlBool>`domain = ${toHostName(domain) ?? ""}`]),
        ],
      });
    },

    async findNewest({ organizationId, projectId }, ref) {
      const row = await selectNewestExport(kysely, projectId, ref)
        .where("organization_id", "=", organizationId)
        .executeTakeFirst();
      return row && toExportSnapshot(row);
    },

    cancel: (caller, jobId) => store.cancel(caller, jobId),

    async getBundle(caller, jobId) {
      return requireBundle(await store.find(caller, jobId));
    },

    watch: (caller, jobId, signal) => store.watch(caller, jobId, signal),
  };
}

/** Selects the newest export of the whole site at a branch, no matter who started it. */
export function selectNewestExport(
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

interface StartRequest {
  readonly tx: Kysely<Tables>;
  readonly caller: ExportCaller;
  readonly input: StaticExportInput;
}

async function startExport(
  store: JobStore<ExportTypes>,
  { tx, caller, input }: StartRequest,
): Promise<StaticExportSnapshot> {
  const remoteScripts = input.remoteScripts && readRemoteOrigins(input.remoteScripts);
  const project = await findProject(tx, caller, input.domain);
  return await store.start(
    tx,
    { ...caller, projectId: project.id },
    {
      plan: project.plan,
      insert: () =>
        tx
          .insertInto("static_export_jobs")
          .values({
            id: createId("staticExport"),
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
          .executeTakeFirstOrThrow(),
    },
  );
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
    .where("projects.domain", "=", toHostName(domain) ?? "")
    .where("projects.organization_id", "=", caller.organizationId)
    .executeTakeFirst();
  if (!project || (caller.projectId !== null && caller.projectId !== project.id)) {
    throw new OctavoError(
      "invalid_input",
      `\`domain\`: there is no project with the domain ${JSON.stringify(domain)} that this key may export.`,
    );
  }
  requireExports(project.plan);
  return project;
}

function requireBundle(row: ExportRow): StoredBundle {
  if (row.status === "failed") {
    throw new OctavoError("conflict", `The export failed and has no bundle: ${row.error}`);
  }
  if (row.status !== "completed") {
    throw new OctavoError(
      "conflict",
      `The export is ${row.status}. Request its bundle once it has completed.`,
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

/** Reads an export's progress. If the job has been deleted, the log is empty. */
async function readProgress(kysely: Kysely<Tables>, jobId: string): Promise<ExportProgress> {
  const row = await kysely
    .selectFrom("static_export_jobs")
    .select(["total_pages as totalPages", "log"])
    .where("id", "=", jobId)
    .executeTakeFirst();
  return row ?? { totalPages: 0, log: [] };
}
