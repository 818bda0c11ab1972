import type { LanguageModelV4Usage } from "@ai-sdk/provider";

/** What calls have cost, in tokens as the provider counts them. */
export interface TokenUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
}

export const noUsage: TokenUsage = { inputTokens: 0, outputTokens: 0 };

/** What a provider does not tell counts as nothing. */
export function readUsage(usage: LanguageModelV4Usage): TokenUsage {
  return {
    inputTokens: count(usage.inputTokens.total),
    outputTokens: count(usage.outputTokens.total),
  };
}

export function addUsage(one: TokenUsage, other: TokenUsage): TokenUsage {
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
}

/** `usage` with the tokens of failed attempts in its totals; the finer counts stay those of the answer. */
export function withEarlierUsage(
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
 * What one event of a stream, as the provider sent it, says of the tokens so far; undefined where it says nothing.
 * Only with these events are the tokens of an answer known that breaks off: the stream's last part does not come then.
 * Anthropic tells the input at the start, Gemini both in each event, OpenAI only at the end.
 */
export function readStreamedUsage(event: unknown): Partial<TokenUsage> | undefined {
  const message = record(record(event)?.["message"]);
  const anthropic = record(message?.["usage"] ?? record(event)?.["usage"]);
  if (anthropic && ("input_tokens" in anthropic || "output_tokens" in anthropic)) {
    return countsOf(anthropicInput(anthropic), anthropic["output_tokens"]);
  }
  const google = record(record(event)?.["usageMetadata"]);
  return google && countsOf(google["promptTokenCount"], google["candidatesTokenCount"]);
}

/** Anthropic counts what it read from its cache, and wrote to it, apart. */
function anthropicInput(usage: Readonly<Record<string, unknown>>): number | undefined {
  if (usage["input_tokens"] === undefined) return undefined;
  const { input_tokens: fresh, cache_read_input_tokens: read } = usage;
  return count(fresh) + count(read) + count(usage["cache_creation_input_tokens"]);
}

function countsOf(input: unknown, output: unknown): Partial<TokenUsage> {
  return {
    ...(input !== undefined && { inputTokens: count(input) }),
    ...(output !== undefined && { outputTokens: count(output) }),
  };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.ceil(value) : 0;
}

function record(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === "object" && value !== null
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}
