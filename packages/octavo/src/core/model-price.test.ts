import assert from "node:assert/strict";
import { test } from "node:test";
import { computeCost, parseModelPrice } from "./models.ts";

test("prices are of input and output, with cached input between them", () => {
  assert.deepEqual(parseModelPrice("3/15"), { input: 3, cachedInput: 3, output: 15 });
  assert.deepEqual(parseModelPrice("3 / 0.30/15"), { input: 3, cachedInput: 0.3, output: 15 });
  assert.deepEqual(parseModelPrice("0/0"), { input: 0, cachedInput: 0, output: 0 });
  for (const text of ["", "3", "3/", "3/-1", "3/1/2/4", "3/15e3", "$3/$15", "3,5/15"]) {
    assert.equal(parseModelPrice(text), undefined, text);
  }
});

test("a cost counts cached input at its own price, once", () => {
  const price = { input: 3, cachedInput: 0.3, output: 15 };
  assert.equal(computeCost(price, { inputTokens: 1_000_000, outputTokens: 100_000 }), 4.5);
  const usage = { inputTokens: 1_000_000, cachedInputTokens: 900_000, outputTokens: 0 };
  assert.equal(computeCost(price, usage).toFixed(6), "0.570000");
  // Some servers count cached tokens separately from the input.
  const apart = { inputTokens: 10, cachedInputTokens: 1_000_000, outputTokens: 0 };
  assert.equal(computeCost(price, apart), 0.000003);
});
