import { createHash } from "node:crypto";
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** Marks the parts of a prompt that stay the same in every call, so that the provider reads them from its cache. */
export type CacheMarks = (
  prompt: LanguageModelV4Prompt,
) => Pick<LanguageModelV4CallOptions, "prompt" | "providerOptions">;

/**
 * Sets marks for Anthropic, which caches everything up to a mark. The mark at the end, which is set for the whole
 * request, follows the conversation as it grows. The marks on the system prompt, which the tools precede, and on the
 * first message preserve the rest of the cache when the conversation after them is summarized.
 */
export const anthropicMarks: CacheMarks = (prompt) => {
  const mark = { cacheControl: { type: "ephemeral" } };
  const first = prompt.findIndex(({ role }) => role === "user");
  const marked = prompt.map((message, index) =>
    message.role === "system" || index === first
      ? { ...message, providerOptions: { anthropic: mark, ...message.providerOptions } }
      : message,
  );
  return { prompt: marked, providerOptions: { anthropic: mark } };
};

/**
 * Sets a key for OpenAI, which routes requests with the same key to the same machine and its cache. The part that these
 * requests share is the system prompt.
 */
export const openaiKey: CacheMarks = (prompt) => {
  const system = prompt.filter(({ role }) => role === "system").map(({ content }) => content);
  const key = createHash("sha256").update(JSON.stringify(system)).digest("hex").slice(0, 32);
  return { prompt, providerOptions: { openai: { promptCacheKey: `octavo-${key}` } } };
};
