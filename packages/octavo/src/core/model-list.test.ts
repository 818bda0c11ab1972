import assert from "node:assert/strict";
import { test } from "node:test";
import { parseModelList } from "./models.ts";
import type { OrganizationPlan } from "./plan-quotas.ts";

const cases: [list: string, model: string, plan: OrganizationPlan, isAllowed: boolean][] = [
  ["", "openai/gpt-5", "free", true],
  ["*", "openai/gpt-5", "free", true],
  ["builtin/recipes", "openai/gpt-5", "enterprise", false],
  ["builtin/recipes, openai/*", "openai/gpt-5", "free", true],
  ["openai/*", "openai-compatible/x", "free", false],
  ["ollama/qwen3:8b", "ollama/qwen3:8b", "pro", true],
  ["builtin/recipes,enterprise=*", "openai/gpt-5", "pro", false],
  ["builtin/recipes,enterprise=*", "openai/gpt-5", "enterprise", true],
  ["builtin/recipes,enterprise=*", "builtin/recipes", "free", true],
];
for (const [list, model, plan, isAllowed] of cases) {
  test(`"${list}" ${isAllowed ? "allows" : "refuses"} ${model} for ${plan}`, () => {
    assert.equal(parseModelList(list)?.allows(model, plan), isAllowed);
  });
}

for (const list of ["gpt-5", "openai/", "*/gpt-5", "gold=openai/gpt-5", "openai/*,x"]) {
  test(`"${list}" is no list of models`, () => {
    assert.equal(parseModelList(list), undefined);
  });
}
