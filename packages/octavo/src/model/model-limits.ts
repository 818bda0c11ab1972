import type { ProviderName } from "./providers.ts";

/** Bounds of every call to a model. */
export interface ModelLimits {
  /** Asked for where the caller asks for none, and never exceeded. Reasoning counts too. */
  readonly maxOutputTokens: number;
  /** What the model can read and write in one call, for who plans a conversation; nothing is cut here. */
  readonly contextTokens: number;
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
const callLimits = {
  timeoutMs: 10 * 60_000,
  idleTimeoutMs: 3 * 60_000,
  maxAttempts: 5,
  firstWaitMs: 1_000,
  maxWaitMs: 2 * 60_000,
  maxResponseBytes: 32 * 1024 * 1024,
} as const;

type TokenLimits = Pick<ModelLimits, "maxOutputTokens" | "contextTokens">;

/** The first that fits. Older models refuse a call that asks for more than they can write. */
const tokenLimits: readonly [provider: ProviderName, model: RegExp, TokenLimits][] = [
  [
    "anthropic",
    /^claude-3-(?:opus|sonnet|haiku)/,
    { maxOutputTokens: 4_096, contextTokens: 200_000 },
  ],
  ["anthropic", /^claude-3-5/, { maxOutputTokens: 8_192, contextTokens: 200_000 }],
  ["anthropic", /./, { maxOutputTokens: 32_000, contextTokens: 200_000 }],
  ["openai", /^gpt-(?:3|4$|4-)/, { maxOutputTokens: 4_096, contextTokens: 16_000 }],
  ["openai", /^(?:chat)?gpt-4o/, { maxOutputTokens: 16_384, contextTokens: 128_000 }],
  ["openai", /./, { maxOutputTokens: 32_000, contextTokens: 200_000 }],
  ["google", /gemini-(?:1|2\.0)/, { maxOutputTokens: 8_192, contextTokens: 1_000_000 }],
  ["google", /./, { maxOutputTokens: 32_000, contextTokens: 1_000_000 }],
  // Whatever runs there: small enough for most, and the operator knows better.
  ["ollama", /./, { maxOutputTokens: 8_192, contextTokens: 32_768 }],
  ["compatible", /./, { maxOutputTokens: 8_192, contextTokens: 32_768 }],
];

/** The limits of a provider's model, with those that are given in place of ours. */
export function limitsFor(
  provider: ProviderName,
  model: string,
  given: Partial<ModelLimits>,
): ModelLimits {
  const row = tokenLimits.find(([name, form]) => name === provider && form.test(model));
  if (!row) throw new TypeError(`The provider ${provider} has no limits.`);
  return { ...callLimits, ...row[2], ...given };
}
