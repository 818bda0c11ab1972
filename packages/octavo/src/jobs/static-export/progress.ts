/** The stages of an export, in order. */
export const exportStages = ["checkout", "rendering", "packing", "storing"] as const;
export type ExportStage = (typeof exportStages)[number];

/** An entry in an export's log. */
export interface ExportLogEntry {
  readonly at: string;
  /** The stage that began with this entry. */
  readonly stage?: ExportStage;
  readonly text: string;
}

/** The progress of an export. Stored with the job, so that every node can show it, even after a page reload. */
export interface ExportProgress {
  /** The number of pages in the bundle; 0 while unknown. */
  readonly totalPages: number;
  /** The log, with the oldest entry first. */
  readonly log: readonly ExportLogEntry[];
}

/** The minimum interval between writes: at most four per second. */
const minWriteIntervalMs = 250;

interface WrittenProgress {
  readonly progress: number;
  readonly page_count: number;
  readonly total_pages?: number;
}

/** Reports the progress of an export until it is disposed of. After that, nothing more is written. */
export interface ProgressReporter extends AsyncDisposable {
  /** Schedules a write of the progress. Never throws. */
  report(percent: number, pages: number, totalPages?: number): void;
}

export function openProgress(write: (values: WrittenProgress) => Promise<void>): ProgressReporter {
  let next: WrittenProgress | undefined;
  let currentWrite: Promise<void> | undefined;
  let lastWrite = 0;
  let timer: NodeJS.Timeout | undefined;
  let hasEnded = false;

  const schedule = () => {
    if (hasEnded || timer || currentWrite || !next) return;
    timer = setTimeout(writeNext, Math.max(0, lastWrite + minWriteIntervalMs - Date.now())).unref();
  };
  const writeNext = () => {
    timer = undefined;
    const values = next;
    if (!values) return;
    next = undefined;
    lastWrite = Date.now();
    // A failed write is not retried: the next report supersedes it. The job continues.
    currentWrite = write(values)
      .catch(() => undefined)
      .finally(() => {
        currentWrite = undefined;
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
      await currentWrite;
    },
  };
}
