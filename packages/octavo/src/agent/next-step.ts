import type { ToolCallPart } from "ai";
import { answersAfter } from "./conversation.ts";
import { bounds } from "./limits.ts";
import { currentTurn, lastCompaction, replyText, toolCallsOf } from "./transcript.ts";
import type { ModelEntry, ToolEntry, TranscriptEntry } from "./transcript.ts";

/** What the loop does next; the transcript alone says it. */
export type NextStep =
  | { readonly type: "ask" }
  | { readonly type: "call"; readonly call: ToolCallPart }
  /** The model gave neither a call nor a word to end with. */
  | { readonly type: "remind"; readonly text: string }
  | { readonly type: "submitted"; readonly summary: string }
  /** As in a sentence. */
  | { readonly type: "limit"; readonly limit: string }
  | { readonly type: "failed"; readonly message: string };

/** Entries after which the model has something to do. */
const movers: ReadonlySet<TranscriptEntry["type"]> = new Set(["model", "message", "compaction"]);

export function nextStep(entries: readonly TranscriptEntry[]): NextStep {
  const turn = currentTurn(entries);
  const index = turn.findLastIndex(({ type }) => movers.has(type));
  const last = turn[index];
  if (last?.type === "message" && last.reason === "limit") {
    return { type: "limit", limit: last.limit ?? "the turn" };
  }
  if (last?.type !== "model") return { type: "ask" };
  const answered = answersAfter(turn, index);
  const call = toolCallsOf(last).find(({ toolCallId }) => !answered.has(toolCallId));
  if (call) return stopOfCalls(entries) ?? { type: "call", call };
  if (answered.size > 0) return stopOfCalls(entries) ?? { type: "ask" };
  return afterText(turn, last);
}

function afterText(turn: readonly TranscriptEntry[], answer: ModelEntry): NextStep {
  const { finishReason } = answer;
  const text = replyText(answer);
  if (finishReason === "content-filter") {
    return { type: "failed", message: "The model's provider refused to answer." };
  }
  if (finishReason === "error") {
    return { type: "failed", message: text === "" ? "The model ended with an error." : text };
  }
  const isCut = finishReason === "length";
  if (text !== "" && !isCut) return { type: "submitted", summary: text };
  const reminders = turn.filter(
    (entry) => entry.type === "message" && entry.reason === "empty_answer",
  ).length;
  if (reminders >= bounds.emptyAnswers) {
    return { type: "failed", message: "The model gave no usable answer several times." };
  }
  return {
    type: "remind",
    text: isCut
      ? "Your answer was cut off at its greatest length. Go on in smaller steps: shorter texts, one file at a time."
      : "Your answer was empty. Call a tool to go on, or say in plain text what you did to end.",
  };
}

/** Whether calls lead nowhere: nothing a tool could take, or the same over and over. */
function stopOfCalls(entries: readonly TranscriptEntry[]): NextStep | undefined {
  const tools = currentTurn(entries).filter((entry) => entry.type === "tool");
  const sound = tools.findLastIndex(({ status }) => status !== "faulty");
  if (tools.length - 1 - sound >= bounds.faultyCalls) {
    return {
      type: "failed",
      message: "The model called tools in a way that none can take, several times.",
    };
  }
  const last = tools.at(-1);
  if (last && sameCalls(entries, last.tool, last.input) >= bounds.sameCallsEnd) {
    return {
      type: "failed",
      message: `The model called ${last.tool} with the same input over and over.`,
    };
  }
  return undefined;
}

/** How often the model can see this call answered since files last changed. */
export function sameCalls(
  entries: readonly TranscriptEntry[],
  tool: string,
  input: unknown,
): number {
  const shown = currentTurn(entries.slice(lastCompaction(entries)?.before ?? 0));
  const tools: ToolEntry[] = shown.filter((entry) => entry.type === "tool");
  const changed = tools.findLastIndex(({ hasChanged }) => hasChanged);
  const key = JSON.stringify(input);
  return tools
    .slice(changed + 1)
    .filter((entry) => entry.tool === tool && !entry.isDeferred)
    .filter((entry) => JSON.stringify(entry.input) === key).length;
}
