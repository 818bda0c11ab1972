import { sql } from "kysely";
import type { Expression, Kysely, SqlBool } from "kysely";
import { maxSummaryLength, shortenText } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import type { JobAnnouncer } from "../webhooks/announce.ts";
import type { JobKind, JobTypes } from "./job-kind.ts";
import { isOpen, selectJobs, updateJob, buildJobUpdate } from "./job-table.ts";

export interface JobFailure {
  readonly jobId: string;
  /** A sentence for the people who view the job. */
  readonly error: string;
  /** Whether a person, or an event outside the job's work, ended the job. Defaults to false. */
  readonly isCancelled?: boolean;
  readonly announcer: JobAnnouncer;
  /** An additional condition for failing the job. The job must also not have ended. */
  readonly where?: Expression<SqlBool> | undefined;
}

/**
 * Fails a job that has not ended and announces its end, in the caller's transaction. Jobs fail only through this
 * function, both when their work fails and when a person cancels them. A worker that still runs the job loses it.
 * Returns undefined if the job has ended, was deleted, or does not match `where`.
 */
export async function failJob<T extends JobTypes>(
  kind: JobKind<T>,
  transaction: Kysely<Tables>,
  { jobId, error: sentence, isCancelled = false, announcer, where = sql`true` }: JobFailure,
): Promise<T["View"] | undefined> {
  const row = await selectJobs(transaction, kind)
    .where("job.id", "=", jobId)
    .where(isOpen(kind))
    .where(where)
    .forNoKeyUpdate()
    .executeTakeFirst();
  if (!row) return undefined;
  // Some of these sentences quote a model or a repository, and may therefore be long.
  const error = shortenText(sentence, maxSummaryLength);
  const changes = {
    ...(await kind.onFailed?.(transaction, row, { error, isCancelled })),
    status: "failed",
    error,
    [kind.endedColumn]: sql`now()`,
  };
  const failed = await updateJob(
    transaction,
    kind,
    buildJobUpdate(kind, changes, sql`id = ${jobId}`),
  );
  if (failed) await announcer.announceEnd(kind, transaction, { row: failed, status: "failed" });
  return failed;
}
