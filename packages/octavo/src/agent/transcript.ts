import type { AssistantContent, ToolCallPart } from "ai";
import type { ToolOutput, ToolResult } from "./tools/tool.ts";

/**
 * What happened in a job so far, and the only state of the loop: it can be ended after any entry and continues
 * from there. Entries are JSON. Besides those of this room, a job may append notes of its own.
 */
export type TranscriptEntry = MessageEntry | ModelEntry | ToolEntry | NoteEntry;

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
  /** Why the service wrote: the change caused new errors, or the model's reply was empty. */
  readonly reason?: "new_errors" | "empty_answer";
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
  readonly status: ToolResult["status"];
  /** Whether it changed files, and must be repeated on a fresh checkout. */
  readonly hasChanged: boolean;
}

/** Something that people see and the model does not. */
export interface NoteEntry extends Entry {
  readonly type: "check" | "commit" | "pull_request" | "dropped";
  readonly text: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface ReplyUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What was spent on a job or on one turn of it. */
export interface AgentUsage extends ReplyUsage {
  /** Model replies. */
  readonly steps: number;
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
  let [steps, inputTokens, outputTokens] = [0, 0, 0];
  for (const entry of entries) {
    if (entry.type !== "model") continue;
    steps += 1;
    inputTokens += entry.usage.inputTokens;
    outputTokens += entry.usage.outputTokens;
  }
  return { steps, inputTokens, outputTokens };
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
