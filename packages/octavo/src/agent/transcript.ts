import type { AssistantContent, ToolCallPart } from "ai";
import type { Citation } from "./citations/citation.ts";
import type { FixedSource } from "./sources/turn-source.ts";
import type { Picture, ToolOutput, ToolResult } from "./tools/tool.ts";

/**
 * The events of a job so far, and the only state of the loop: it can stop after any entry and continue from there.
 * Entries are JSON. A job may append notes of its own in addition to those written here.
 */
export type TranscriptEntry =
  | MessageEntry
  | SourcesEntry
  | ModelEntry
  | ToolEntry
  | CompactionEntry
  | NoteEntry;

interface Entry {
  /** The time when it was appended, ISO 8601. */
  readonly at: string;
}

/** A turn of a job begins with a person's message and includes the service's messages to the model. */
export interface MessageEntry extends Entry {
  readonly type: "message";
  readonly from: "person" | "service";
  readonly text: string;
  /** Identifies a person's message: the same ID again continues the same turn. */
  readonly id?: string;
  /**
   * The reason for a message from the service: the change caused new errors, the base has changed and conflicts with
   * the branch, the model's reply was empty, it has a citation that was not found or cites none of the sources that it
   * has read, the turn is near a limit, or a limit has ended it.
   */
  readonly reason?:
    | "new_errors"
    | "conflict"
    | "empty_answer"
    | "false_citations"
    | "no_citations"
    | "near_limit"
    | "limit";
  /** The limit, worded for use in a sentence: `100 answers of the model`. */
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
  /** In the format of `ai`, as sent and received: text, reasoning, tool calls. */
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
  /** Whether it changed files and must be replayed on a fresh checkout. */
  readonly hasChanged: boolean;
  /** The result did not fit with those of the answer's other calls, and the model was told to repeat the call. */
  readonly isDeferred?: boolean;
  /** The limit for which the call was refused, worded for use in a sentence. */
  readonly limit?: string;
}

/**
 * From here on, the model receives a summary of the beginning of the transcript. The summary is derived from the
 * transcript alone, so that every later run sends the same one.
 */
export interface CompactionEntry extends Entry {
  readonly type: "compaction";
  /** The number of entries at the beginning that are summarized. */
  readonly before: number;
  /** In characters, for each stretch between messages of people. */
  readonly summaryLength: number;
  /** `size`: the conversation outgrew the model's context; `refused`: the provider refused it. */
  readonly cause: "size" | "refused";
  /** Estimated tokens of the conversation that was too long. */
  readonly tokens: number;
  /** Whether the long inputs of the calls in the first answer after the summary are shortened, too. */
  readonly shortensCalls?: boolean;
}

/** An event that is shown to people but not to the model. */
export interface NoteEntry extends Entry {
  readonly type: "check" | "commit" | "pull_request" | "dropped";
  readonly text: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** For a check: the verified citations in the model's answer. */
  readonly citations?: readonly Citation[];
}

export interface ReplyUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The input tokens that the provider read from its cache; undefined if it does not report them. */
  readonly cachedInputTokens?: number;
}

/** The usage of a job, or of one of its turns. */
export interface AgentUsage extends Required<ReplyUsage> {
  /** Model replies. */
  readonly steps: number;
  /** The number of times that earlier steps were summarized to fit the model's context. */
  readonly compactions: number;
}

/** Stores entries. `append` resolves when the entry will survive the end of this process. */
export interface Transcript {
  /** In order, including the entry just appended. */
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

/** The current time in the format of entries. */
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

/** The compaction that currently applies. */
export function findLastCompaction(
  entries: readonly TranscriptEntry[],
): CompactionEntry | undefined {
  return entries.findLast((entry) => entry.type === "compaction");
}

/** The entries since the last message of a person, including that message. */
export function getCurrentTurn(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const start = entries.findLastIndex(
    (entry) => entry.type === "message" && entry.from === "person",
  );
  return entries.slice(Math.max(start, 0));
}

export function listToolCalls(entry: ModelEntry): readonly ToolCallPart[] {
  return entry.content.filter((part) => part.type === "tool-call");
}

/** The text of a model reply, without its reasoning. */
export function getReplyText(entry: ModelEntry): string {
  const texts = entry.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.join("").trim();
}
