import { OctavoError } from "@octavo/site/core";
import type { AgentModel } from "./ask-model.ts";
import { bounds } from "./limits.ts";
import { bytesPerToken, estimateTokens } from "./token-estimate.ts";
import { describeTool } from "./tools/tool.ts";
import type { AgentTool } from "./tools/tool.ts";

/** How a model's context is shared out, in estimated tokens. */
export interface ContextBudget {
  /** For the conversation: what the system's prompt, the tools and the answer leave of the context. */
  readonly conversationTokens: number;
  /** For the results of one answer's calls, which the model must see together. */
  readonly resultTokens: number;
  /** Characters of one tool's result, so that more than one fits. */
  readonly resultLength: number;
}

/** Less than this is no conversation: an instruction, a page, and what was done before. */
const minConversation = 1_500;
const minSummaryLength = 2_000;
/** What providers add around messages and tools. */
const overheadShare = 0.02;
const resultShare = 0.6;
/** Half of the bytes that the results of an answer may take, in a text of one byte for each character. */
const resultCharactersPerToken = bytesPerToken / 2;

/** Throws `too_large` where the model's context is too small for what every request holds. */
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
      resultLength: Math.min(bounds.outputLength, fitting),
    };
  }
  const [context, needed] = [contextTokens, fixed].map((count) => count.toLocaleString("en"));
  throw new OctavoError(
    "too_large",
    `The model ${id} reads ${context} tokens at once, and the description of the site and the tools takes some ${needed} of them. Choose a model that reads more; if this one does, set OCTAVO_MODEL_CONTEXT.`,
  );
}

/** What a summary of earlier steps may take, in characters. */
export function summaryLengthFor(conversationTokens: number): number {
  return Math.max(minSummaryLength, Math.floor((conversationTokens * bytesPerToken) / 5));
}
