/**
 * Models by name. Opening a model parses its name, finds its provider (`providers`), gives the provider its only
 * network access (`createProviderFetch`), and limits the model's calls (`limited-model`).
 */
export { checkModel, listProviders, openModel } from "./open-model.ts";
export type { BuiltinModels, ModelSettings, OpenedModel, OpenModelOptions } from "./open-model.ts";
export { createModelTester } from "./model-tester.ts";
export type { TestModel } from "./model-tester.ts";
export type { ModelLimits } from "./model-limits.ts";
export type { ProviderName } from "./providers.ts";
export {
  addUsage,
  createBudget,
  describeSpent,
  zeroUsage,
  readUsage,
  spendTokens,
} from "./token-usage.ts";
export type { BudgetOptions, BudgetScope, TokenBudget, TokenUsage } from "./token-usage.ts";
