import type { Database } from "../../db/index.ts";
import { inBatches } from "../in-batches.ts";

/** Jobs in one step; each is a statement of its own, so that no reader waits for long. */
const batch = 100;

/**
 * Forgets agent jobs that ended before `before`, with all that is theirs. One whose pull request is open
 * stays, so that it can be gone on with, without what happened in it. Gives how many were forgotten.
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
          .limit(batch),
      )
      // A message may have woken it meanwhile.
      .where("ended_at", "<", before)
      .executeTakeFirstOrThrow();
    return numDeletedRows;
  });
  await forgetEvents({ kysely }, before);
  const day = before.toISOString().slice(0, 10);
  await kysely.deleteFrom("agent_tokens").where("day", "<", new Date(day)).execute();
  return removed;
}

async function forgetEvents({ kysely }: Pick<Database, "kysely">, before: Date): Promise<void> {
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
          .limit(batch),
      )
      .executeTakeFirstOrThrow();
    return numDeletedRows;
  });
}
