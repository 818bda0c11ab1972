import type { Selectable } from "kysely";
import { toPublicActor } from "../../core/index.ts";
import type { PublicActor } from "../../core/index.ts";
import type { StaticExportJobsTable } from "../../db/index.ts";

export const staticExportStatuses = ["queued", "running", "completed", "failed"] as const;
export type StaticExportStatus = (typeof staticExportStatuses)[number];

/** A static export as clients see it. Times are RFC 3339 in UTC with milliseconds. */
export interface StaticExportJob {
  readonly jobId: string;
  readonly status: StaticExportStatus;
  /** The progress in percent, from 0 to 100; 100 if and only if the job is completed. */
  readonly progress: number;
  readonly pageCount: number;
  readonly createdBy: PublicActor | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  /** Set if and only if the job failed. */
  readonly error?: string;
  /** A sentence that says what the job is waiting for. Omitted while it is not waiting. */
  readonly waitingFor?: string;
  readonly domain: string;
  /** The label that the caller chose, or else the short commit hash; null until the commit is known. */
  readonly version: string | null;
  /** The requested branch, tag or commit; null for the repository's HEAD. */
  readonly ref: string | null;
  /** The full commit hash; null until known. */
  readonly commit: string | null;
  readonly format: "tar.gz" | "zip";
}

/** A job at one point in time. `revision` changes with every change to the job. */
export interface StaticExportSnapshot {
  readonly job: StaticExportJob;
  readonly revision: number;
  readonly projectId: string;
}

/** The columns that a client may read. Excludes `paths`, which can take megabytes. */
export const exportColumns = [
  "id",
  "organization_id",
  "project_id",
  "purpose",
  "status",
  "progress",
  "page_count",
  "created_by",
  "created_at",
  "updated_at",
  "error",
  "waiting_for",
  "domain",
  "version",
  "ref",
  "commit",
  "format",
  "revision",
  "bundle_key",
  "bundle_bytes",
] as const satisfies readonly (keyof StaticExportJobsTable)[];

export type ExportRow = Pick<Selectable<StaticExportJobsTable>, (typeof exportColumns)[number]>;

export function toExportSnapshot(row: ExportRow): StaticExportSnapshot {
  const isOpen = row.status === "queued" || row.status === "running";
  const job: StaticExportJob = {
    jobId: row.id,
    status: row.status,
    progress: row.progress,
    pageCount: row.page_count,
    createdBy: toPublicActor(row.created_by),
    createdAt: row.created_at.toISOString(),
    updatedAt: row.updated_at.toISOString(),
    ...(row.error === null ? {} : { error: row.error }),
    ...(row.waiting_for !== null && isOpen && { waitingFor: row.waiting_for }),
    domain: row.domain,
    version: row.version,
    ref: row.ref,
    commit: row.commit,
    format: row.format,
  };
  return { job, revision: row.revision, projectId: row.project_id };
}
