import { organizationPlans } from "./plan-quotas.ts";
import type { OrganizationPlan } from "./plan-quotas.ts";

/** The parts of a model's name. In `openai/gpt-5`, the provider is `openai` and the model is `gpt-5`. */
interface ModelName {
  readonly provider: string;
  readonly model: string;
}

/**
 * Matches the name of a model. On some servers, names contain slashes and colons (`ollama/llama3.1:8b`). A segment must
 * not be empty or begin with a dot, because for Gemini the name is part of the request's path.
 */
const modelNamePattern =
  /^(?<provider>[a-z][a-z0-9-]{0,31})\/(?<model>[A-Za-z0-9][A-Za-z0-9._:@+-]*(?:\/[A-Za-z0-9][A-Za-z0-9._:@+-]*)*)$/;
const maxModelNameLength = 200;

/** The amounts of reasoning before a model replies, from least to most. */
export const modelEfforts = ["none", "minimal", "low", "medium", "high", "xhigh", "max"] as const;
export type ModelEffort = (typeof modelEfforts)[number];

/** A model's price, in US dollars per million tokens. */
export interface ModelPrice {
  readonly input: number;
  /** The price of input that the provider reads from its cache. */
  readonly cachedInput: number;
  readonly output: number;
}

interface PricedUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The number of cached input tokens, which are included in the input tokens. */
  readonly cachedInputTokens?: number | undefined;
}

/** A setting with a value for each named model and a value for all others. */
export interface PerModel<Value> {
  /** The value for other models; undefined if there is none. */
  readonly others: Value | undefined;
  /** Keyed by `provider/model`. */
  readonly byModel: ReadonlyMap<string, Value>;
}

/** The models that projects may choose (`OCTAVO_MODELS`). */
export interface ModelList {
  allows(model: string, plan: OrganizationPlan): boolean;
}

/** The default if the operator has not listed any models. */
export const allModels: ModelList = { allows: () => true };

interface ModelListEntry {
  /** The plan to which the entry applies; undefined means every plan. */
  readonly plan: OrganizationPlan | undefined;
  readonly matches: (model: string) => boolean;
}

/**
 * The beginning of the agent loop's notice that a turn is near a limit. The notice is sent as a user message, and
 * `builtin/recipes` uses these words to distinguish it from an instruction.
 */
export const nearLimitOpening = "This turn comes near its limit of";

/** Parses `provider/model`. Returns undefined for other text. */
export function parseModelName(text: string): ModelName | undefined {
  if (text.length > maxModelNameLength) return undefined;
  const { provider, model } = modelNamePattern.exec(text)?.groups ?? {};
  return provider === undefined || model === undefined ? undefined : { provider, model };
}

/** Reports whether `text` has the form `provider/model`. Does not check that the model exists. */
export function isModelName(text: string): boolean {
  return parseModelName(text) !== undefined;
}

/**
 * Parses prices such as `3/15` for input and output, or `3/0.30/15` with cached input in between. Returns undefined for
 * other text.
 */
export function parseModelPrice(text: string): ModelPrice | undefined {
  const prices = text.split("/").map((price) => price.trim());
  if (prices.length < 2 || prices.length > 3) return undefined;
  if (!prices.every((price) => /^\d{1,6}(?:\.\d{1,6})?$/.test(price))) return undefined;
  const [input = 0, ...others] = prices.map(Number);
  const output = others.at(-1) ?? 0;
  return { input, cachedInput: others.length > 1 ? (others[0] ?? 0) : input, output };
}

/** Computes the cost in US dollars. */
export function computeCost(price: ModelPrice, usage: PricedUsage): number {
  const { inputTokens, outputTokens, cachedInputTokens = 0 } = usage;
  const cachedTokens = Math.min(cachedInputTokens, inputTokens);
  const inputCost = (inputTokens - cachedTokens) * price.input + cachedTokens * price.cachedInput;
  return (inputCost + outputTokens * price.output) / 1_000_000;
}

/** Formats an amount, rounded to the cent, or to a hundredth of a cent if it is below one cent. */
export function formatDollars(amount: number): string {
  return `$${amount.toFixed(amount > 0 && amount < 0.01 ? 4 : 2)}`;
}

export function findModelValue<Value>(
  setting: PerModel<Value> | undefined,
  modelId: string,
): Value | undefined {
  return setting?.byModel.get(modelId) ?? setting?.others;
}

/**
 * Parses `value, provider/model=value, ...`. Returns undefined if the text has a different form, `parseValue` rejects a
 * value, or a value is set twice.
 */
export function parsePerModel<Value>(
  text: string,
  parseValue: (text: string) => Value | undefined,
): PerModel<Value> | undefined {
  const values = new Map<string, Value>();
  for (const entry of text.split(",")) {
    const end = entry.indexOf("=");
    const name = end < 0 ? "" : entry.slice(0, end).trim();
    const value = parseValue(entry.slice(end + 1).trim());
    const isValidName = end < 0 || isModelName(name);
    if (value === undefined || !isValidName || values.has(name)) return undefined;
    values.set(name, value);
  }
  const others = values.get("");
  values.delete("");
  return { others, byModel: values };
}

/**
 * Parses a comma-separated list of models such as `builtin/recipes`, `openai/*` (all models of a provider) and `*` (all
 * models). `enterprise=openai/*` applies only to that plan. An empty list allows every model. Returns undefined if the
 * list is malformed.
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

function parseEntry(text: string): ModelListEntry | undefined {
  const plan = organizationPlans.find((name) => text.startsWith(`${name}=`));
  const name = plan === undefined ? text : text.slice(plan.length + 1);
  if (name === "*") return { plan, matches: () => true };
  const provider = /^([a-z][a-z0-9-]{0,31}\/)\*$/.exec(name)?.[1];
  if (provider !== undefined) return { plan, matches: (model) => model.startsWith(provider) };
  return isModelName(name) ? { plan, matches: (model) => model === name } : undefined;
}
