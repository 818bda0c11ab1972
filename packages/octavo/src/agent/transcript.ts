import type { AssistantContent, ToolCallPart } from "ai";
import type { ToolOutput, ToolResult } from "./tools/tool.ts";

/**
 * What happened in a job so far, and all that the loop knows: it can be ended after any entry and goes
 * on from there. Entries are JSON. Beside those of this room, a job may append notes of its own.
 */
export type TranscriptEntry = MessageEntry | ModelEntry | ToolEntry | NoteEntry;

interface Entry {
  /** When it was appended, ISO 8601. */
  readonly at: string;
}

/** A turn of a job begins with the message of a person; the service answers in it as well. */
export interface MessageEntry extends Entry {
  readonly type: "message";
  readonly from: "person" | "service";
  readonly text: string;
  /** Of a person's message: the same one handed in again is the same turn. */
  readonly id?: string;
  /** Of a service's message: a change that brought errors was given back, or an answer was no answer. */
  readonly reason?: "new_errors" | "empty_answer";
}

export interface ModelEntry extends Entry {
  readonly type: "model";
  /** `provider/model` */
  readonly model: string;
  /** As `ai` gives it and takes it back: text, reasoning, tool calls. */
  readonly content: Exclude<AssistantContent, string>;
  readonly finishReason: string;
  readonly usage: TokenUsage;
}

export interface ToolEntry extends Entry {
  readonly type: "tool";
  readonly callId: string;
  readonly tool: string;
  readonly input: unknown;
  readonly output: ToolOutput;
  readonly status: ToolResult["status"];
  /** Whether it changed files, and has to be done again on a fresh checkout. */
  readonly hasChanged: boolean;
}

/** Something that people see and the model does not. */
export interface NoteEntry extends Entry {
  readonly type: "check" | "commit" | "pull_request" | "dropped";
  readonly text: string;
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** What was spent on a job or on one turn of it. */
export interface AgentUsage extends TokenUsage {
  /** Answers of the model. */
  readonly steps: number;
}

/** Where entries are kept. `append` resolves when the entry would survive the end of this process. */
export interface Transcript {
  /** In order; what was appended is there at once. */
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

/** The present time, as entries hold it. */
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

/** What the model said, its reasoning left out. */
export function textOf(entry: ModelEntry): string {
  const texts = entry.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.join("").trim();
}
