import { organizationPlans } from "./plan-quotas.ts";
import type { OrganizationPlan } from "./plan-quotas.ts";

/** The parts of a model's name: `openai/gpt-5` is provider `openai`, model `gpt-5`. */
interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/**
 * Models of some servers have slashes and colons in their names (`ollama/llama3.1:8b`). No segment may be
 * empty or begin with a dot: Gemini takes the model's name in the request's path.
 */
const modelNamePattern =
  /^(?<provider>[a-z][a-z0-9-]{0,31})\/(?<model>[A-Za-z0-9][A-Za-z0-9._:@+-]*(?:\/[A-Za-z0-9][A-Za-z0-9._:@+-]*)*)$/;
const maxLength = 200;

/** How much a model thinks before it answers, from not at all to all it can. */
export const modelEfforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ModelEffort = (typeof modelEfforts)[number];

/** Of a model, in US dollars for a million tokens. */
export interface ModelPrice {
  readonly input: number;
  /** Of those of the input that the provider read from its cache. */
  readonly cachedInput: number;
  readonly output: number;
}

interface PricedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Part of the input. */
  readonly cachedInputTokens?: number | undefined;
}

/** A setting of models: one value for each that is named, and one for the others. */
export interface PerModel<Value> {
  /** Undefined where nothing is set for the others. */
  readonly others: Value | undefined;
  /** By `provider/model`. */
  readonly byModel: ReadonlyMap<string, Value>;
}

/** The models that projects may choose (`OCTAVO_MODELS`). */
export interface ModelList {
  allows(model: string, plan: OrganizationPlan): boolean;
}

/** Where the operator names none. */
export const allModels: ModelList = { allows: () => true };

interface Entry {
  /** Undefined means every plan. */
  readonly plan: OrganizationPlan | undefined;
  readonly matches: (model: string) => boolean;
}

/**
 * How the agent's loop begins what it tells a model near a limit. It stands among the messages as a person's do, and
 * `builtin/recipes` tells it from an instruction by these words.
 */
export const nearLimitOpening = "This turn comes near its limit of";

/** Undefined if `text` does not have the form `provider/model`. */
export function parseModelName(text: string): ModelName | undefined {
  if (text.length > maxLength) return undefined;
  const { provider, model } = modelNamePattern.exec(text)?.groups ?? {};
  return provider === undefined || model === undefined ? undefined : { provider, model };
}

/** Whether `text` has the form `provider/model`; does not check that the model exists. */
export function isModelName(text: string): boolean {
  return parseModelName(text) !== undefined;
}

/** Reads `3/15`, input and output, or `3/0.30/15` with cached input between them; undefined for anything else. */
export function parseModelPrice(text: string): ModelPrice | undefined {
  const prices = text.split("/").map((price) => price.trim());
  if (prices.length < 2 || prices.length > 3) return undefined;
  if (!prices.every((price) => /^\d{1,6}(?:\.\d{1,6})?$/.test(price))) return undefined;
  const [input = 0, ...others] = prices.map(Number);
  const output = others.at(-1) ?? 0;
  return { input, cachedInput: others.length > 1 ? (others[0] ?? 0) : input, output };
}

/** In US dollars. */
export function costOf(price: ModelPrice, usage: PricedUsage): number {
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  const cached = Math.min(cachedInputTokens, inputTokens);
  const input = (inputTokens - cached) * price.input + cached * price.cachedInput;
  return (input + outputTokens * price.output) / 1_000_000;
}

/** To the cent, or to the hundredth of one below a cent. */
export function formatDollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;
}

export function valueFor<Value>(
  setting: PerModel<Value> | undefined,
  modelId: string,
): Value | undefined {
  return setting?.byModel.get(modelId) ?? setting?.others;
}

/**
 * Reads `value, provider/model=value, ...`. Undefined where that is not the form, `read` does not take a value, or
 * something is set twice.
 */
export function parsePerModel<Value>(
  text: string,
  read: (text: string) => Value | undefined,
): PerModel<Value> | undefined {
  const values = new Map<string, Value>();
  for (const entry of text.split(",")) {
    const end = entry.indexOf("=");
    const name = end < 0 ? "" : entry.slice(0, end).trim();
    const value = read(entry.slice(end + 1).trim());
    const isNamed = end < 0 || isModelName(name);
    if (value === undefined || !isNamed || values.has(name)) return undefined;
    values.set(name, value);
  }
  const others = values.get("");
  values.delete("");
  return { others, byModel: values };
}

/**
 * Reads a comma-separated list: `builtin/recipes`, `openai/*` for all of a provider, `*` for all; `enterprise=openai/*`
 * holds for that plan alone. An empty list allows every model. Undefined for a malformed one.
 */
export function parseModelList(text: string): ModelList | undefined {
  const parts = text.split(",").flatMap((part) => part.trim() || []);
  if (parts.length === 0) return allModels;
  const entries = parts.map(parseEntry);
  if (entries.includes(undefined)) return undefined;
  return {
    allows: (model, plan) =>
      entries.some((entry) => (entry?.plan ?? plan) === plan && entry?.matches(model) === true),
  };
}

function parseEntry(text: string): Entry | undefined {
  const plan = organizationPlans.find((name) => text.startsWith(`${name}=`));
  const name = plan === undefined ? text : text.slice(plan.length + 1);
  if (name === "*") return { plan, matches: () => true };
  const provider = /^([a-z][a-z0-9-]{0,31}\/)\*$/.exec(name)?.[1];
  if (provider !== undefined) return { plan, matches: (model) => model.startsWith(provider) };
  return isModelName(name) ? { plan, matches: (model) => model === name } : undefined;
}
