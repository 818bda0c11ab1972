import { OctavoError } from "@octavo/site/core";
import type { ModelMessage } from "ai";
import type { AgentModel } from "./ask-model.ts";
import { fixedLimits } from "./limits.ts";
import { bytesPerToken, estimateTokens, rememberSize } from "./token-estimate.ts";
import { describeTool } from "./tools/tool.ts";
import type { AgentTool, ToolResult } from "./tools/tool.ts";
import { toPictureMessages } from "./conversation.ts";
import { getCurrentTurn } from "./transcript.ts";
import type { ToolEntry, TranscriptEntry } from "./transcript.ts";

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
export function computeSummaryLength(conversationTokens: number): number {
  return Math.max(minSummaryLength, Math.floor((conversationTokens * bytesPerToken) / 5));
}

/**
 * Returns the share of a request that a conversation fills if it may take `maxTokens`. If it is above 1, the
 * conversation does not fit.
 */
export function measureConversation(messages: readonly ModelMessage[], maxTokens: number): number {
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
