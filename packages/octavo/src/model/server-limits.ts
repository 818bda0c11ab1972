import { createTimeoutSignal } from "@octavo/site/core";
import { z } from "zod";
import type { FoundLimits } from "./model-limits.ts";
import type { ProviderName } from "./providers.ts";

interface LimitRequest {
  readonly provider: ProviderName;
  readonly model: string;
  /** The key; empty if the server does not need one. */
  readonly key: string;
  /** The address of the provider's API, without a trailing slash. */
  readonly baseUrl: string;
  /** Creates a `fetch` for an address and all paths below it. */
  readonly fetchBelow: (baseUrl: string) => typeof globalThis.fetch;
  /** Ends the query; the limits then count as not reported. */
  readonly signal?: AbortSignal | undefined;
}

/** The time limit for the query. The model is opened in any case, so this does not wait for a slow server. */
const answerMs = 5_000;

/**
 * Queries the server for the numbers of tokens that a model can read and write in one call. Empty if the server does
 * not report them. Failures are ignored, because the first call to the model reports them.
 */
export async function fetchServerLimits(question: LimitRequest): Promise<FoundLimits> {
  try {
    return await askers[question.provider](question);
  } catch {
    return {};
  }
}

const askers: Readonly<Record<ProviderName, (question: LimitRequest) => Promise<FoundLimits>>> = {
  // The provider's list of models does not include limits.
  openai: () => Promise.resolve({}),
  anthropic: async (question) => limitsIn(await readJson(question, `/models/${question.model}`)),
  google: async (question) => limitsIn(await readJson(question, `/models/${question.model}`)),
  ollama: askOllama,
  compatible: askCompatible,
};

const tokens = z.number().int().positive().optional().catch(undefined);

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

function limitsIn(model: unknown): FoundLimits {
  return {
    contextTokens: firstCount(model, contextFields),
    maxOutputTokens: firstCount(model, outputFields),
  };
}

function firstCount(model: unknown, fields: readonly string[]): number | undefined {
  const counts = fields.map((field) => tokens.parse(fieldAt(model, field.split("."))));
  return counts.find((count) => count !== undefined);
}

function fieldAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== "object" || value === null) return undefined;
  return fieldAt((value as Readonly<Record<string, unknown>>)[name], rest);
}

const ModelList = z.object({ data: z.array(z.looseObject({ id: z.string() })) });

async function askCompatible(question: LimitRequest): Promise<FoundLimits> {
  const listed = limitsIn(await findListed(question, question.baseUrl, "/models"));
  if (listed.contextTokens !== undefined) return listed;
  // LM Studio reports the limits in its own API.
  return limitsIn(await findListed(question, stripVersionPath(question.baseUrl), "/api/v0/models"));
}

async function findListed(question: LimitRequest, baseUrl: string, path: string) {
  const list = ModelList.safeParse(await readJson({ ...question, baseUrl }, path));
  return list.data?.data.find(({ id }) => id === question.model);
}

const Shown = z.object({
  /** Lines of the form `name value`. */
  parameters: z.string().optional(),
  model_info: z.record(z.string(), z.unknown()).optional(),
});
const Running = z.object({
  models: z.array(z.object({ name: z.string(), context_length: tokens })),
});
/** Ollama's default context for a model on a machine with enough memory. */
const ollamaContext = 32_768;

/**
 * Queries Ollama for the context with which a model is loaded, because Ollama silently truncates input that exceeds it.
 * Returns the size from the Modelfile, or otherwise the current size if the model is running. Otherwise, returns the
 * size with which the model was trained, limited to `ollamaContext`, because most models are loaded with a smaller
 * context.
 */
async function askOllama(question: LimitRequest): Promise<FoundLimits> {
  const root = { ...question, baseUrl: stripVersionPath(question.baseUrl) };
  const body = JSON.stringify({ model: question.model });
  const shown = Shown.parse(await readJson(root, "/api/show", { method: "POST", body }));
  const set = /^\s*num_ctx\s+(\d{1,9})\s*$/m.exec(shown.parameters ?? "")?.[1];
  if (set !== undefined) return { contextTokens: Number(set) };
  const loaded = await loadedContext(root);
  if (loaded !== undefined) return { contextTokens: loaded };
  const info = Object.entries(shown.model_info ?? {});
  const trained = tokens.parse(info.find(([name]) => name.endsWith(".context_length"))?.[1]);
  return { contextTokens: trained === undefined ? undefined : Math.min(trained, ollamaContext) };
}

async function loadedContext(root: LimitRequest): Promise<number | undefined> {
  const running = Running.safeParse(await readJson(root, "/api/ps")).data?.models ?? [];
  const names = [root.model, `${root.model}:latest`];
  return running.find(({ name }) => names.includes(name))?.context_length;
}

/** Converts `https://host/v1` to `https://host`. */
function stripVersionPath(baseUrl: string): string {
  return baseUrl.replace(/\/v\d+$/, "");
}

/**
 * Reads a JSON response; undefined if the server responds with an error status. Throws for a response that is not JSON.
 */
async function readJson(
  { provider, baseUrl, fetchBelow, key, signal: end }: LimitRequest,
  path: string,
  init: { readonly method?: string; readonly body?: string } = {},
): Promise<unknown> {
  const login = key === "" ? {} : loginHeaders(provider, key);
  const headers = { "content-type": "application/json", ...login };
  const timeout = createTimeoutSignal(answerMs);
  const signal = end === undefined ? timeout : AbortSignal.any([end, timeout]);
  const answer = await fetchBelow(baseUrl)(`${baseUrl}${path}`, { ...init, headers, signal });
  if (answer.ok) return await answer.json();
  await answer.body?.cancel();
  return undefined;
}

function loginHeaders(provider: ProviderName, key: string): Readonly<Record<string, string>> {
  if (provider === "anthropic") return { "x-api-key": key, "anthropic-version": "2023-06-01" };
  if (provider === "google") return { "x-goog-api-key": key };
  return { authorization: `Bearer ${key}` };
}
