import { sql } from "kysely";
import type { Kysely } from "kysely";
import { toPublicActor } from "../../core/index.ts";
import type { PublicActor } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import { toAgentStep } from "./step.ts";
import type { AgentStep } from "./step.ts";

/** A user's message to a job; each message is one turn. */
export interface AgentMessage {
  readonly turn: number;
  readonly text: string;
  /** `dropped` means that the message's turn failed, was cancelled, or never started. */
  readonly state: "queued" | "running" | "done" | "dropped";
  readonly at: Date;
  readonly by: PublicActor | null;
}

/**
 * The maximum number of messages shown, which is more than anyone reads. For a job with more, only the newest are
 * shown.
 */
const maxMessages = 200;
const maxPromptExcerpt = 300;

/** Returns the newest `maxMessages` messages of the job, in order. */
export async function readMessages(
  kysely: Kysely<Tables>,
  jobId: string,
): Promise<readonly AgentMessage[]> {
  const rows = await kysely
    .selectFrom("agent_messages")
    .select(["turn", "text", "state", "created_at as at", "created_by as by"])
    .where("job_id", "=", jobId)
    .orderBy("turn", "desc")
    .limit(maxMessages)
    .execute();
  return rows.toReversed().map((row) => ({ ...row, by: toPublicActor(row.by) }));
}

export async function readPrompts(
  kysely: Kysely<Tables>,
  projectId: string,
  jobIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (jobIds.length === 0) return new Map();
  const rows = await kysely
    .selectFrom("agent_messages")
    .innerJoin("agent_jobs", "agent_jobs.id", "agent_messages.job_id")
    .select(["job_id", sql<string>`left(agent_messages.text, ${maxPromptExcerpt})`.as("text")])
    .where("agent_jobs.project_id", "=", projectId)
    .where("job_id", "in", jobIds)
    .where("agent_messages.turn", "=", 1)
    .execute();
  return new Map(rows.map(({ job_id, text }) => [job_id, text]));
}

/** Returns the newest `limit` steps, in order. */
export async function readSteps(
  kysely: Kysely<Tables>,
  jobId: string,
  limit: number,
): Promise<readonly AgentStep[]> {
  const rows = await kysely
    .selectFrom("agent_events")
    .select(["seq", "entry"])
    .where("job_id", "=", jobId)
    .orderBy("seq", "desc")
    .limit(limit)
    .execute();
  return rows.toReversed().map(({ seq, entry }) => toAgentStep(seq, JSON.parse(entry)));
}
