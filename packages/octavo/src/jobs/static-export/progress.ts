import type { Kysely } from "kysely";
import type { Tables } from "../../db/index.ts";

/** What an export does, in order. */
export const exportStages = ["checkout", "rendering", "packing", "storing"] as const;
export type ExportStage = (typeof exportStages)[number];

/** A line of an export's log. */
export interface ExportLogEntry {
  readonly at: string;
  /** The stage that began with it. */
  readonly stage?: ExportStage;
  readonly text: string;
}

/** How far an export has come; stored with the job, so that every node and every reload shows it. */
export interface ExportProgress {
  /** Pages that the bundle will have; 0 while that is not known. */
  readonly totalPages: number;
  /** Oldest first. */
  readonly log: readonly ExportLogEntry[];
}

/** Without a log if the job was deleted meanwhile. */
export async function readProgress(kysely: Kysely<Tables>, jobId: string): Promise<ExportProgress> {
  const row = await kysely
    .selectFrom("static_export_jobs")
    .select(["total_pages as totalPages", "log"])
    .where("id", "=", jobId)
    .executeTakeFirst();
  return row ?? { totalPages: 0, log: [] };
}
