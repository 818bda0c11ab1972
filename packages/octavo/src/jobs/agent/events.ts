import type { Kysely } from "kysely";
import type { Tables } from "../../db/index.ts";
import type { AgentJobSnapshot } from "./job.ts";
import { toAgentStep } from "./step.ts";
import type { AgentStep } from "./step.ts";

/** The number of steps per query. */
const stepBatchSize = 100;

/** An event that `watch` yields. Steps and jobs share one sequence of increasing IDs. */
export type AgentEvent =
  | { readonly id: number; readonly type: "step"; readonly step: AgentStep }
  | { readonly id: number; readonly type: "job"; readonly snapshot: AgentJobSnapshot };

/**
 * Yields the events after `after`, up to `snapshot`. If the job changed after the last step, the job itself comes last.
 */
export async function* readEventsUntil(
  kysely: Kysely<Tables>,
  snapshot: AgentJobSnapshot,
  after: number,
): AsyncIterable<AgentEvent> {
  let last = after;
  for (;;) {
    const rows = await kysely
      .selectFrom("agent_events")
      .select(["seq", "entry"])
      .where("job_id", "=", snapshot.job.id)
      .where("seq", ">", last)
      .where("seq", "<=", snapshot.revision)
      .orderBy("seq")
      .limit(stepBatchSize)
      .execute();
    for (const { seq, entry } of rows) {
      last = seq;
      yield { id: seq, type: "step", step: toAgentStep(seq, JSON.parse(entry)) };
    }
    if (rows.length < stepBatchSize) break;
  }
  if (snapshot.revision > last) yield { id: snapshot.revision, type: "job", snapshot };
}
