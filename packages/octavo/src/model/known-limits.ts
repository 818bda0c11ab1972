import type { ProviderName } from "./providers.ts";

export interface TokenLimits {
  /** Asked for where the caller asks for none, and never exceeded. Reasoning counts too. */
  readonly maxOutputTokens: number;
  /** What the model can read and write in one call, for who plans a conversation; nothing is cut here. */
  readonly contextTokens: number;
}

type Row = readonly [model: RegExp, contextTokens: number, maxOutputTokens: number];

/**
 * Context and longest answer of models, as their providers publish them; the first row that fits holds. A model
 * that is in no row is asked for at its provider.
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

/** Undefined for a model that is not in the table. */
export function knownTokenLimits(provider: ProviderName, model: string): TokenLimits | undefined {
  const row = published[provider]?.find(([form]) => form.test(model));
  return row && { contextTokens: row[1], maxOutputTokens: row[2] };
}
