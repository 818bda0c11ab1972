import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSortedLookup } from "./lists.ts";

const texts = Array.from({ length: 100 }, (_, number) => `text ${number}`).toSorted();

describe("the numbers of sorted texts", () => {
  it("are found in order", () => {
    assert.deepEqual(texts.map(createSortedLookup(texts)), [...texts.keys()]);
  });

  it("are found twice in a row", () => {
    const numberOf = createSortedLookup(texts);
    for (const [number, text] of texts.entries()) {
      assert.deepEqual([numberOf(text), numberOf(text)], [number, number]);
    }
  });

  it("are found in any order", () => {
    const backwards = texts.toReversed().map(createSortedLookup(texts));
    assert.deepEqual(backwards, [...texts.keys()].toReversed());
  });

  it("do not exist for other texts, wherever these would be", () => {
    const numberOf = createSortedLookup(texts);
    for (const [number, text] of texts.entries()) {
      assert.equal(numberOf(`${text}!`), undefined);
      assert.equal(numberOf(text), number);
    }
    assert.deepEqual(["", "u"].map(numberOf), [undefined, undefined]);
    assert.equal(createSortedLookup([])("text"), undefined);
  });
});
