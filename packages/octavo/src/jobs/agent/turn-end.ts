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
 * Ends the running turn, and the job with it, in a transaction that has locked the job's row. Drops queued
 * messages, each with an event that says so; the transcript tells the next turn's model that this turn's changes
 * were discarded.
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
  const entries = [
    turnFailedEntry(at, error),
    ...waiting.map(({ text }) => droppedMessageEntry(at, text)),
  ];
  await appendEntries(transaction, job, entries);
  const row = await transaction
    .updateTable("agent_jobs")
    .set((eb) => ({
      status: "failed",
      error,
      ended_at: new Date(),
      turn_base: null,
      last_seq: job.revision + entries.length,
      // A worker that still runs the ended turn must write nothing more, even after the next turn starts.
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

function turnFailedEntry(at: string, error: string): MessageEntry {
  const text = `This turn ended without a result: ${error} Its changes that are not in the pull request were discarded.`;
  return { type: "message", at, from: "service", text };
}

function droppedMessageEntry(at: string, prompt: string): NoteEntry {
  const text = "This message was dropped, because the previous turn failed or was cancelled.";
  return { type: "dropped", at, text, details: { prompt } };
}
