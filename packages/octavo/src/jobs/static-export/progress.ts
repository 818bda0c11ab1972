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

/** At most four writes per second. */
const intervalMs = 250;

interface WrittenProgress {
  readonly progress: number;
  readonly page_count: number;
  readonly total_pages?: number;
}

/** Reports how far an export has come, until disposed; then nothing is written any more. */
export interface ProgressReporter extends AsyncDisposable {
  /** Writes with a delay; never throws. */
  report(percent: number, pages: number, totalPages?: number): void;
}

export function openProgress(write: (values: WrittenProgress) => Promise<void>): ProgressReporter {
  let next: WrittenProgress | undefined;
  let writing: Promise<void> | undefined;
  let lastWrite = 0;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  const schedule = () => {
    if (hasEnded || timer || writing || !next) return;
    timer = setTimeout(writeNext, Math.max(0, lastWrite + intervalMs - Date.now())).unref();
  };
  const writeNext = () => {
    timer = undefined;
    const values = next;
    if (!values) return;
    next = undefined;
    lastWrite = Date.now();
    // Progress that cannot be written is included in the next write; the job goes on.
    writing = write(values)
      .catch(() => undefined)
      .finally(() => {
        writing = undefined;
        schedule();
      });
  };
  return {
    report(progress, page_count, total_pages) {
      next = { progress, page_count, ...(total_pages !== undefined && { total_pages }) };
      schedule();
    },
    async [Symbol.asyncDispose]() {
      hasEnded = true;
      clearTimeout(timer);
      await writing;
    },
  };
}
