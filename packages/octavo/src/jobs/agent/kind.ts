import { sql, type Kysely, type Selectable } from "kysely";
import { hostedRepository } from "../../core/index.ts";
import type { AgentJobsTable, Database, Tables } from "../../db/index.ts";
import { openJobChanges, type JobChanges } from "../lifecycle/job-changes.ts";
import type { ColumnChanges, JobKind } from "../lifecycle/job-kind.ts";
import type { MessageEntry, NoteEntry, TranscriptEntry } from "../../agent/index.ts";
import {
  agentJobColumns,
  toAgentJobSnapshot,
  type AgentJobRow,
  type AgentJobSnapshot,
} from "./job.ts";
import { countCall } from "./rate-limit.ts";

export interface AgentTypes {
  readonly Row: Selectable<AgentJobsTable>;
  readonly View: AgentJobRow;
  readonly Snapshot: AgentJobSnapshot;
  readonly Changes: ColumnChanges<AgentJobsTable>;
}

export const agentKind: JobKind<AgentTypes> = {
  name: "agent job",
  idKind: "agentJob",
  table: "agent_jobs",
  queue: "agent",
  channel: "octavo_agent",
  statuses: { open: ["active"], running: "active", completed: "completed" },
  endedColumn: "ended_at",
  columns: agentJobColumns,
  toSnapshot: toAgentJobSnapshot,
  audit: { started: "agent_job.created", cancelled: "agent_job.cancelled" },
  countStart: (transaction, projectId) => countCall(transaction, projectId, "jobs"),
  async onFailed(transaction, row, { error }) {
    return { turn_base: null, last_seq: await dropMessages(transaction, row, error) };
  },
  createMessage(row, status, { getRepositoryUrl }) {
    const { job } = toAgentJobSnapshot({ ...row, status });
    const { source } = job;
    const isHosted = source.repository === hostedRepository;
    const repository = isHosted ? getRepositoryUrl(row.project_id) : source.repository;
    return { event: `agent.${status}`, data: { ...job, source: { ...source, repository } } };
  },
  getMetricKind: () => "agent",
  metricSql: sql`'agent'`,
  // A person may still continue a job whose pull request is open.
  isRemovable: sql`pull_request_state is distinct from 'open'`,
  hasReadRepository: sql`job.repository = projects.repository and fork_commit is not null`,
};

export type AgentChanges = JobChanges;

export function openAgentChanges(database: Database): Promise<AgentChanges> {
  return openJobChanges(database, agentKind);
}

/**
 * Ends the running turn of a job that fails. Drops queued messages and adds an event for each. The transcript informs
 * the next turn's model that this turn's changes were discarded. Returns the number of the last event.
 */
async function dropMessages(
  transaction: Kysely<Tables>,
  { id, revision }: Pick<AgentJobRow, "id" | "revision">,
  error: string,
): Promise<number> {
  const endedMessages = await transaction
    .updateTable("agent_messages")
    .set({ state: "dropped" })
    .where("job_id", "=", id)
    .where("state", "in", ["running", "queued"])
    .returning(["turn", "text"])
    .execute();
  const [, ...queuedMessages] = endedMessages.toSorted((one, other) => one.turn - other.turn);
  const time = new Date().toISOString();
  const entries: readonly TranscriptEntry[] = [
    buildTurnFailedEntry(time, error),
    ...queuedMessages.map(({ text }) => buildDroppedEntry(time, text)),
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

function buildTurnFailedEntry(at: string, error: string): MessageEntry {
  const text = `This turn ended without a result: ${error} Changes that are not yet in the pull request were discarded.`;
  return { type: "message", at, from: "service", text };
}

function buildDroppedEntry(at: string, prompt: string): NoteEntry {
  const text = "This message was dropped because the previous turn failed or was cancelled.";
  return { type: "dropped", at, text, details: { prompt } };
}
