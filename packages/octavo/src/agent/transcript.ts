import type { AssistantContent, ToolCallPart } from "ai";
import type { Citation } from "./citations/citation.ts";
import type { FixedSource } from "./sources/turn-source.ts";
import type { Picture, ToolOutput, ToolResult } from "./tools/tool.ts";

/**
 * What happened in a job so far, and the only state of the loop: it can be ended after any entry and continues
 * from there. Entries are JSON. Besides those of this room, a job may append notes of its own.
 */
export type TranscriptEntry =
  | MessageEntry
  | SourcesEntry
  | ModelEntry
  | ToolEntry
  | CompactionEntry
  | NoteEntry;

interface Entry {
  /** When it was appended, ISO 8601. */
  readonly at: string;
}

/** A turn of a job begins with a person's message; the service's messages to the model are part of it. */
export interface MessageEntry extends Entry {
  readonly type: "message";
  readonly from: "person" | "service";
  readonly text: string;
  /** Identifies a person's message: the same one given again is the same turn. */
  readonly id?: string;
  /**
   * Why the service wrote: the change caused new errors, the base has moved and conflicts with the branch, the model's
   * reply was empty, it cites what does not stand there or nothing of what it has read in sources, the turn comes near
   * a limit, or a limit has ended it.
   */
  readonly reason?:
    | "new_errors"
    | "conflict"
    | "empty_answer"
    | "false_citations"
    | "no_citations"
    | "near_limit"
    | "limit";
  /** Which limit, as in a sentence: `100 answers of the model`. */
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
  /** In the format of `ai`, in both directions: text, reasoning, tool calls. */
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
  /** Whether it changed files, and must be repeated on a fresh checkout. */
  readonly hasChanged: boolean;
  /** Its result did not fit beside those of the answer's other calls, and the model was told to call it again. */
  readonly isDeferred?: boolean;
  /** The limit, as in a sentence, because of which it was refused. */
  readonly limit?: string;
}

/**
 * From here on the model is told of the beginning of the transcript by a summary. Everything that makes up the
 * summary is in the transcript, so that whoever goes on from it tells the model the same.
 */
export interface CompactionEntry extends Entry {
  readonly type: "compaction";
  /** How many entries at the beginning are summarised. */
  readonly before: number;
  /** In characters, for each stretch between messages of people. */
  readonly summaryLength: number;
  /** `size`: the conversation outgrew the model's context; `refused`: the provider said so. */
  readonly cause: "size" | "refused";
  /** Estimated tokens of the conversation that was too long. */
  readonly tokens: number;
  /** The texts that the first answer after the summary handed to tools are shortened too. */
  readonly shortensCalls?: boolean;
}

/** Something that people see and the model does not. */
export interface NoteEntry extends Entry {
  readonly type: "check" | "commit" | "pull_request" | "dropped";
  readonly text: string;
  readonly details?: Readonly<Record<string, unknown>>;
  /** Of a check: what the model's answer cites of sources, looked up. */
  readonly citations?: readonly Citation[];
}

export interface ReplyUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Those of the input that the provider read from its cache, as far as it tells. */
  readonly cachedInputTokens?: number;
}

/** What was spent on a job or on one turn of it. */
export interface AgentUsage extends Required<ReplyUsage> {
  /** Model replies. */
  readonly steps: number;
  /** How often earlier steps were summarised to fit the model's context. */
  readonly compactions: number;
}

/** Stores entries. `append` resolves when the entry will survive the end of this process. */
export interface Transcript {
  /** In order, including what was just appended. */
  entries(): readonly TranscriptEntry[];
  append(entry: TranscriptEntry): Promise<void>;
}

/** A transcript for as long as the process lives. */
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
export function now(): string {
  return new Date().toISOString();
}

export function usageOf(entries: readonly TranscriptEntry[]): AgentUsage {
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

/** The one that holds now. */
export function lastCompaction(entries: readonly TranscriptEntry[]): CompactionEntry | undefined {
  return entries.findLast((entry) => entry.type === "compaction");
}

/** The entries since the last message of a person, that message included. */
export function currentTurn(entries: readonly TranscriptEntry[]): readonly TranscriptEntry[] {
  const start = entries.findLastIndex(
    (entry) => entry.type === "message" && entry.from === "person",
  );
  return entries.slice(Math.max(start, 0));
}

export function toolCallsOf(entry: ModelEntry): readonly ToolCallPart[] {
  return entry.content.filter((part) => part.type === "tool-call");
}

/** The text of a model reply, without its reasoning. */
export function replyText(entry: ModelEntry): string {
  const texts = entry.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.join("").trim();
}
