import { createTimeoutSignal } from "@octavo/site/core";
import { z } from "zod";
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
const maxRequestedOutputTokens = 32_000;
/** The maximum context that is used without a setting, because each step of a job sends the conversation again. */
const maxDefaultContextTokens = 200_000;
/** The limits of unknown models: a size that most self-hosted servers support. */
const unknownModelLimits: TokenLimits = { contextTokens: 32_768, maxOutputTokens: 8_192 };

/** Limits of a model from one source. A server may report only some of them. */
type PartialLimits = { readonly [Name in keyof TokenLimits]?: number | undefined };

interface TokenLimitSources {
  readonly provider: ProviderName;
  /** The name without the provider. */
  readonly model: string;
  /** The operator's settings; they override all other sources. */
  readonly configured: PartialLimits;
  /** Queries the server for its limits. Called only if neither the operator nor the table defines the context. */
  readonly queryServer: () => Promise<PartialLimits>;
}

export interface ResolvedTokenLimits extends TokenLimits {
  /** The source of the context size. */
  readonly source: "setting" | "table" | "server" | "default";
}

export interface TokenLimits {
  /**
   * The maximum number of tokens of a reply, including reasoning. A call that specifies a higher number, or no number,
   * uses this maximum.
   */
  readonly maxOutputTokens: number;
  /**
   * The number of tokens that the model can read and write in one call, for planning a conversation. Not enforced here.
   */
  readonly contextTokens: number;
}

type LimitRow = readonly [model: RegExp, contextTokens: number, maxOutputTokens: number];

/**
 * The context and maximum output of models, as published by their providers. The first matching row applies. For a
 * model without a row, the provider's server is queried.
 *
 * - Anthropic: https://platform.claude.com/docs/models/overview and the pages of the older models below it.
 * - OpenAI: https://platform.openai.com/docs/models and the page of each model below it.
 * - Google: https://ai.google.dev/gemini-api/docs/models and the page of each model below it.
 */
const publishedLimits: Readonly<Partial<Record<ProviderName, readonly LimitRow[]>>> = {
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
 * Resolves a model's limits. The operator's settings come first, then the providers' published values, then the
 * server's values, then a size that most models have.
 */
export async function resolveTokenLimits({
  provider,
  model,
  configured,
  queryServer,
}: TokenLimitSources): Promise<ResolvedTokenLimits> {
  const published = findKnownLimits(provider, model);
  const shouldQuery = !published && configured.contextTokens === undefined;
  const found = published ?? (shouldQuery ? await queryServer() : {});
  const context =
    configured.contextTokens ??
    Math.min(found.contextTokens ?? unknownModelLimits.contextTokens, maxDefaultContextTokens);
  return {
    contextTokens: context,
    maxOutputTokens: configured.maxOutputTokens ?? computeOutputLimit(context, found),
    source: getLimitSource(configured, { published, found }),
  };
}

/** Returns at most a quarter of the context, because the input needs the remaining tokens. */
function computeOutputLimit(contextTokens: number, { maxOutputTokens }: PartialLimits): number {
  const requested = Math.min(maxOutputTokens ?? maxRequestedOutputTokens, maxRequestedOutputTokens);
  return Math.min(requested, Math.floor(contextTokens / 4));
}

function getLimitSource(
  configured: PartialLimits,
  {
    published,
    found,
  }: { readonly published: TokenLimits | undefined; readonly found: PartialLimits },
): ResolvedTokenLimits["source"] {
  if (configured.contextTokens !== undefined) return "setting";
  if (published) return "table";
  return found.contextTokens === undefined ? "default" : "server";
}

/** Finds a model's limits in the table. Returns undefined for a model that the table does not contain. */
function findKnownLimits(provider: ProviderName, model: string): TokenLimits | undefined {
  const row = publishedLimits[provider]?.find(([pattern]) => pattern.test(model));
  return row && { contextTokens: row[1], maxOutputTokens: row[2] };
}

interface LimitRequest {
  readonly provider: ProviderName;
  readonly model: string;
  /** The key; empty if the server does not need one. */
  readonly key: string;
  /** The address of the provider's API, without a trailing slash. */
  readonly baseUrl: string;
  /** Creates a `fetch` for an address and all paths below it. */
  readonly createFetch: (baseUrl: string) => typeof globalThis.fetch;
  /** Ends the query. The limits are then treated as not reported. */
  readonly signal?: AbortSignal | undefined;
}

/** The time limit for the query. The model is opened even without a result, so a slow server is not waited for. */
const queryTimeoutMs = 5_000;

/**
 * Queries the server for the numbers of tokens that a model can read and write in one call. The result is empty if the
 * server does not report them. Failures are ignored, because the first call to the model reports them.
 */
export async function fetchServerLimits(request: LimitRequest): Promise<PartialLimits> {
  try {
    return await limitQueries[request.provider](request);
  } catch {
    return {};
  }
}

const limitQueries: Readonly<
  Record<ProviderName, (request: LimitRequest) => Promise<PartialLimits>>
> = {
  // The provider's list of models does not include limits.
  openai: () => Promise.resolve({}),
  anthropic: async (request) => readLimits(await readJson(request, `/models/${request.model}`)),
  google: async (request) => readLimits(await readJson(request, `/models/${request.model}`)),
  ollama: queryOllama,
  compatible: queryCompatibleServer,
};

const tokenCount = z.number().int().positive().optional().catch(undefined);

/**
 * The servers' names for the two numbers. The first field that is present applies. The size with which a model is
 * loaded comes before the maximum size.
 *
 * - Anthropic: `max_input_tokens`, `max_tokens`; Google: `inputTokenLimit`, `outputTokenLimit`
 * - vLLM: `max_model_len`; OpenRouter: `context_length`, `top_provider`; Groq: `context_window`
 * - LM Studio: `loaded_context_length`, `max_context_length`; llama.cpp: `meta.n_ctx`
 */
const contextFields = [
  "max_input_tokens",
  "inputTokenLimit",
  "max_model_len",
  "context_window",
  "loaded_context_length",
  "top_provider.context_length",
  "context_length",
  "max_context_length",
  "meta.n_ctx",
];
const outputFields = [
  "max_tokens",
  "outputTokenLimit",
  "max_completion_tokens",
  "top_provider.max_completion_tokens",
];

function readLimits(model: unknown): PartialLimits {
  return {
    contextTokens: findFirstCount(model, contextFields),
    maxOutputTokens: findFirstCount(model, outputFields),
  };
}

function findFirstCount(model: unknown, fields: readonly string[]): number | undefined {
  const counts = fields.map((field) => tokenCount.parse(getField(model, field.split("."))));
  return counts.find((count) => count !== undefined);
}

function getField(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== "object" || value === null) return undefined;
  return getField((value as Readonly<Record<string, unknown>>)[name], rest);
}

const ModelList = z.object({ data: z.array(z.looseObject({ id: z.string() })) });

async function queryCompatibleServer(request: LimitRequest): Promise<PartialLimits> {
  const listedLimits = readLimits(await findListedModel(request, request.baseUrl, "/models"));
  if (listedLimits.contextTokens !== undefined) return listedLimits;
  // LM Studio reports the limits in its own API.
  return readLimits(
    await findListedModel(request, stripVersionPath(request.baseUrl), "/api/v0/models"),
  );
}

async function findListedModel(request: LimitRequest, baseUrl: string, path: string) {
  const list = ModelList.safeParse(await readJson({ ...request, baseUrl }, path));
  return list.data?.data.find(({ id }) => id === request.model);
}

const OllamaModel = z.object({
  /** Lines of the form `name value`. */
  parameters: z.string().optional(),
  model_info: z.record(z.string(), z.unknown()).optional(),
});
const RunningModels = z.object({
  models: z.array(z.object({ name: z.string(), context_length: tokenCount })),
});
/** Ollama's default context for a model on a machine with enough memory. */
const ollamaContextTokens = 32_768;

/**
 * Queries Ollama for the context with which a model is loaded, because Ollama silently truncates longer input. Returns
 * the size from the Modelfile if it sets one, or the current size if the model is running. For other models, returns
 * the size with which the model was trained, but at most `ollamaContextTokens`, because most models are loaded with a
 * smaller context.
 */
async function queryOllama(request: LimitRequest): Promise<PartialLimits> {
  const root = { ...request, baseUrl: stripVersionPath(request.baseUrl) };
  const body = JSON.stringify({ model: request.model });
  const described = OllamaModel.parse(await readJson(root, "/api/show", { method: "POST", body }));
  const configured = /^\s*num_ctx\s+(\d{1,9})\s*$/m.exec(described.parameters ?? "")?.[1];
  if (configured !== undefined) return { contextTokens: Number(configured) };
  const loaded = await readLoadedContext(root);
  if (loaded !== undefined) return { contextTokens: loaded };
  const info = Object.entries(described.model_info ?? {});
  const trained = tokenCount.parse(info.find(([name]) => name.endsWith(".context_length"))?.[1]);
  return {
    contextTokens: trained === undefined ? undefined : Math.min(trained, ollamaContextTokens),
  };
}

async function readLoadedContext(root: LimitRequest): Promise<number | undefined> {
  const running = RunningModels.safeParse(await readJson(root, "/api/ps")).data?.models ?? [];
  const names = [root.model, `${root.model}:latest`];
  return running.find(({ name }) => names.includes(name))?.context_length;
}

/** Converts `https://host/v1` to `https://host`. */
function stripVersionPath(baseUrl: string): string {
  return baseUrl.replace(/\/v\d+$/, "");
}

/**
 * Reads a JSON response. Returns undefined if the server responds with an error status. Throws for a response that is
 * not JSON.
 */
async function readJson(
  { provider, baseUrl, createFetch, key, signal: callerSignal }: LimitRequest,
  path: string,
  init: { readonly method?: string; readonly body?: string } = {},
): Promise<unknown> {
  const login = key === "" ? {} : buildLoginHeaders(provider, key);
  const headers = { "content-type": "application/json", ...login };
  const timeout = createTimeoutSignal(queryTimeoutMs);
  const signal = callerSignal === undefined ? timeout : AbortSignal.any([callerSignal, timeout]);
  const response = await createFetch(baseUrl)(`${baseUrl}${path}`, { ...init, headers, signal });
  if (response.ok) return await response.json();
  await response.body?.cancel();
  return undefined;
}

function buildLoginHeaders(provider: ProviderName, key: string): Readonly<Record<string, string>> {
  if (provider === "anthropic") return { "x-api-key": key, "anthropic-version": "2023-06-01" };
  if (provider === "google") return { "x-goog-api-key": key };
  return { authorization: `Bearer ${key}` };
}
