import assert from "node:assert/strict";
import { test } from "node:test";
import {
  addUsage,
  createBudget,
  describeSpent,
  zeroUsage,
  readUsage,
  spendTokens,
} from "./token-usage.ts";

test("a budget is used up by the tokens of calls", () => {
  const start = createBudget({ maxTokens: 1_000 });
  assert.deepEqual([start.used, start.remaining], [zeroUsage, 1_000]);
  assert.equal(describeSpent(start, "job"), undefined);
  const next = spendTokens(start, { inputTokens: 700, outputTokens: 299 });
  assert.equal(next.remaining, 1);
  assert.equal(describeSpent(next, "job"), undefined);
  const over = spendTokens(next, { inputTokens: 500, outputTokens: 0 });
  assert.deepEqual([over.remaining, over.used], [0, { inputTokens: 1_200, outputTokens: 299 }]);
  assert.match(describeSpent(over, "job") ?? "", /^This job has used 1499 of 1000 tokens/);
  assert.match(describeSpent(over, "project-day") ?? "", /project have used 1499 .* tomorrow/);
  assert.equal(start.remaining, 1_000);
});

test("a budget includes what was spent before, and is never unlimited", () => {
  const used = { inputTokens: 10, outputTokens: 5 };
  assert.equal(createBudget({ maxTokens: 20, used }).remaining, 5);
  assert.equal(createBudget({ maxTokens: 0 }).remaining, 0);
  const endless = spendTokens(createBudget({ maxTokens: Number.POSITIVE_INFINITY }), used);
  assert.equal(describeSpent(endless, "job"), undefined);
});

function of(input: number | undefined, output: number | undefined) {
  const none = undefined;
  return readUsage({
    inputTokens: { total: input, noCache: none, cacheRead: none, cacheWrite: none },
    outputTokens: { total: output, text: none, reasoning: none },
  });
}

test("missing or invalid token counts are 0", () => {
  assert.deepEqual(of(undefined, 3), { inputTokens: 0, outputTokens: 3 });
  assert.deepEqual(of(-5, Number.NaN), zeroUsage);
  assert.deepEqual(addUsage(of(1, 2), of(3, 4)), { inputTokens: 4, outputTokens: 6 });
});
