import { isModelName } from "./models.ts";
import { organizationPlans } from "./plan-quotas.ts";
import type { OrganizationPlan } from "./plan-quotas.ts";

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
