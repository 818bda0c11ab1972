import type { AssistantContent, ToolCallPart } from "ai";
import type { Citation, FixedSource } from "./sources/turn-source.ts";
import type { Picture, ToolOutput, ToolResult } from "./tools/tool.ts";

/**
 * An event of a job. The events so far are the only state of the loop, which can stop after any entry and continue from
 * there. Entries are JSON. A job may append its own notes in addition to those written here.
 */
export type TranscriptEntry =
  | MessageEntry
  | SourcesEntry
  | ModelEntry
  | ToolEntry
  | CompactionEntry
  | NoteEntry;

interface Entry {
  /** The time when the entry was appended, in ISO 8601. */
  readonly at: string;
}

/** A message. A turn of a job begins with a person's message and includes the service's messages to the model. */
export interface MessageEntry extends Entry {
  readonly type: "message";
  readonly from: "person" | "service";
  readonly text: string;
  /** Identifies a person's message. The same ID again continues the same turn. */
  readonly id?: string;
  /**
   * The reason for a message from the service: the change caused new errors; the base has changed and conflicts with
   * the branch; the model's reply was empty, contained a citation that was not found, cited none of the sources that
   * the model has read, claimed changes that were not made, or contained a tool call as text; new pages are not in any
   * navigation; the turn is near a limit; or a limit has ended the turn.
   */
  readonly reason?:
    | "new_errors"
    | "conflict"
    | "empty_answer"
    | "false_citations"
    | "no_citations"
    | "unmade_changes"
    | "written_call"
    | "unlisted_pages"
    | "near_limit"
    | "limit";
  /** The limit, worded for use in a sentence: `100 model replies`. */
  readonly limit?: string;
}

/** The project's source repositories for the rest of the turn. */
export interface SourcesEntry extends Entry {
  readonly type: "sources";
  readonly sources: readonly FixedSource[];
}

export interface ModelEntry extends Entry {
  readonly type: "model";
  /** `provider/model` */
  readonly model: string;
  /** Text, reasoning and tool calls, in the format of `ai`, as sent and received. */
  readonly content: Exclude<AssistantContent, string>;
  readonly finishReason: string;
  readonly usage: ReplyUsage;
}

export interface ToolEntry extends Entry {
  readonly type: "tool";
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly output: ToolOutput;
  readonly picture?: Picture;
  readonly status: ToolResult["status"];
  /** Whether the call changed files and must be replayed on a fresh checkout. */
  readonly hasChanged: boolean;
  /**
   * Whether the result did not fit together with the results of the answer's other calls, so that the model was asked
   * to repeat the call.
   */
  readonly isDeferred?: boolean;
  /** The limit that caused the call to be rejected, worded for use in a sentence. */
  readonly limit?: string;
}

/**
 * A point from which the model receives a summary of the beginning of the transcript. The summary is derived from the
 * transcript alone, so every later run sends the same summary.
 */
export interface CompactionEntry extends Entry {
  readonly type: "compaction";
  /** The number of entries at the beginning of the transcript that are summarized. */
  readonly before: number;
  /** The maximum length of the summary between two messages from people, in characters. */
  readonly summaryLength: number;
  /** `size` means that the conversation outgrew the model's context; `refused` means that the provider rejected it. */
  readonly cause: "size" | "refused";
  /** The estimated number of tokens of the conversation that was too long. */
  readonly tokens: number;
  /** Whether the long inputs of the calls in the first answer after the summary are also shortened. */
  readonly shortensCalls?: boolean;
}

/** An event that is shown to people but not to the model. */
export interface NoteEntry extends Entry {
  readonly type: "check" | "commit" | "pull_request" | "dropped";
  readonly text: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** For a check, the verified citations in the model's answer. */
  readonly citations?: readonly Citation[];
  /** For a check, the facts on changed pages that the model read in sources and did not cite. */
  readonly uncited?: readonly Citation[];
}

export interface ReplyUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The number of input tokens that the provider read from its cache; undefined if it does not report the number. */
  readonly cachedInputTokens?: number;
}

/** The usage of a job, or of one of its turns. */
export interface AgentUsage extends Required<ReplyUsage> {
  /** The number of model replies. */
  readonly steps: number;
  /** The number of times that earlier steps were summarized to fit the model's context. */
  readonly compactions: number;
}

/** A store of entries. `append` resolves once the entry will survive the end of this process. */
export interface Transcript {
  /** Returns the entries in order, including the entry that was just appended. */
  entries(): readonly TranscriptEntry[];
  append(entry: TranscriptEntry): Promise<void>;
}

/** Creates a transcript that lasts as long as the process. */
export function createMemoryTranscript(initial: readonly TranscriptEntry[] = []): Transcript {
  const entries = [...initial];
  return {
    entries: () => entries,
    append: (entry) => {
      entries.push(entry);
      return Promise.resolve();
    },
  };
}

/** Returns the current time in the format of entries. */
export function getTimestamp(): string {
  return new Date().toISOString();
}

export function sumUsage(entries: readonly TranscriptEntry[]): AgentUsage {
  let [steps, inputTokens, outputTokens, cachedInputTokens, compactions] = [0, 0, 0, 0, 0];
  for (const entry of entries) {
    if (entry.type === "compaction") compactions += 1;
    if (entry.type !== "model") continue;
    steps += 1;
    inputTokens += entry.usage.inputTokens;
    outputTokens += entry.usage.outputTokens;
    cachedInputTokens += entry.usage.cachedInputTokens ?? 0;
  }
  return { steps, inputTokens, outputTokens, cachedInputTokens, compactions };
}

/** Returns the compaction that currently applies. */
export function findLastCompaction(
  entries: readonly TranscriptEntry[],
): CompactionEntry | undefined {
  return entries.findLast((entry) => entry.type === "compaction");
}

/** Returns the entries since the last message from a person, including that message. */
export function getCurrentTurn(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const start = entries.findLastIndex(
    (entry) => entry.type === "message" && entry.from === "person",
  );
  return entries.slice(Math.max(start, 0));
}

export function listToolCalls(entry: ModelEntry): readonly ToolCallPart[] {
  return entry.content.filter((part) => part.type === "tool-call");
}

/** Returns the text of a model reply, without its reasoning. */
export function getReplyText(entry: ModelEntry): string {
  const texts = entry.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.join("").trim();
}
