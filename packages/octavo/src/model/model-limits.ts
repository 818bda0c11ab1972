import type { ProviderName } from "./providers.ts";

/** The limits of every call to a model. */
export interface ModelLimits extends TokenLimits {
  /** The time limit of the whole call, including all attempts and the waits between them. */
  readonly timeoutMs: number;
  /** The maximum time without a byte from the provider. */
  readonly idleTimeoutMs: number;
  readonly maxAttempts: number;
  /** The wait before the second attempt, unless the provider specifies one. It doubles with each attempt. */
  readonly firstWaitMs: number;
  /** The maximum total of all waits between attempts. If a provider asks for a longer wait, the call fails. */
  readonly maxWaitMs: number;
  readonly maxResponseBytes: number;
}

/**
 * - A reasoning model whose provider sends no keep-alives may be silent for up to 3 minutes.
 * - 128,000 tokens streamed by OpenAI, about 250 bytes per piece of text, are 32 MB.
 */
export const callLimits = {
  timeoutMs: 10 * 60_000,
  idleTimeoutMs: 3 * 60_000,
  maxAttempts: 5,
  firstWaitMs: 1_000,
  maxWaitMs: 2 * 60_000,
  maxResponseBytes: 32 * 1024 * 1024,
} as const;

/**
 * The maximum number of requested output tokens. A longer answer would not be finished within the time limit of a call.
 */
const maxAskedOutput = 32_000;
/** The maximum context that is used without a setting, because each step of a job sends the conversation again. */
const maxPlannedContext = 200_000;
/** The limits of unknown models: a size that most self-hosted servers can read. */
const unknown: TokenLimits = { contextTokens: 32_768, maxOutputTokens: 8_192 };

/** Limits of a model from one source. A server may report only some of them. */
export type FoundLimits = { readonly [Name in keyof TokenLimits]?: number | undefined };

interface TokenLimitSources {
  readonly provider: ProviderName;
  /** The name without the provider. */
  readonly model: string;
  /** The operator's settings; they override all other sources. */
  readonly given: FoundLimits;
  /** Called only if neither the operator nor the table defines the context. */
  readonly askServer: () => Promise<FoundLimits>;
}

export interface ResolvedTokenLimits extends TokenLimits {
  /** The source of the context size. */
  readonly source: "setting" | "table" | "server" | "default";
}

export interface TokenLimits {
  /** The maximum that is requested if the caller requests none, and that is never exceeded. Includes reasoning. */
  readonly maxOutputTokens: number;
  /**
   * The number of tokens that the model can read and write in one call, for planning a conversation. Not enforced here.
   */
  readonly contextTokens: number;
}

type Row = readonly [model: RegExp, contextTokens: number, maxOutputTokens: number];

/**
 * The context and maximum output of models, as published by their providers. The first matching row applies. For a
 * model without a row, the provider's server is queried.
 *
 * - Anthropic: https://platform.claude.com/docs/models/overview and the pages of the older models below it.
 * - OpenAI: https://platform.openai.com/docs/models and the page of each model below it.
 * - Google: https://ai.google.dev/gemini-api/docs/models and the page of each model below it.
 */
const published: Readonly<Partial<Record<ProviderName, readonly Row[]>>> = {
  anthropic: [
    [/^claude-(?:fable|opus|sonnet)-5/, 1_000_000, 128_000],
    [/^claude-(?:opus-4-[678]|sonnet-4-6)/, 1_000_000, 128_000],
    [/^claude-(?:opus|sonnet|haiku)-4-5/, 200_000, 64_000],
    [/^claude-(?:sonnet-4-(?:0|2025)|3-7-sonnet)/, 200_000, 64_000],
    [/^claude-opus-4-(?:0|1|2025)/, 200_000, 32_000],
    [/^claude-3-5-/, 200_000, 8_192],
    [/^claude-3-/, 200_000, 4_096],
  ],
  openai: [
    [/^gpt-5(?:\.\d+)?-chat/, 128_000, 16_384],
    [/^gpt-5\.[45](?:-pro)?(?:-2026|$)/, 1_050_000, 128_000],
    [/^gpt-5(?:\.[0-5])?(?:-|$)/, 400_000, 128_000],
    [/^gpt-4\.1/, 1_047_576, 32_768],
    [/^(?:chat)?gpt-4o/, 128_000, 16_384],
    [/^gpt-4-(?:turbo|1106|0125)/, 128_000, 4_096],
    [/^gpt-4(?:-0|$)/, 8_192, 4_096],
    [/^gpt-3\.5-turbo/, 16_385, 4_096],
    [/^(?:o1(?:-2024|-pro|$)|o3|o4-mini)/, 200_000, 100_000],
  ],
  google: [
    [/^gemini-(?:2\.5|3)/, 1_048_576, 65_536],
    [/^gemini-(?:1\.5|2\.0)/, 1_048_576, 8_192],
  ],
};

/**
 * Resolves a model's limits. The operator's settings come first, then the providers' published values, then those of
 * the server, then a size that most models have.
 */
export async function resolveTokenLimits({
  provider,
  model,
  given,
  askServer,
}: TokenLimitSources): Promise<ResolvedTokenLimits> {
  const known = findKnownLimits(provider, model);
  const isAsked = !known && given.contextTokens === undefined;
  const found = known ?? (isAsked ? await askServer() : {});
  const context =
    given.contextTokens ??
    Math.min(found.contextTokens ?? unknown.contextTokens, maxPlannedContext);
  return {
    contextTokens: context,
    maxOutputTokens: given.maxOutputTokens ?? outputFor(context, found),
    source: getLimitSource(given, { known, found }),
  };
}

/** Returns at most a quarter of the context, because the rest is for the input. */
function outputFor(contextTokens: number, { maxOutputTokens }: FoundLimits): number {
  const asked = Math.min(maxOutputTokens ?? maxAskedOutput, maxAskedOutput);
  return Math.min(asked, Math.floor(contextTokens / 4));
}

function getLimitSource(
  given: FoundLimits,
  { known, found }: { readonly known: TokenLimits | undefined; readonly found: FoundLimits },
): ResolvedTokenLimits["source"] {
  if (given.contextTokens !== undefined) return "setting";
  if (known) return "table";
  return found.contextTokens === undefined ? "default" : "server";
}

/** Finds a model's limits in the table; undefined for a model that the table does not contain. */
function findKnownLimits(provider: ProviderName, model: string): TokenLimits | undefined {
  const row = published[provider]?.find(([form]) => form.test(model));
  return row && { contextTokens: row[1], maxOutputTokens: row[2] };
}
