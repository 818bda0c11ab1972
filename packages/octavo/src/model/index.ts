/**
 * Models by name. Opening one goes: take the name apart, find its provider (`providers`), give it
 * the only way out that it gets (`provider-fetch`), and bound its calls (`limited-model`).
 */
export { checkModel, listProviders, openModel } from "./open-model.ts";
export type { BuiltinModels, ModelSettings, OpenedModel, OpenModelOptions } from "./open-model.ts";
export type { ModelLimits } from "./model-limits.ts";
export type { ProviderName } from "./providers.ts";
export { addUsage, createBudget, describeSpent, noUsage, readUsage, spend } from "./token-usage.ts";
export type { BudgetOptions, BudgetScope, TokenBudget, TokenUsage } from "./token-usage.ts";
