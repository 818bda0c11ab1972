import { sql } from "kysely";
import type { Kysely } from "kysely";
import type { SourcesEntry, TranscriptEntry } from "../../agent/index.ts";
import { maxSummaryLength, shortenText, toPublicActor } from "../../core/index.ts";
import type { PublicActor } from "../../core/index.ts";
import type { Tables } from "../../db/index.ts";
import type { AgentJobSnapshot } from "./job.ts";

/** An entry of a job's transcript as clients see it. `seq` increases, with gaps. */
export type AgentStep = MessageStep | ModelStep | ToolStep | NoteStep;

interface Step {
  readonly seq: number;
  readonly at: string;
}

interface MessageStep extends Step {
  readonly type: "message";
  readonly from: "person" | "service";
  readonly text: string;
  readonly reason?: string;
  /** The turn that a person's message starts. */
  readonly turn?: number;
}

interface ModelStep extends Step {
  readonly type: "model";
  readonly model: string;
  readonly text: string;
  readonly calls: readonly { readonly tool: string; readonly input: unknown }[];
  readonly finishReason: string;
  readonly usage: { readonly inputTokens: number; readonly outputTokens: number };
}

interface ToolStep extends Step {
  readonly type: "tool";
  readonly tool: string;
  /** The input as the model wrote it, unvalidated. */
  readonly input: unknown;
  readonly output: unknown;
  readonly status: "done" | "refused" | "faulty";
}

interface NoteStep extends Step {
  readonly type: "check" | "commit" | "pull_request" | "dropped";
  readonly text: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

/**
 * The maximum length of tool inputs and outputs, in characters of JSON. Clients that follow a job do not need whole
 * pages.
 */
const maxValueLength = 4_000;
/** The maximum length of a tool's name as the model wrote it, in characters. */
const maxToolNameLength = 200;
/** The maximum number of calls that are shown for one reply. */
const maxCalls = 500;

/** Converts a transcript entry to a step, without the fields that only model providers need. */
function toAgentStep(seq: number, entry: TranscriptEntry): AgentStep {
  const { type, at } = entry;
  if (type === "message") {
    const { from, text, reason, id } = entry;
    const turn = id === undefined ? {} : { turn: Number(id) };
    const shownText = from === "person" ? text : shortenText(text, maxSummaryLength);
    return { seq, at, type, from, text: shownText, ...(reason && { reason }), ...turn };
  }
  if (type === "sources") {
    return { seq, at, type: "message", from: "service", text: formatSources(entry), reason: type };
  }
  if (type === "compaction") {
    const text = `Summarized the first ${entry.before} entries for the model, to fit its context.`;
    return { seq, at, type: "message", from: "service", text, reason: "compaction" };
  }
  if (type === "model") {
    const { model, content, finishReason, usage } = entry;
    const texts = content.flatMap((part) => (part.type === "text" ? [part.text] : []));
    const calls = content.flatMap((part) =>
      part.type === "tool-call"
        ? [{ tool: shortenToolName(part.toolName), input: truncate(part.input) }]
        : [],
    );
    const text = shortenText(texts.join("").trim(), maxSummaryLength);
    return { seq, at, type, model, text, calls: calls.slice(0, maxCalls), finishReason, usage };
  }
  if (type === "tool") {
    const { tool, input, output, status } = entry;
    const call = { tool: shortenToolName(tool), input: truncate(input), output: truncate(output) };
    return { seq, at, type, ...call, status };
  }
  const { text, citations } = entry;
  const details = citations ? { ...entry.details, citations } : entry.details;
  return { seq, at, type, text, ...(details && { details }) };
}

function formatSources({ sources }: SourcesEntry): string {
  const lines = sources.map(({ name, commit, error }) =>
    commit === null ? `${name} could not be read: ${error}` : `${name} at ${commit.slice(0, 12)}.`,
  );
  return `Sources for this turn:\n${lines.join("\n")}`;
}

function shortenToolName(name: string): string {
  return name.slice(0, maxToolNameLength).toWellFormed();
}

function truncate(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null";
  if (text.length <= maxValueLength) return value;
  return { truncated: text.slice(0, maxValueLength).toWellFormed(), characters: text.length };
}

/** A user's message to a job; each message is one turn. */
export interface AgentMessage {
  readonly turn: number;
  readonly text: string;
  /** `dropped` means that the message's turn failed, was cancelled, or never started. */
  readonly state: "queued" | "running" | "done" | "dropped";
  readonly at: Date;
  readonly by: PublicActor | null;
}

/** The maximum number of messages that are shown. For a job with more, only the newest are shown. */
const maxMessages = 200;
const maxPromptExcerptLength = 300;

/** Returns the newest `maxMessages` messages of the job, in chronological order. */
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
    .select([
      "job_id",
      sql<string>`left(agent_messages.text, ${maxPromptExcerptLength})`.as("text"),
    ])
    .where("agent_jobs.project_id", "=", projectId)
    .where("job_id", "in", jobIds)
    .where("agent_messages.turn", "=", 1)
    .execute();
  return new Map(rows.map(({ job_id, text }) => [job_id, text]));
}

/** Returns the newest `limit` steps, in chronological order. */
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

/** The number of steps per query. */
const stepBatchSize = 100;

/** An event that `watch` yields. Steps and jobs share one sequence of increasing IDs. */
export type AgentEvent =
  | { readonly id: number; readonly type: "step"; readonly step: AgentStep }
  | { readonly id: number; readonly type: "job"; readonly snapshot: AgentJobSnapshot };

/**
 * Yields the events with IDs above `afterId`, up to `snapshot`. If the job changed after the last step, the job itself
 * comes last.
 */
export async function* readEventsUntil(
  kysely: Kysely<Tables>,
  snapshot: AgentJobSnapshot,
  afterId: number,
): AsyncIterable<AgentEvent> {
  let lastId = afterId;
  for (;;) {
    const rows = await kysely
      .selectFrom("agent_events")
      .select(["seq", "entry"])
      .where("job_id", "=", snapshot.job.id)
      .where("seq", ">", lastId)
      .where("seq", "<=", snapshot.revision)
      .orderBy("seq")
      .limit(stepBatchSize)
      .execute();
    for (const { seq, entry } of rows) {
      lastId = seq;
      yield { id: seq, type: "step", step: toAgentStep(seq, JSON.parse(entry)) };
    }
    if (rows.length < stepBatchSize) break;
  }
  if (snapshot.revision > lastId) yield { id: snapshot.revision, type: "job", snapshot };
}
