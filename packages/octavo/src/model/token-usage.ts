import type { LanguageModelV4Usage } from "@ai-sdk/provider";

/** The tokens of model calls, as the provider counts them. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const zeroUsage: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** A limit on the total of input and output tokens, and the tokens used so far. */
export interface TokenBudget {
  readonly maxTokens: number;
  readonly used: TokenUsage;
  /** The remaining tokens; 0 if the last call used more than remained. */
  readonly remaining: number;
}

export interface BudgetOptions {
  /** An integer; Infinity if there is no limit. */
  readonly maxTokens: number;
  /** Earlier usage, such as the usage so far of a job that is resumed. */
  readonly used?: TokenUsage;
}

const scopes = {
  job: {
    spent: "This job has used",
    more: "To continue, create a new job with a smaller instruction.",
  },
  "project-day": {
    spent: "Today, the agent jobs of this project have used",
    more: "You can start more tomorrow (UTC), or when an operator raises the limit.",
  },
} as const;

/** Reads a provider's counts. Counts that the provider does not report are 0. */
export function readUsage(usage: LanguageModelV4Usage): TokenUsage {
  return {
    inputTokens: toCount(usage.inputTokens.total),
    outputTokens: toCount(usage.outputTokens.total),
  };
}

export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

/** Adds the tokens of failed attempts to the totals of `usage`. The detailed counts include only the reply. */
export function addEarlierUsage(
  usage: LanguageModelV4Usage,
  earlier: TokenUsage,
): LanguageModelV4Usage {
  if (earlier.inputTokens + earlier.outputTokens === 0) return usage;
  const total = addUsage(readUsage(usage), earlier);
  return {
    ...usage,
    inputTokens: { ...usage.inputTokens, total: total.inputTokens },
    outputTokens: { ...usage.outputTokens, total: total.outputTokens },
  };
}

/**
 * Returns the tokens so far that an event of a provider's stream reports, or undefined if it reports no tokens. If a
 * reply breaks off, these events are the only report, because the last part of the stream is missing. Anthropic reports
 * the input at the start, Gemini reports both counts in each event, and OpenAI reports them only at the end.
 */
export function readStreamedUsage(event: unknown): Partial<TokenUsage> | undefined {
  const message = toRecord(toRecord(event)?.["message"]);
  const anthropic = toRecord(message?.["usage"] ?? toRecord(event)?.["usage"]);
  if (anthropic && ("input_tokens" in anthropic || "output_tokens" in anthropic)) {
    return toTokenCounts(sumAnthropicInput(anthropic), anthropic["output_tokens"]);
  }
  const google = toRecord(toRecord(event)?.["usageMetadata"]);
  return google && toTokenCounts(google["promptTokenCount"], google["candidatesTokenCount"]);
}

/** Returns the input tokens of Anthropic, which counts cache reads and cache writes separately. */
function sumAnthropicInput(usage: Readonly<Record<string, unknown>>): number | undefined {
  if (usage["input_tokens"] === undefined) return undefined;
  const { input_tokens: fresh, cache_read_input_tokens: read } = usage;
  return toCount(fresh) + toCount(read) + toCount(usage["cache_creation_input_tokens"]);
}

function toTokenCounts(input: unknown, output: unknown): Partial<TokenUsage> {
  return {
    ...(input !== undefined && { inputTokens: toCount(input) }),
    ...(output !== undefined && { outputTokens: toCount(output) }),
  };
}

function toCount(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.ceil(value) : 0;
}

function toRecord(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

export function createBudget({ maxTokens, used = zeroUsage }: BudgetOptions): TokenBudget {
  return {
    maxTokens,
    used,
    remaining: Math.max(0, maxTokens - used.inputTokens - used.outputTokens),
  };
}

/** Returns the budget after a call. Check `describeSpent` before the next call. */
export function spendTokens({ maxTokens, used }: TokenBudget, usage: TokenUsage): TokenBudget {
  return createBudget({ maxTokens, used: addUsage(used, usage) });
}

export type BudgetScope = keyof typeof scopes;

/**
 * Returns a sentence, for the person who started the job, that explains why no further call may be made, or undefined
 * while there are tokens left.
 */
export function describeSpent(
  { maxTokens, used, remaining }: TokenBudget,
  scope: BudgetScope,
): string | undefined {
  if (remaining > 0) return undefined;
  const tokens = used.inputTokens + used.outputTokens;
  return `${scopes[scope].spent} ${tokens} of ${maxTokens} tokens. ${scopes[scope].more}`;
}
