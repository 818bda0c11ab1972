import assert from "node:assert/strict";
import { test } from "node:test";
import { joinTexts, splitTexts } from "./value-file.ts";

test("joined texts are given back, empty ones too", () => {
  for (const texts of [[], [""], ["a"], ["", "a", ""], ["ä", "b"]]) {
    assert.deepEqual(splitTexts(joinTexts(texts)), texts);
  }
});
