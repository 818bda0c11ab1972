import { createHash } from "node:crypto";
import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** How a provider is told what stays the same from call to call, so that it reads that from its cache. */
export type CacheMarks = (
  prompt: LanguageModelV4Prompt,
) => Pick<LanguageModelV4CallOptions, "prompt" | "providerOptions">;

/**
 * Anthropic caches up to a mark. One at the end, which the whole request asks for, follows the conversation as it
 * grows. Those on the system's prompt, with the tools before it, and on the first message hold what is left of the
 * cache when the conversation between is summarised.
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

/** OpenAI finds the cache of requests with one key on one machine. What they share is the system's prompt. */
export const openaiKey: CacheMarks = (prompt) => {
  const system = prompt.filter(({ role }) => role === "system").map(({ content }) => content);
  const key = createHash("sha256").update(JSON.stringify(system)).digest("hex").slice(0, 32);
  return { prompt, providerOptions: { openai: { promptCacheKey: `octavo-${key}` } } };
};
