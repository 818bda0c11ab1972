import type { Database } from "../../db/index.ts";
import { JobChanges } from "../lifecycle/job-changes.ts";
import { hasEnded } from "./job.ts";
import type { StaticExportStatus } from "./job.ts";

export type StaticExportChanges = JobChanges<StaticExportStatus>;

export function openStaticExportChanges(database: Database): Promise<StaticExportChanges> {
  return new JobChanges<StaticExportStatus>().listen(database, "octavo_static_export");
}

/** Aborts when somebody else ends the job. */
export function openEndedSignal(
  changes: StaticExportChanges,
  jobId: string,
): { signal: AbortSignal } & Disposable {
  const controller = new AbortController();
  const following = changes.follow(jobId, (status) => {
    if (status !== undefined && hasEnded(status)) controller.abort();
  });
  return { signal: controller.signal, [Symbol.dispose]: () => following[Symbol.dispose]() };
}
