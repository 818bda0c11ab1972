import type { Kysely, Selectable } from "kysely";
import type { NoteEntry, MessageEntry, TranscriptEntry } from "../../agent/index.ts";
import type { AgentJobsTable, Tables } from "../../db/index.ts";
import type { JobAnnouncer } from "../webhooks/announce.ts";
import type { AgentJobRow } from "./job.ts";
import { endedSnapshot, agentJobColumns } from "./job.ts";

type Job = Pick<Selectable<AgentJobsTable>, "id" | "revision">;

export interface TurnFailure {
  readonly error: string;
  readonly organizationId: string;
  readonly announcer: JobAnnouncer;
}

/**
 * Ends the running turn, and the job with it, in a transaction that holds the job's row. Messages that
 * wait are dropped, each with an event that says so; the next turn's model is told that nothing of this
 * one was kept.
 */
export async function failJob(
  transaction: Kysely<Tables>,
  job: Job,
  { error, organizationId, announcer }: TurnFailure,
): Promise<AgentJobRow> {
  const ended = await transaction
    .updateTable("agent_messages")
    .set({ state: "dropped" })
    .where("job_id", "=", job.id)
    .where("state", "in", ["running", "queued"])
    .returning(["turn", "text"])
    .execute();
  const [, ...waiting] = ended.toSorted((one, other) => one.turn - other.turn);
  const at = new Date().toISOString();
  const entries = [undone(at, error), ...waiting.map(({ text }) => dropped(at, text))];
  await appendEntries(transaction, job, entries);
  const row = await transaction
    .updateTable("agent_jobs")
    .set((eb) => ({
      status: "failed",
      error,
      ended_at: new Date(),
      turn_base: null,
      last_seq: job.revision + entries.length,
      // Whoever still works on the turn that ended writes nothing more, also when the next one begins.
      attempt: eb("attempt", "+", 1),
    }))
    .where("id", "=", job.id)
    .returning(agentJobColumns)
    .executeTakeFirstOrThrow();
  await announcer.turnEnded(transaction, organizationId, endedSnapshot(row, "failed"));
  return row;
}

async function appendEntries(
  transaction: Kysely<Tables>,
  { id, revision }: Job,
  entries: readonly TranscriptEntry[],
): Promise<void> {
  const rows = entries.map((entry, index) => ({
    job_id: id,
    seq: revision + index + 1,
    type: entry.type,
    entry: JSON.stringify(entry),
  }));
  await transaction.insertInto("agent_events").values(rows).execute();
}

function undone(at: string, error: string): MessageEntry {
  const text = `This turn ended without a result: ${error} Files that it changed and that are not in the pull request are as they were before it.`;
  return { type: "message", at, from: "service", text };
}

function dropped(at: string, prompt: string): NoteEntry {
  const text = "This message was dropped, because the turn before it failed or was cancelled.";
  return { type: "dropped", at, text, details: { prompt } };
}
