import type {
  LanguageModelV4,
  SharedV4ProviderOptions,
  LanguageModelV4CallOptions,
  LanguageModelV4Prompt,
} from "@ai-sdk/provider";
import { createHash } from "node:crypto";

/** Marks the part of a prompt that stays the same in every call, so that the provider reads it from its cache. */
type MarkForCache = (
  prompt: LanguageModelV4Prompt,
) => Pick<LanguageModelV4CallOptions, "prompt" | "providerOptions">;

/**
 * Sets marks for Anthropic, which caches everything up to a mark. The mark at the end, which is set for the whole
 * request, follows the conversation as it grows. The marks on the system prompt, which the tools precede, and on the
 * first message preserve their part of the cache when the conversation after them is summarized.
 */
const setAnthropicCacheMarks: MarkForCache = (prompt) => {
  const mark = { cacheControl: { type: "ephemeral" } };
  const firstUserIndex = prompt.findIndex(({ role }) => role === "user");
  const marked = prompt.map((message, index) =>
    message.role === "system" || index === firstUserIndex
      ? { ...message, providerOptions: { anthropic: mark, ...message.providerOptions } }
      : message,
  );
  return { prompt: marked, providerOptions: { anthropic: mark } };
};

/**
 * Sets a key for OpenAI, which routes requests with the same key to the same machine and its cache. The part that these
 * requests share is the system prompt.
 */
const setOpenAiCacheKey: MarkForCache = (prompt) => {
  const system = prompt.filter(({ role }) => role === "system").map(({ content }) => content);
  const key = createHash("sha256").update(JSON.stringify(system)).digest("hex").slice(0, 32);
  return { prompt, providerOptions: { openai: { promptCacheKey: `octavo-${key}` } } };
};

export const providerNames = ["anthropic", "openai", "google", "ollama", "compatible"] as const;
export type ProviderName = (typeof providerNames)[number];

interface ProviderConnection {
  readonly model: string;
  /** The key; empty if the provider does not need one. */
  readonly key: string;
  /** The address, without a trailing slash. */
  readonly baseUrl: string;
  /** The provider's only network access. */
  readonly fetch: typeof globalThis.fetch;
}

/** A company, or a kind of server, that runs models. */
export interface Provider {
  /** The name for people. */
  readonly label: string;
  /** The names of settings, for messages. The caller of `openModel` reads and passes the values. */
  readonly keyVariable: string;
  readonly urlVariable: string;
  readonly needsKey: boolean;
  /** The default address; undefined if only the operator knows the address. */
  readonly baseUrl: string | undefined;
  /** Options that are sent with every call. The caller's options override them. */
  readonly options: SharedV4ProviderOptions;
  /** Omitted if the provider caches automatically, or does not cache at all. */
  readonly markForCache?: MarkForCache;
  /** Loads the provider's package on first use. Does not send anything. */
  connect(connection: ProviderConnection): Promise<LanguageModelV4>;
}

// The key and address are always passed, because otherwise these packages would read them from the environment.
export const providers: Readonly<Record<ProviderName, Provider>> = {
  anthropic: {
    label: "Anthropic",
    keyVariable: "ANTHROPIC_API_KEY",
    urlVariable: "ANTHROPIC_BASE_URL",
    needsKey: true,
    baseUrl: "https://api.anthropic.com/v1",
    options: {},
    // Each step of a job sends all earlier steps again. If these are read from the cache, they cost a tenth.
    markForCache: setAnthropicCacheMarks,
    async connect({ model, key, baseUrl, fetch }) {
      const { createAnthropic } = await import("./anthropic.bundled.ts");
      return createAnthropic({ apiKey: key, baseURL: baseUrl, fetch })(model);
    },
  },
  openai: {
    label: "OpenAI",
    keyVariable: "OPENAI_API_KEY",
    urlVariable: "OPENAI_BASE_URL",
    needsKey: true,
    baseUrl: "https://api.openai.com/v1",
    // By default, OpenAI stores every conversation, with the pages in it, for 30 days. Summaries of
    // the model's reasoning are not used here, and OpenAI provides them only to verified
    // organizations.
    options: { openai: { store: false, reasoningSummary: null } },
    markForCache: setOpenAiCacheKey,
    async connect({ model, key, baseUrl, fetch }) {
      const { createOpenAI } = await import("./openai.bundled.ts");
      return createOpenAI({ apiKey: key, baseURL: baseUrl, fetch }).responses(model);
    },
  },
  google: {
    label: "Google",
    keyVariable: "GOOGLE_GENERATIVE_AI_API_KEY",
    urlVariable: "GOOGLE_GENERATIVE_AI_BASE_URL",
    needsKey: true,
    baseUrl: "https://generativelanguage.googleapis.com/v1beta",
    options: {},
    async connect({ model, key, baseUrl, fetch }) {
      const { createGoogle } = await import("./google.bundled.ts");
      return createGoogle({ apiKey: key, baseURL: baseUrl, fetch })(model);
    },
  },
  ollama: {
    label: "Ollama",
    keyVariable: "OLLAMA_API_KEY",
    urlVariable: "OLLAMA_BASE_URL",
    needsKey: false,
    baseUrl: "http://127.0.0.1:11434/v1",
    options: {},
    connect: (connection) => connectCompatible("ollama", connection),
  },
  compatible: {
    label: "The model server",
    keyVariable: "OCTAVO_MODEL_KEY",
    urlVariable: "OCTAVO_MODEL_URL",
    needsKey: false,
    baseUrl: undefined,
    options: {},
    connect: (connection) => connectCompatible("compatible", connection),
  },
};

const webPictureTypes = ["image/png", "image/jpeg", "image/webp"];

/**
 * The first match applies. Self-hosted servers reject a picture that their model cannot see, and few of them report
 * whether it can. On those servers, the model's name must show it.
 */
const pictureTypes: readonly [provider: ProviderName, model: RegExp, types: readonly string[]][] = [
  ["anthropic", /^claude-(?:2|instant)/, []],
  ["anthropic", /./, [...webPictureTypes, "image/gif"]],
  ["openai", /^(?:gpt-(?:3|4$|4-0)|o1-mini|o3-mini)/, []],
  ["openai", /./, [...webPictureTypes, "image/gif"]],
  ["google", /./, webPictureTypes],
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

async function connectCompatible(
  name: ProviderName,
  { model, key, baseUrl, fetch }: ProviderConnection,
): Promise<LanguageModelV4> {
  const { createOpenAICompatible } = await import("./openai-compatible.bundled.ts");
  return createOpenAICompatible({
    name,
    baseURL: baseUrl,
    fetch,
    // A stream reports usage only on request.
    includeUsage: true,
    ...(key !== "" && { apiKey: key }),
  })(model);
}

/**
 * Returns the media types of the pictures that a provider's model accepts. The result is empty for a model that reads
 * only text.
 */
export function listPictureTypes(provider: ProviderName, model: string): readonly string[] {
  return (
    pictureTypes.find(([name, pattern]) => name === provider && pattern.test(model))?.[2] ?? []
  );
}
