import type { Kysely } from "kysely";
import type { NoteEntry, MessageEntry, TranscriptEntry } from "../../agent/index.ts";
import type { Tables } from "../../db/index.ts";
import type { AgentJobRow } from "./job.ts";

/**
 * Ends the running turn of a job that fails. Drops queued messages, each with an event that says so; the transcript
 * tells the next turn's model that this turn's changes were discarded. Returns the number of the last event.
 */
export async function dropMessages(
  transaction: Kysely<Tables>,
  { id, revision }: Pick<AgentJobRow, "id" | "revision">,
  error: string,
): Promise<number> {
  const ended = await transaction
    .updateTable("agent_messages")
    .set({ state: "dropped" })
    .where("job_id", "=", id)
    .where("state", "in", ["running", "queued"])
    .returning(["turn", "text"])
    .execute();
  const [, ...waiting] = ended.toSorted((one, other) => one.turn - other.turn);
  const at = new Date().toISOString();
  const entries: readonly TranscriptEntry[] = [
    turnFailedEntry(at, error),
    ...waiting.map(({ text }) => droppedMessageEntry(at, text)),
  ];
  const rows = entries.map((entry, index) => ({
    job_id: id,
    seq: revision + index + 1,
    type: entry.type,
    entry: JSON.stringify(entry),
  }));
  await transaction.insertInto("agent_events").values(rows).execute();
  return revision + entries.length;
}

function turnFailedEntry(at: string, error: string): MessageEntry {
  const text = `This turn ended without a result: ${error} Its changes that are not in the pull request were discarded.`;
  return { type: "message", at, from: "service", text };
}

function droppedMessageEntry(at: string, prompt: string): NoteEntry {
  const text = "This message was dropped because the previous turn failed or was cancelled.";
  return { type: "dropped", at, text, details: { prompt } };
}
