import { OctavoError } from "@octavo/site/core";
import type { ModelMessage } from "ai";
import type { AgentModel } from "./ask-model.ts";
import { buildConversation, toPictureMessages } from "./conversation.ts";
import { fixedLimits } from "./limits.ts";
import { describeTool, type AgentTool, type ToolResult } from "./tools/tool.ts";
import { findLastCompaction, getCurrentTurn, getTimestamp } from "./transcript.ts";
import type { CompactionEntry, ToolEntry, TranscriptEntry } from "./transcript.ts";

/**
 * The minimum number of UTF-8 bytes of JSON per token. Code takes more tokens than prose, and CJK takes about one per
 * character.
 */
export const bytesPerToken = 3;

/** The shares of a model's context, in estimated tokens. */
export interface ContextBudget {
  /** The tokens for the conversation, which is the context without the system prompt, the tools and the answer. */
  readonly conversationTokens: number;
  /** The tokens for the results of one answer's calls, which the model must see together. */
  readonly resultTokens: number;
  /** The maximum length of one tool's result in characters. It is chosen so that more than one result fits. */
  readonly resultLength: number;
}

/** The minimum size of a conversation: an instruction, a page and a summary of earlier steps. */
const minConversation = 1_500;
const minSummaryLength = 2_000;
/** The share that providers add around messages and tools. */
const overheadShare = 0.02;
const resultShare = 0.6;
/** Half of the bytes that are allowed for the results of an answer, assuming one byte per character. */
const resultCharactersPerToken = bytesPerToken / 2;

/** If a request has more than 20 pictures, Anthropic rejects any picture with a side of more than 2,000 pixels. */
const maxPictures = 20;
/** The maximum total length of pictures, in base64. Google accepts requests of 20 MB, Anthropic of 32 MB. */
const maxPicturesLength = 15_000_000;

/** The size of a conversation in a request. */
interface RequestSize {
  readonly tokens: number;
  /** The lengths in base64. */
  readonly pictures: readonly number[];
}

interface ResultContext {
  /** Whether the tool changes files. */
  readonly isChanging: boolean;
  /** The entries before the result. */
  readonly entries: readonly TranscriptEntry[];
  readonly budget: ContextBudget;
}

/** Throws `too_large` if the model's context is too small for the fixed part of every request. */
export function planContext(
  { id, limits }: Pick<AgentModel, "id" | "limits">,
  { system, tools }: { readonly system: string; readonly tools: readonly AgentTool[] },
): ContextBudget {
  const { contextTokens, maxOutputTokens } = limits;
  const fixed = estimateTokens(system) + estimateTokens(tools.map(describeTool));
  const overhead = Math.ceil(contextTokens * overheadShare);
  const conversationTokens = contextTokens - maxOutputTokens - fixed - overhead;
  if (conversationTokens >= minConversation) {
    const resultTokens = Math.floor(conversationTokens * resultShare);
    const fitting = Math.floor(resultTokens * resultCharactersPerToken);
    return {
      conversationTokens,
      resultTokens,
      resultLength: Math.min(fixedLimits.maxOutputLength, fitting),
    };
  }
  const [context, needed] = [contextTokens, fixed].map((count) => count.toLocaleString("en"));
  throw new OctavoError(
    "too_large",
    `The model ${id} has a context of ${context} tokens, and the description of the site and the tools takes about ${needed} of them. Choose a model with a larger context. If this model has one, set OCTAVO_MODEL_CONTEXT.`,
  );
}

/** Returns the maximum length of a summary of earlier steps, in characters. */
function computeSummaryLength(conversationTokens: number): number {
  return Math.max(minSummaryLength, Math.floor((conversationTokens * bytesPerToken) / 5));
}

/**
 * Returns the share of a request that a conversation fills if it may take `maxTokens`. If it is above 1, the
 * conversation does not fit.
 */
function measureConversation(messages: readonly ModelMessage[], maxTokens: number): number {
  const parts = messages.flatMap(({ content }): object[] =>
    typeof content === "string" ? [] : content,
  );
  // Every request repeats the results in all earlier ones.
  for (const part of parts) if ("type" in part && part.type === "tool-result") rememberSize(part);
  const pictures = parts.flatMap(pictureLength);
  return measureFill({ tokens: estimateTokens(messages), pictures }, maxTokens);
}

/** Returns the same share for tool results, including the pictures that are sent with them. */
function measureResults(
  results: readonly Pick<ToolEntry, "output" | "picture">[],
  maxTokens: number,
): number {
  const pictures = results.flatMap(({ picture }) => picture?.base64.length ?? []);
  return measureFill({ tokens: estimateResultTokens(results), pictures }, maxTokens);
}

function estimateResultTokens(results: readonly Pick<ToolEntry, "output" | "picture">[]): number {
  for (const { output } of results) rememberSize(output);
  return estimateTokens([results.map(({ output }) => output), toPictureMessages(results)]);
}

function measureFill({ tokens, pictures }: RequestSize, maxTokens: number): number {
  const length = pictures.reduce((sum, one) => sum + one, 0);
  return Math.max(tokens / maxTokens, pictures.length / maxPictures, length / maxPicturesLength);
}

function pictureLength(part: object): number[] {
  const isPicture = "type" in part && part.type === "file" && "data" in part;
  return isPicture && typeof part.data === "string" ? [part.data.length] : [];
}

/**
 * Replaces a result that does not fit with an error, because the model must be able to see the results of one answer
 * together. A result that does not fit is not stored, so that only results that the model has seen count as seen.
 * Reading the data again costs nothing. Results of changes are always stored.
 */
export function fitResult(
  given: ToolResult,
  { isChanging, entries, budget }: ResultContext,
): ToolResult & Pick<ToolEntry, "isDeferred"> {
  const result = withinTurn(given, entries);
  const { resultTokens } = budget;
  if (resultTokens === Infinity) return result;
  const answer = entries.findLastIndex(({ type }) => type === "model");
  const earlier = entries.slice(answer + 1).filter((entry) => entry.type === "tool");
  const isChange = isChanging && result.status === "done";
  if (isChange || measureResults([...earlier, result], resultTokens) <= 1) return result;
  const isAlone = measureResults([result], resultTokens) > 1;
  const error = isAlone
    ? `The result has about ${estimateResultTokens([result])} tokens; you can read ${resultTokens} at a time. Ask for less of it.`
    : "The result does not fit together with the other results of this answer and was omitted. Make this call again in your next answer.";
  return { output: { error }, status: "refused", ...(!isAlone && { isDeferred: true }) };
}

/**
 * Limits the pictures of a turn. They are stored with the transcript. After a turn has seen the maximum, no more are
 * sent.
 */
function withinTurn(
  { picture, ...result }: ToolResult,
  entries: readonly TranscriptEntry[],
): ToolResult {
  if (!picture) return result;
  const lengths = getCurrentTurn(entries).map((entry) =>
    entry.type === "tool" ? (entry.picture?.base64.length ?? 0) : 0,
  );
  const stored = lengths.reduce((sum, length) => sum + length, 0);
  if (stored + picture.base64.length <= fixedLimits.maxPicturesLength)
    return { ...result, picture };
  const note =
    "The picture is not shown because you have seen the maximum number of pictures for one turn.";
  return { ...result, output: { ...result.output, note } };
}

/**
 * The share of the conversation's limit that is used after a compaction. It leaves room for many steps before the next
 * compaction.
 */
const usedAfterwards = 0.4;
/**
 * Applied to the estimate after a provider has rejected a conversation, because the provider counts more tokens than we
 * do.
 */
const refusedShare = 0.7;

/**
 * Plans a compaction if the conversation has outgrown the model's context. Undefined if the conversation fits, or if
 * nothing is left to summarize, because entries that the model has not seen remain complete.
 */
export function planCompaction(
  entries: readonly TranscriptEntry[],
  { conversationTokens }: ContextBudget,
): CompactionEntry | undefined {
  if (conversationTokens === Infinity) return undefined;
  const room = roomFor(entries, conversationTokens);
  const conversation = buildConversation(entries);
  if (measureConversation(conversation, room) <= 1) return undefined;
  return compact(entries, { cause: "size", tokens: estimateTokens(conversation), room });
}

/**
 * Plans a compaction after the provider has rejected a conversation as too long. Undefined if summarizing no longer
 * helps.
 */
export function compactOversizedConversation(
  entries: readonly TranscriptEntry[],
  { conversationTokens }: ContextBudget,
): CompactionEntry | undefined {
  const tokens = estimateTokens(buildConversation(entries));
  const room = Math.floor(Math.min(roomFor(entries, conversationTokens), tokens * refusedShare));
  const answered = entries.findLastIndex(({ type }) => type === "model");
  const refusals = entries.slice(answered + 1).filter(isRefused).length;
  if (refusals >= fixedLimits.maxRejectedConversations) return undefined;
  return compact(entries, { cause: "refused", tokens, room });
}

function isRefused(entry: TranscriptEntry): entry is CompactionEntry {
  return entry.type === "compaction" && entry.cause === "refused";
}

/**
 * Returns the number of tokens that the conversation may take. After a provider has rejected a conversation, this is
 * less than planned.
 */
function roomFor(entries: readonly TranscriptEntry[], planned: number): number {
  const refused = entries.filter(isRefused).map(({ tokens }) => tokens * refusedShare);
  return Math.floor(Math.min(planned, ...refused));
}

interface Need {
  readonly cause: CompactionEntry["cause"];
  readonly tokens: number;
  readonly room: number;
}

/** Summarizes as few entries as necessary to make enough room, or all of them. */
function compact(
  entries: readonly TranscriptEntry[],
  { cause, tokens, room }: Need,
): CompactionEntry | undefined {
  const places = listCutPoints(entries);
  const fillWith = (entry: CompactionEntry) =>
    measureConversation(buildConversation([...entries, entry]), room);
  const entryAt = (place: number): CompactionEntry => ({
    type: "compaction",
    at: getTimestamp(),
    before: places[place] ?? 0,
    summaryLength: computeSummaryLength(room),
    cause,
    tokens,
  });
  let [low, high] = [0, places.length - 1];
  if (high < 0) return undefined;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (fillWith(entryAt(middle)) <= usedAfterwards) high = middle;
    else low = middle + 1;
  }
  const chosen = entryAt(low);
  if (fillWith(chosen) <= 1) return chosen;
  return { ...chosen, shortensCalls: true };
}

/**
 * Returns the positions between an answer's results and the next answer, before the entries that the model has not
 * seen.
 */
function listCutPoints(entries: readonly TranscriptEntry[]): readonly number[] {
  const last = findLastCompaction(entries);
  const unseen = entries.findLastIndex(({ type }) => type === "model");
  const indexes = entries.keys().filter((index) => {
    const isStart = entries[index]?.type === "model";
    return isStart && index > (last?.before ?? 0) && index <= unseen;
  });
  return [...indexes];
}

/** The tokens that providers count for a picture, whatever its size in bytes. */
const pictureTokens = 1_700;

/** The size of a value as JSON. */
interface JsonSize {
  readonly bytes: number;
  readonly pictures: number;
}

const knownSizes = new WeakMap<object, JsonSize>();

/**
 * Measures a value once. It must never change. Every request repeats all earlier results of tools, so estimates of
 * them would otherwise take most of a long turn.
 */
function rememberSize(value: object): void {
  if (!knownSizes.has(value)) knownSizes.set(value, measureJson(value));
}

/** Estimates the tokens that a value takes in a request. The estimate tends to be too high rather than too low. */
export function estimateTokens(value: unknown): number {
  const { bytes, pictures } = measureJson(value);
  return Math.ceil(bytes / bytesPerToken) + pictures * pictureTokens;
}

function measureJson(value: unknown): JsonSize {
  let [knownBytes, pictures] = [0, 0];
  const text = JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part !== "object" || part === null) return part;
    if (isPicture(part)) {
      pictures += 1;
      return undefined;
    }
    const known = knownSizes.get(part);
    if (!known) return part;
    knownBytes += known.bytes - "0".length;
    pictures += known.pictures;
    return 0;
  });
  return { bytes: knownBytes + Buffer.byteLength(text ?? ""), pictures };
}

/** Returns the number of UTF-8 bytes of a text in JSON, without its quotation marks. */
export function countJsonBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) - 2;
}

/** Reports whether a part of a message contains a picture's bytes. */
function isPicture(part: object): boolean {
  return "type" in part && part.type === "file";
}
