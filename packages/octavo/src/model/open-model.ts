import type { LanguageModelV4 } from "@ai-sdk/provider";
import { OctavoError } from "@octavo/site/core";
import { parseAllowList, parseModelName, valueFor } from "../core/index.ts";
import type { AllowList, ModelEffort, PerModel } from "../core/index.ts";
import type { ResolveHostName } from "../net/index.ts";
import { createProviderFetch } from "./provider-fetch.ts";
import { limitModel } from "./limited-model.ts";
import { callLimits, resolveTokenLimits } from "./model-limits.ts";
import type { ModelLimits, ResolvedTokenLimits, TokenLimits } from "./model-limits.ts";
import { isProviderName, pictureTypesOf, providerNames, providers } from "./providers.ts";
import type { Provider, ProviderName } from "./providers.ts";
import { askServerLimits } from "./server-limits.ts";

/** A model that needs no provider, by the name behind `builtin/`; called when the model is opened. */
export type BuiltinModels = Readonly<
  Record<string, () => LanguageModelV4 | Promise<LanguageModelV4>>
>;

export interface ModelSettings {
  /** Never in a message, an error or a reply. An empty one counts as none. */
  readonly keys?: Readonly<Partial<Record<ProviderName, string | undefined>>>;
  /** Where a provider is asked, when not at its own address. */
  readonly baseUrls?: Readonly<Partial<Record<ProviderName, string | undefined>>>;
  readonly builtin?: BuiltinModels;
  /** What models can read and write in one call, in place of what is known of them. */
  readonly contextTokens?: PerModel<number> | undefined;
  readonly outputTokens?: PerModel<number> | undefined;
  /** How much models think; their provider's choice where nothing is set. */
  readonly effort?: PerModel<ModelEffort> | undefined;
}

export interface OpenModelOptions extends ModelSettings {
  /** Private and local servers that may be asked; none when absent. */
  readonly allow?: AllowList;
  /** Looks up the names of servers; the system does when absent. */
  readonly resolve?: ResolveHostName;
  /** In place of the model's own. */
  readonly limits?: Partial<ModelLimits>;
  /** How replies are fetched; `whole` for servers that cannot stream. */
  readonly delivery?: "streamed" | "whole";
  /** Told, as a sentence for the operator, where nothing is known of the size of a model's context. */
  readonly warn?: ((sentence: string) => void) | undefined;
}

export interface OpenedModel {
  /** `provider/model`. */
  readonly id: string;
  readonly model: LanguageModelV4;
  readonly limits: TokenLimits;
  /** Media types of pictures that it can be shown; it reads text alone if absent. */
  readonly pictureTypes?: readonly string[];
}

/**
 * Opens `provider/model`. Asks a server whose model is not a known one for its limits, and nothing else: a wrong key
 * is found by the first call. Throws `invalid_input` with what
 * to set for a name of another form, an unknown provider, and a missing or malformed key or address.
 */
export async function openModel(name: string, options: OpenModelOptions): Promise<OpenedModel> {
  const { provider, model } = knownModel(name, options);
  if (provider === "builtin") return await openBuiltin(model, options);
  return await openProvided(provider, model, options);
}

/** Throws `invalid_input` where no setting could make `name` a model; keys and addresses are not looked at. */
export function checkModel(name: string, settings: ModelSettings): void {
  knownModel(name, settings);
}

interface KnownModel {
  readonly provider: ProviderName | "builtin";
  readonly model: string;
}

function knownModel(name: string, settings: ModelSettings): KnownModel {
  const parts = parseModelName(name);
  if (!parts) {
    throw unusable(
      `${JSON.stringify(name.slice(0, 200))} names no model: give provider/model, e.g. anthropic/claude-sonnet-4-5. ${known(settings)}`,
    );
  }
  const { provider, model } = parts;
  if (provider === "builtin") {
    if (Object.hasOwn(settings.builtin ?? {}, model)) return { provider, model };
    const names = Object.keys(settings.builtin ?? {}).map((builtin) => `builtin/${builtin}`);
    throw unusable(`There is no model builtin/${model}. Built in: ${names.join(", ") || "none"}.`);
  }
  if (isProviderName(provider)) return { provider, model };
  throw unusable(`There is no model provider ${JSON.stringify(provider)}. ${known(settings)}`);
}

/** Which providers could be asked with these settings, and which setting the others lack; for messages and start-up. */
export function listProviders(
  settings: ModelSettings,
): { readonly provider: ProviderName; readonly missing: string | undefined }[] {
  return providerNames.map((provider) => ({
    provider,
    missing: missingSetting(provider, settings),
  }));
}

/** No network, no money, no waiting: nothing of it has to be limited. */
async function openBuiltin(name: string, { builtin = {} }: ModelSettings): Promise<OpenedModel> {
  const model = await builtin[name]?.();
  if (!model) throw new Error(`The model builtin/${name} was looked up and is gone.`);
  const limits = { maxOutputTokens: 1_000_000, contextTokens: 100_000_000 };
  return { id: `builtin/${name}`, model, limits };
}

async function openProvided(
  name: ProviderName,
  model: string,
  options: OpenModelOptions,
): Promise<OpenedModel> {
  const provider = providers[name];
  const missing = missingSetting(name, options);
  if (missing !== undefined) {
    throw unusable(
      `The model ${name}/${model} needs ${missing}, which is not set. ${known(options)}`,
    );
  }
  const key = checkedKey(options.keys?.[name] ?? "", provider);
  const baseUrl = (options.baseUrls?.[name] || (provider.baseUrl ?? "")).replace(/\/+$/, "");
  const { label, urlVariable, keyVariable } = provider;
  const fetchBelow = (address: string) =>
    createProviderFetch({
      baseUrl: address,
      label,
      urlVariable,
      allow: options.allow ?? parseAllowList(""),
      resolve: options.resolve,
      idleTimeoutMs: options.limits?.idleTimeoutMs ?? callLimits.idleTimeoutMs,
      maxResponseBytes: options.limits?.maxResponseBytes ?? callLimits.maxResponseBytes,
    });
  // Refuses an address that could never be reached before anything is asked there.
  const fetch = fetchBelow(baseUrl);
  const id = `${name}/${model}`;
  const tokenLimits = await resolveTokenLimits({
    provider: name,
    model,
    given: givenLimits(id, options),
    askServer: () => askServerLimits({ provider: name, model, key, baseUrl, fetchBelow }),
  });
  if (tokenLimits.source === "default") options.warn?.(unknownContext(id, tokenLimits));
  const { contextTokens, maxOutputTokens } = tokenLimits;
  const limits = { ...callLimits, ...options.limits, contextTokens, maxOutputTokens };
  const context = { label, model, keyVariable, urlVariable, secrets: [key] };
  return {
    id,
    model: limitModel(await provider.connect({ model, key, baseUrl, fetch }), {
      limits,
      context,
      options: provider.options,
      cacheMarks: provider.cacheMarks,
      effort: valueFor(options.effort, id),
      delivery: options.delivery ?? "streamed",
    }),
    limits: { maxOutputTokens, contextTokens },
    pictureTypes: pictureTypesOf(name, model),
  };
}

function givenLimits(id: string, { limits, contextTokens, outputTokens }: OpenModelOptions) {
  return {
    contextTokens: limits?.contextTokens ?? valueFor(contextTokens, id),
    maxOutputTokens: limits?.maxOutputTokens ?? valueFor(outputTokens, id),
  };
}

function unknownContext(id: string, { contextTokens }: ResolvedTokenLimits): string {
  const size = contextTokens.toLocaleString("en");
  return `Nobody says how much the model ${id} can read at once; ${size} tokens are taken to be safe. If it is another number, set OCTAVO_MODEL_CONTEXT, e.g. to ${id}=${contextTokens}.`;
}

function missingSetting(name: ProviderName, { keys, baseUrls }: ModelSettings): string | undefined {
  const { needsKey, keyVariable, baseUrl, urlVariable } = providers[name];
  if (needsKey && !keys?.[name]) return keyVariable;
  if (baseUrl === undefined && !baseUrls?.[name]) return urlVariable;
  return undefined;
}

/** A pasted line break would end up, with the key around it, in an error about malformed headers. */
function checkedKey(key: string, { keyVariable }: Provider): string {
  const trimmed = key.trim();
  if (/^[\u0021-\u007e]{0,4096}$/.test(trimmed)) return trimmed;
  throw unusable(`${keyVariable} holds characters that no key has; copy it again.`);
}

function known(settings: ModelSettings): string {
  const builtin = Object.keys(settings.builtin ?? {}).map((name) => `builtin/${name}`);
  const states = listProviders(settings);
  const ready = states.filter(({ missing }) => missing === undefined);
  const others = states.filter(({ missing }) => missing !== undefined);
  const usable = [...builtin, ...ready.map(({ provider }) => `${provider}/...`)];
  return (
    `Usable as it is set up: ${usable.join(", ") || "none"}.` +
    (others.length === 0
      ? ""
      : ` Others need a setting: ${others.map(({ provider, missing }) => `${provider}/... ${missing}`).join(", ")}.`)
  );
}

function unusable(message: string): OctavoError {
  return new OctavoError("invalid_input", message);
}
