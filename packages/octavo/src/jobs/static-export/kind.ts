import { sql } from "kysely";
import type { Selectable } from "kysely";
import type { Database, StaticExportJobsTable } from "../../db/index.ts";
import { openJobChanges } from "../lifecycle/job-changes.ts";
import type { JobChanges } from "../lifecycle/job-changes.ts";
import type { ColumnChanges, JobKind } from "../lifecycle/job-kind.ts";
import { checkBundles, countExportStart } from "../lifecycle/quotas.ts";
import { exportColumns, toExportSnapshot } from "./job.ts";
import type { ExportRow, StaticExportSnapshot } from "./job.ts";
import type { ExportLogEntry } from "./progress.ts";

export interface ExportTypes {
  readonly Row: Selectable<StaticExportJobsTable>;
  readonly View: ExportRow;
  readonly Snapshot: StaticExportSnapshot;
  readonly Changes: ColumnChanges<StaticExportJobsTable>;
}

export const staticExportKind: JobKind<ExportTypes> = {
  name: "static export",
  shortName: "export",
  idKind: "staticExport",
  table: "static_export_jobs",
  queue: "static-export",
  channel: "octavo_static_export",
  statuses: { open: ["queued", "running"], running: "running", completed: "completed" },
  endedColumn: "completed_at",
  columns: exportColumns,
  toSnapshot: toExportSnapshot,
  audit: { started: "export.started", cancelled: "export.cancelled" },
  getTargetName: ({ domain }) => domain,
  async checkQuotas(transaction, scope) {
    await checkBundles(transaction, scope);
    await countExportStart(transaction, scope);
  },
  async onFailed(_transaction, _row, { error, isCancelled }) {
    return isCancelled ? {} : createLogChange({ text: `Failed: ${error}` });
  },
  createMessage(row, status) {
    // Receivers may publish every export that a webhook announces, so previews of branches under review are not
    // announced.
    if (row.purpose === "preview") return undefined;
    return { event: `static_export.${status}`, data: toExportSnapshot(row).job };
  },
  getMetricKind: ({ purpose }) => (purpose === "preview" ? "preview" : "static_export"),
  metricSql: sql`case purpose when 'preview' then 'preview' else 'static_export' end`,
  // A preview may never be opened, so jobs that people started come first.
  isUrgent: sql`purpose = 'export'`,
  isRemovable: sql`bundle_key is null`,
  hasReadRepository: sql`status = 'completed'`,
};

export type StaticExportChanges = JobChanges;

export function openStaticExportChanges(database: Database): Promise<StaticExportChanges> {
  return openJobChanges(database, staticExportKind);
}

/** The maximum number of entries in a job's log, so that the log of a job that is retried many times stays small. */
const maxLogEntries = 200;

/** Returns the change that adds an entry to the job's log. */
export function createLogChange(entry: Omit<ExportLogEntry, "at">): ExportTypes["Changes"] {
  const json = JSON.stringify([{ at: new Date().toISOString(), ...entry }]);
  return {
    log: sql`case when jsonb_array_length(log) < ${maxLogEntries} then log || ${json}::jsonb else log end`,
  };
}
