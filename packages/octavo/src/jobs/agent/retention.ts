import { sql } from "kysely";
import type { Database } from "../../db/index.ts";
import { repeatInBatches } from "../lifecycle/in-batches.ts";

/** The number of jobs per statement. Small, so that readers do not wait long. */
const batchSize = 100;

/**
 * Deletes the steps of agent jobs that ended before `before`, and the token counts of earlier days. A job whose pull
 * request is open is kept without its steps, so that it can be continued.
 */
export async function removeAgentData({ kysely }: Database, before: Date): Promise<void> {
  await repeatInBatches(async () => {
    const { numAffectedRows = 0n } = await sql`
      delete from agent_events where job_id in (
        select id from agent_jobs where ended_at < ${before}
          and exists (select from agent_events where job_id = agent_jobs.id)
        limit ${batchSize}
      )`.execute(kysely);
    return numAffectedRows;
  });
  const day = before.toISOString().slice(0, 10);
  await kysely.deleteFrom("agent_tokens").where("day", "<", new Date(day)).execute();
}
