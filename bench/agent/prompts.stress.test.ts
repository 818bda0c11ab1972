import assert from "node:assert/strict";
import { test } from "node:test";
import { benchPrompts } from "./prompts.ts";

test("prompts to builtin/recipes on sites of our own: no wrong edit, every form done, every refusal helps", async () => {
  const { limits, body } = await benchPrompts(undefined);
  assert.deepEqual(
    limits.map(({ holds }) => holds),
    [true, true, true, true, true],
    body,
  );
});
