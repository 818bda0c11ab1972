import type { ModelMessage, ToolResultPart } from "ai";
import { toolCallsOf } from "./transcript.ts";
import type { ModelEntry, ToolEntry, TranscriptEntry } from "./transcript.ts";

/** Characters of JSON for one token, at least: code and CJK take more tokens than prose. */
const charactersPerToken = 3;
/** What is kept of the model's context for its answer, the tools and the system's prompt. */
const usableShare = 0.7;
const left = "Left out to save space; call the tool again if you need it.";

/**
 * The transcript as messages for a model. Where it outgrows the context, the answers of the oldest
 * tool calls are left out: what they held can be asked for again, and files say what was done.
 */
export function conversationOf(
  entries: readonly TranscriptEntry[],
  contextTokens: number,
): ModelMessage[] {
  const omitted = omittedResults(entries, contextTokens * charactersPerToken * usableShare);
  const messages: ModelMessage[] = [];
  for (const [index, entry] of entries.entries()) {
    if (entry.type === "message") messages.push({ role: "user", content: entry.text });
    if (entry.type !== "model" || entry.content.length === 0) continue;
    messages.push({ role: "assistant", content: [...entry.content] });
    const results = resultsOf(entries, index, omitted);
    if (results.length > 0) messages.push({ role: "tool", content: results });
  }
  return messages;
}

/** Results of one answer's calls. A call that was never answered, as its turn was cut off, says so. */
function resultsOf(
  entries: readonly TranscriptEntry[],
  index: number,
  omitted: ReadonlySet<ToolEntry>,
): ToolResultPart[] {
  const answer = entries[index] as ModelEntry;
  const answered = answersAfter(entries, index);
  const seen = new Set<string>();
  return toolCallsOf(answer).flatMap(({ toolCallId, toolName }): ToolResultPart[] => {
    if (seen.has(toolCallId)) return [];
    seen.add(toolCallId);
    const entry = answered.get(toolCallId);
    const value =
      entry && !omitted.has(entry)
        ? entry.output
        : { error: entry ? left : "This was not done: the turn ended." };
    // It went through JSON when it was kept.
    const output = { type: "json", value: JSON.parse(JSON.stringify(value)) } as const;
    return [{ type: "tool-result", toolCallId, toolName, output }];
  });
}

/** The tool entries between an answer and the next, by the call they belong to. */
export function answersAfter(
  entries: readonly TranscriptEntry[],
  index: number,
): ReadonlyMap<string, ToolEntry> {
  const answered = new Map<string, ToolEntry>();
  for (const entry of entries.slice(index + 1)) {
    if (entry.type === "model") break;
    if (entry.type === "tool") answered.set(entry.callId, entry);
  }
  return answered;
}

function omittedResults(entries: readonly TranscriptEntry[], budget: number): Set<ToolEntry> {
  const sizes = entries.map((entry) => sizeOf(entry));
  let excess = sizes.reduce((sum, size) => sum + size, 0) - budget;
  const omitted = new Set<ToolEntry>();
  for (const [index, entry] of entries.entries()) {
    if (excess <= 0) break;
    if (entry.type !== "tool") continue;
    omitted.add(entry);
    excess -= Math.max((sizes[index] ?? 0) - left.length, 0);
  }
  return omitted;
}

function sizeOf(entry: TranscriptEntry): number {
  if (entry.type === "message") return entry.text.length;
  if (entry.type === "model") return JSON.stringify(entry.content).length;
  return entry.type === "tool" ? JSON.stringify(entry.output).length : 0;
}
