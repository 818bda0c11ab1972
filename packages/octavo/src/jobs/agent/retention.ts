import type { Database } from "../../db/index.ts";
import { inBatches } from "../lifecycle/in-batches.ts";

/** Jobs per statement; small, so that no reader waits for long. */
const batchSize = 100;

/**
 * Deletes agent jobs that ended before `before`, with all their data. A job whose pull request is open loses
 * its steps but stays, so that it can be continued. Returns the number of deleted jobs.
 */
export async function removeAgentJobs({ kysely }: Database, before: Date): Promise<number> {
  const removed = await inBatches(async () => {
    const { numDeletedRows } = await kysely
      .deleteFrom("agent_jobs")
      .where("id", "in", (eb) =>
        eb
          .selectFrom("agent_jobs")
          .select("id")
          .where("ended_at", "<", before)
          .where("pull_request_state", "is distinct from", "open")
          .limit(batchSize),
      )
      // A message may have reactivated it meanwhile.
      .where("ended_at", "<", before)
      .executeTakeFirstOrThrow();
    return numDeletedRows;
  });
  await removeEvents({ kysely }, before);
  const day = before.toISOString().slice(0, 10);
  await kysely.deleteFrom("agent_tokens").where("day", "<", new Date(day)).execute();
  return removed;
}

async function removeEvents({ kysely }: Pick<Database, "kysely">, before: Date): Promise<void> {
  await inBatches(async () => {
    const { numDeletedRows } = await kysely
      .deleteFrom("agent_events")
      .where("job_id", "in", (eb) =>
        eb
          .selectFrom("agent_jobs")
          .select("id")
          .where("ended_at", "<", before)
          .where((where) =>
            where.exists(
              where
                .selectFrom("agent_events")
                .select("seq")
                .whereRef("agent_events.job_id", "=", "agent_jobs.id"),
            ),
          )
          .limit(batchSize),
      )
      .executeTakeFirstOrThrow();
    return numDeletedRows;
  });
}
