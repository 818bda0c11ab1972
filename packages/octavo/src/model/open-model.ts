import type { LanguageModelV4 } from "@ai-sdk/provider";
import { OctavoError, createInputError } from "@octavo/site/core";
import {
  findDestination,
  findModelValue,
  parseAllowList,
  parseModelName,
  explainDestinationRefusal,
  type AllowList,
  type ModelEffort,
  type PerModel,
} from "../core/index.ts";
import { createGuardedFetch, type ResolveHostName } from "../net/index.ts";
import { limitModel } from "./limited-model.ts";
import {
  callLimits,
  resolveTokenLimits,
  type ModelLimits,
  type ResolvedTokenLimits,
  type TokenLimits,
  fetchServerLimits,
} from "./model-limits.ts";
import {
  listPictureTypes,
  providerNames,
  providers,
  type Provider,
  type ProviderName,
} from "./providers.ts";

/** Built-in models by the name after `builtin/`. The function is called when the model is opened. */
export type BuiltinModels = Readonly<
  Record<string, () => LanguageModelV4 | Promise<LanguageModelV4>>
>;

export interface ModelSettings {
  /** The keys of providers, which messages, errors and replies never contain. An empty key is treated as missing. */
  readonly keys?: Readonly<Partial<Record<ProviderName, string | undefined>>>;
  /** The addresses of providers, which replace the default addresses. */
  readonly baseUrls?: Readonly<Partial<Record<ProviderName, string | undefined>>>;
  readonly builtin?: BuiltinModels;
  /** The number of tokens that models can read and write in one call. These values replace the known values. */
  readonly contextTokens?: PerModel<number> | undefined;
  readonly outputTokens?: PerModel<number> | undefined;
  /** The reasoning effort of models. Defaults to the provider's choice. */
  readonly effort?: PerModel<ModelEffort> | undefined;
}

export interface OpenModelOptions extends ModelSettings {
  /** Private and local servers that may be contacted. If omitted, no such server may be contacted. */
  readonly allow?: AllowList;
  /** Resolves the names of servers. Defaults to the system's resolver. */
  readonly resolve?: ResolveHostName;
  /** Limits that override the model's own limits. */
  readonly limits?: Partial<ModelLimits>;
  /** Whether replies are streamed. `whole` is for servers that cannot stream. */
  readonly delivery?: "streamed" | "whole";
  /** Ends the query for a model's limits. Default limits are then assumed. */
  readonly signal?: AbortSignal | undefined;
  /** Called with a sentence for the operator if the size of a model's context is unknown. */
  readonly onWarning?: ((sentence: string) => void) | undefined;
}

export interface OpenedModel {
  /** `provider/model`. */
  readonly id: string;
  readonly model: LanguageModelV4;
  readonly limits: TokenLimits;
  /** Media types of the pictures that the model accepts. If omitted, the model accepts only text. */
  readonly pictureTypes?: readonly string[];
}

/**
 * Opens `provider/model`. If the model is unknown, queries its server for the limits. Sends no other request, so only
 * the first call reports an invalid key. Throws `invalid_input`, naming the setting to change, for a malformed name, an
 * unknown provider, or a missing or malformed key or address.
 */
export async function openModel(name: string, options: OpenModelOptions): Promise<OpenedModel> {
  const { provider, model } = requireKnownModel(name, options);
  if (provider === "builtin") return await openBuiltin(model, options);
  return await openProviderModel(provider, model, options);
}

/** Throws `invalid_input` if no setting could make `name` a model. Does not check keys and addresses. */
export function checkModel(name: string, settings: ModelSettings): void {
  requireKnownModel(name, settings);
}

interface KnownModel {
  readonly provider: ProviderName | "builtin";
  readonly model: string;
}

function requireKnownModel(name: string, settings: ModelSettings): KnownModel {
  const parts = parseModelName(name);
  if (!parts) {
    throw createInputError(
      `${JSON.stringify(name.slice(0, 200))} is not a model name: use provider/model, e.g. anthropic/claude-sonnet-4-5. ${describeAvailableModels(settings)}`,
    );
  }
  const { provider, model } = parts;
  if (provider === "builtin") {
    if (Object.hasOwn(settings.builtin ?? {}, model)) return { provider, model };
    const names = Object.keys(settings.builtin ?? {}).map((builtin) => `builtin/${builtin}`);
    throw createInputError(
      `There is no model builtin/${model}. Built-in models: ${names.join(", ") || "none"}.`,
    );
  }
  if (isProviderName(provider)) return { provider, model };
  throw createInputError(
    `There is no model provider ${JSON.stringify(provider)}. ${describeAvailableModels(settings)}`,
  );
}

/** Lists the providers, each with the setting that it still needs, for messages and for the log at startup. */
export function listProviders(
  settings: ModelSettings,
): { readonly provider: ProviderName; readonly missing: string | undefined }[] {
  return providerNames.map((provider) => ({
    provider,
    missing: findMissingSetting(provider, settings),
  }));
}

/** Opens a built-in model, which uses no network and costs nothing, and therefore needs no limits. */
async function openBuiltin(name: string, { builtin = {} }: ModelSettings): Promise<OpenedModel> {
  const model = await builtin[name]?.();
  if (!model) throw new Error(`The model builtin/${name} has disappeared since it was looked up.`);
  const limits = { maxOutputTokens: 1_000_000, contextTokens: 100_000_000 };
  return { id: `builtin/${name}`, model, limits };
}

async function openProviderModel(
  name: ProviderName,
  model: string,
  options: OpenModelOptions,
): Promise<OpenedModel> {
  const provider = providers[name];
  const missing = findMissingSetting(name, options);
  if (missing !== undefined) {
    throw createInputError(
      `The model ${name}/${model} needs ${missing}, which is not set. ${describeAvailableModels(options)}`,
    );
  }
  const key = checkKey(options.keys?.[name] ?? "", provider);
  const baseUrl = (options.baseUrls?.[name] || (provider.baseUrl ?? "")).replace(/\/+$/, "");
  const { label, urlVariable, keyVariable } = provider;
  const createFetch = (address: string) =>
    createProviderFetch({
      baseUrl: address,
      label,
      urlVariable,
      allow: options.allow ?? parseAllowList(""),
      resolve: options.resolve,
      idleTimeoutMs: options.limits?.idleTimeoutMs ?? callLimits.idleTimeoutMs,
      maxResponseBytes: options.limits?.maxResponseBytes ?? callLimits.maxResponseBytes,
    });
  // Rejects an address that could never be reached before any request is sent.
  const fetch = createFetch(baseUrl);
  const id = `${name}/${model}`;
  const tokenLimits = await resolveTokenLimits({
    provider: name,
    model,
    configured: getGivenLimits(id, options),
    queryServer: () =>
      fetchServerLimits({
        provider: name,
        model,
        key,
        baseUrl,
        createFetch,
        signal: options.signal,
      }),
  });
  if (tokenLimits.source === "default")
    options.onWarning?.(describeUnknownContext(id, tokenLimits));
  const { contextTokens, maxOutputTokens } = tokenLimits;
  const limits = { ...callLimits, ...options.limits, contextTokens, maxOutputTokens };
  const context = { label, model, keyVariable, urlVariable, secrets: [key] };
  return {
    id,
    model: limitModel(await provider.connect({ model, key, baseUrl, fetch }), {
      limits,
      context,
      options: provider.options,
      markForCache: provider.markForCache,
      effort: findModelValue(options.effort, id),
      delivery: options.delivery ?? "streamed",
    }),
    limits: { maxOutputTokens, contextTokens },
    pictureTypes: listPictureTypes(name, model),
  };
}

function getGivenLimits(id: string, { limits, contextTokens, outputTokens }: OpenModelOptions) {
  return {
    contextTokens: limits?.contextTokens ?? findModelValue(contextTokens, id),
    maxOutputTokens: limits?.maxOutputTokens ?? findModelValue(outputTokens, id),
  };
}

function describeUnknownContext(id: string, { contextTokens }: ResolvedTokenLimits): string {
  const size = contextTokens.toLocaleString("en");
  return `The context size of the model ${id} is unknown; ${size} tokens are assumed. If it differs, set OCTAVO_MODEL_CONTEXT, e.g. to ${id}=${contextTokens}.`;
}

function findMissingSetting(
  name: ProviderName,
  { keys, baseUrls }: ModelSettings,
): string | undefined {
  const { needsKey, keyVariable, baseUrl, urlVariable } = providers[name];
  if (needsKey && !keys?.[name]) return keyVariable;
  if (baseUrl === undefined && !baseUrls?.[name]) return urlVariable;
  return undefined;
}

/**
 * Checks the characters of a key, because a pasted line break would put the key into an error about malformed headers.
 */
function checkKey(key: string, { keyVariable }: Provider): string {
  const trimmed = key.trim();
  if (/^[\u0021-\u007e]{0,4096}$/.test(trimmed)) return trimmed;
  throw createInputError(
    `${keyVariable} contains characters that cannot be part of a key; copy the key again.`,
  );
}

function describeAvailableModels(settings: ModelSettings): string {
  const builtin = Object.keys(settings.builtin ?? {}).map((name) => `builtin/${name}`);
  const states = listProviders(settings);
  const ready = states.filter(({ missing }) => missing === undefined);
  const others = states.filter(({ missing }) => missing !== undefined);
  const usable = [...builtin, ...ready.map(({ provider }) => `${provider}/...`)];
  return (
    `Available with the current settings: ${usable.join(", ") || "none"}.` +
    (others.length === 0
      ? ""
      : ` Other providers need a setting: ${others.map(({ provider, missing }) => `${provider}/... (${missing})`).join(", ")}.`)
  );
}

interface ProviderFetchOptions {
  /** The only address that may be contacted. */
  readonly baseUrl: string;
  /** The provider, and the setting with its address, for messages. */
  readonly label: string;
  readonly urlVariable: string;
  readonly allow: AllowList;
  readonly resolve?: ResolveHostName | undefined;
  /** The maximum time without a byte from the server. */
  readonly idleTimeoutMs: number;
  readonly maxResponseBytes: number;
}

/**
 * Creates a `fetch` for one provider. It reaches only `baseUrl`, does not follow redirects, and streams responses.
 * Failures are OctavoErrors as in `GuardedFetch`: `unavailable` if a further attempt may help, and `invalid_input` for
 * settings that cannot work. An aborted request rejects with the signal's reason.
 */
export function createProviderFetch(options: ProviderFetchOptions): typeof globalThis.fetch {
  const { label, urlVariable, allow, idleTimeoutMs, maxResponseBytes } = options;
  const base = readBaseUrl(options);
  const guardedFetch = createGuardedFetch({
    allow,
    resolve: options.resolve,
    idleTimeoutMs,
    maxResponseBytes,
    maxRedirects: 0,
    bodyMode: "streamed",
    subject: { label, source: urlVariable },
  });
  return async (input, init = {}) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if (url.origin !== base.origin || !url.pathname.startsWith(`${trimSlashes(base.pathname)}/`)) {
      throw new OctavoError("internal", `${label} may not be contacted at ${url.origin}.`);
    }
    const { body, headers, method, signal } = init;
    if (body !== undefined && body !== null && typeof body !== "string") {
      throw new TypeError("A request to a model must have a text body.");
    }
    try {
      const guardedInit = {
        method,
        headers: Object.fromEntries(new Headers(headers)),
        body,
        signal,
      };
      return await checkResponse(await guardedFetch(url, guardedInit), options);
    } catch (error) {
      throw signal?.aborted ? signal.reason : error;
    }
  };
}

/** Throws `invalid_input`, before any request is sent, for an address that could never be reached. */
function readBaseUrl({ baseUrl, urlVariable, allow }: ProviderFetchOptions): URL {
  const url = URL.parse(baseUrl);
  const isPlain = url !== null && url.username + url.password + url.search + url.hash === "";
  const destination = isPlain ? findDestination(url) : undefined;
  if (!url || !destination) {
    throw createInputError(
      `${urlVariable} must be an https address without user, query or fragment, e.g. https://models.example.com/v1.`,
    );
  }
  const refusal = explainDestinationRefusal(destination, allow);
  if (refusal !== undefined) throw createInputError(`${urlVariable} is refused: ${refusal}`);
  return url;
}

/** Throws `invalid_input` for a response that cannot come from a model's API. */
async function checkResponse(response: Response, options: ProviderFetchOptions): Promise<Response> {
  const problem = findResponseProblem(response, options);
  if (problem === undefined) return response;
  await response.body?.cancel();
  throw createInputError(problem);
}

function findResponseProblem(
  { status, headers }: Response,
  { label, urlVariable }: ProviderFetchOptions,
): string | undefined {
  if (status >= 300 && status < 400) {
    return `${label} responds with a redirect, which is not followed. Set ${urlVariable} to the redirect's target.`;
  }
  const encoding = headers.get("content-encoding") ?? "identity";
  const isHtml = status < 300 && headers.get("content-type")?.startsWith("text/html") === true;
  if (encoding === "identity" && !isHtml) return undefined;
  const detail = JSON.stringify(isHtml ? "text/html" : encoding.slice(0, 50));
  return `${label} did not send a valid API response (status ${status}, ${detail}). Check ${urlVariable}.`;
}

function trimSlashes(path: string): string {
  return path.replace(/\/+$/, "");
}

function isProviderName(text: string): text is ProviderName {
  return providerNames.some((name) => name === text);
}
