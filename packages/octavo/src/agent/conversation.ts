import type { ModelMessage, ToolCallPart, ToolResultPart } from "ai";
import { toolCallsOf } from "./transcript.ts";
import type { ModelEntry, ToolEntry, TranscriptEntry } from "./transcript.ts";

/** Characters of JSON for one token, at least: code and CJK take more tokens than prose. */
const charactersPerToken = 3;
/** What is kept of the model's context for its answer, the tools and the system's prompt. */
const usableShare = 0.7;
const left = "Left out to save space; call the tool again if you need it.";
/** Characters of JSON of a call's input that stay where the input is left out. */
const keptInput = 1_000;

/**
 * The transcript as messages for a model. Where it outgrows the context, the answers of the oldest
 * tool calls are left out, and what they were called with: it can be asked for again, and files say
 * what was done.
 */
export function conversationOf(
  entries: readonly TranscriptEntry[],
  contextTokens: number,
): ModelMessage[] {
  const sound = entries.map((entry, index) =>
    entry.type === "model" ? withSoundCalls(entry, answersAfter(entries, index)) : entry,
  );
  const omitted = omittedResults(sound, contextTokens * charactersPerToken * usableShare);
  const messages: ModelMessage[] = [];
  for (const [index, entry] of sound.entries()) {
    if (entry.type === "message") messages.push({ role: "user", content: entry.text });
    if (entry.type !== "model" || entry.content.length === 0) continue;
    const answered = answersAfter(sound, index);
    const { content } = withInputs(entry, ({ input, toolCallId }) =>
      isOmitted(answered.get(toolCallId), omitted) ? shortened(input) : input,
    );
    messages.push({ role: "assistant", content: [...content] });
    const results = resultsOf(entry, answered, omitted);
    if (results.length > 0) messages.push({ role: "tool", content: results });
  }
  return messages;
}

function isOmitted(entry: ToolEntry | undefined, omitted: ReadonlySet<ToolEntry>): boolean {
  return entry !== undefined && omitted.has(entry);
}

/**
 * Calls as providers take them back: an input that is no object they would refuse, and with it the whole
 * conversation. What no tool could take is not repeated in full.
 */
function withSoundCalls(entry: ModelEntry, answered: ReadonlyMap<string, ToolEntry>): ModelEntry {
  return withInputs(entry, ({ input, toolCallId }) => {
    const isFaulty = answered.get(toolCallId)?.status === "faulty";
    const sound = isObject(input) ? input : { unreadable: input };
    return isFaulty ? shortened(sound) : sound;
  });
}

function withInputs(entry: ModelEntry, inputOf: (call: ToolCallPart) => unknown): ModelEntry {
  const content = entry.content.map((part) =>
    part.type === "tool-call" ? { ...part, input: inputOf(part) } : part,
  );
  return { ...entry, content };
}

function isObject(input: unknown): boolean {
  return typeof input === "object" && input !== null && !Array.isArray(input);
}

function shortened(input: unknown): unknown {
  const text = JSON.stringify(input) ?? "";
  if (text.length <= keptInput) return input;
  return { leftOut: `${text.length} characters, that begin: ${text.slice(0, 200).toWellFormed()}` };
}

/** Results of one answer's calls. A call that was never answered, as its turn was cut off, says so. */
function resultsOf(
  answer: ModelEntry,
  answered: ReadonlyMap<string, ToolEntry>,
  omitted: ReadonlySet<ToolEntry>,
): ToolResultPart[] {
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
    // The input of a faulty call was left out before.
    const inputSize = entry.status === "faulty" ? 0 : (JSON.stringify(entry.input) ?? "").length;
    excess -= Math.max(inputSize - keptInput, 0);
  }
  return omitted;
}

function sizeOf(entry: TranscriptEntry): number {
  if (entry.type === "message") return entry.text.length;
  if (entry.type === "model") return JSON.stringify(entry.content).length;
  return entry.type === "tool" ? JSON.stringify(entry.output).length : 0;
}
