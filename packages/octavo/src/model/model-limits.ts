import { knownTokenLimits } from "./known-limits.ts";
import type { TokenLimits } from "./known-limits.ts";
import type { ProviderName } from "./providers.ts";

/** Bounds of every call to a model. */
export interface ModelLimits extends TokenLimits {
  /** The whole call, with every attempt and the waiting between them. */
  readonly timeoutMs: number;
  /** How long the provider may send no byte. */
  readonly idleTimeoutMs: number;
  readonly maxAttempts: number;
  /** Before the second attempt, where the provider asks for nothing else; it doubles from there. */
  readonly firstWaitMs: number;
  /** How long to wait between attempts, all waits together; a provider that asks for more ends the call. */
  readonly maxWaitMs: number;
  readonly maxResponseBytes: number;
}

/**
 * - A model that reasons is silent for minutes where the provider sends no sign of life: 3 of them.
 * - 128,000 tokens streamed by OpenAI, some 250 bytes for each piece of text, are 32 MB.
 */
export const callLimits = {
  timeoutMs: 10 * 60_000,
  idleTimeoutMs: 3 * 60_000,
  maxAttempts: 5,
  firstWaitMs: 1_000,
  maxWaitMs: 2 * 60_000,
  maxResponseBytes: 32 * 1024 * 1024,
} as const;

/** A longer answer would not be finished within the time of a call. */
const maxAskedOutput = 32_000;
/** Each step of a job sends the conversation again: of a larger context only this much is used, unless a setting says more. */
const maxPlannedContext = 200_000;
/** Where nobody knows: what most servers that people run themselves can read. */
const unknown: TokenLimits = { contextTokens: 32_768, maxOutputTokens: 8_192 };

/** What is known of a model, from one place; a server may tell only a part. */
export type FoundLimits = { readonly [Name in keyof TokenLimits]?: number | undefined };

export interface TokenLimitSources {
  readonly provider: ProviderName;
  /** Without its provider. */
  readonly model: string;
  /** What the operator set; holds whatever others say. */
  readonly given: FoundLimits;
  /** Asked only where neither the operator nor the table knows the context. */
  readonly askServer: () => Promise<FoundLimits>;
}

export interface ResolvedTokenLimits extends TokenLimits {
  /** Where the size of the context comes from. */
  readonly source: "setting" | "table" | "server" | "default";
}

/**
 * A model's limits: as the operator set them, else as the provider publishes them, else as the server tells, else
 * a size that most models have.
 */
export async function resolveTokenLimits({
  provider,
  model,
  given,
  askServer,
}: TokenLimitSources): Promise<ResolvedTokenLimits> {
  const known = knownTokenLimits(provider, model);
  const isAsked = !known && given.contextTokens === undefined;
  const found = known ?? (isAsked ? await askServer() : {});
  const context =
    given.contextTokens ??
    Math.min(found.contextTokens ?? unknown.contextTokens, maxPlannedContext);
  return {
    contextTokens: context,
    maxOutputTokens: given.maxOutputTokens ?? outputFor(context, found),
    source: sourceOf(given, { known, found }),
  };
}

/** Never more than a quarter of the context: the rest is for what the model reads. */
function outputFor(contextTokens: number, { maxOutputTokens }: FoundLimits): number {
  const asked = Math.min(maxOutputTokens ?? maxAskedOutput, maxAskedOutput);
  return Math.min(asked, Math.floor(contextTokens / 4));
}

function sourceOf(
  given: FoundLimits,
  { known, found }: { readonly known: TokenLimits | undefined; readonly found: FoundLimits },
): ResolvedTokenLimits["source"] {
  if (given.contextTokens !== undefined) return "setting";
  if (known) return "table";
  return found.contextTokens === undefined ? "default" : "server";
}
