import type { ProviderName } from "./providers.ts";

const web = ["image/png", "image/jpeg", "image/webp"];

/**
 * The first that fits. Servers of one's own refuse a picture that their model cannot see, and few of them tell:
 * there the name of a model has to say that it can.
 */
const pictureTypes: readonly [provider: ProviderName, model: RegExp, types: readonly string[]][] = [
  ["anthropic", /^claude-(?:2|instant)/, []],
  ["anthropic", /./, [...web, "image/gif"]],
  ["openai", /^(?:gpt-(?:3|4$|4-0)|o1-mini|o3-mini)/, []],
  ["openai", /./, [...web, "image/gif"]],
  ["google", /./, web],
  [
    "ollama",
    /llava|vision|[-_.\d]vl\b|vl[:-]|gemma-?3|pixtral|llama-?4|minicpm-v|moondream|mistral-small3/i,
    ["image/png", "image/jpeg"],
  ],
  [
    "compatible",
    /llava|vision|[-_.\d]vl\b|vl[:-]|gemma-?3|pixtral|llama-?4|gpt-4o|gpt-4\.1|gpt-5|claude|gemini/i,
    ["image/png", "image/jpeg"],
  ],
];

/** Media types of the pictures that a provider's model can be shown; none for a model that reads text alone. */
export function pictureTypesOf(provider: ProviderName, model: string): readonly string[] {
  return pictureTypes.find(([name, form]) => name === provider && form.test(model))?.[2] ?? [];
}
