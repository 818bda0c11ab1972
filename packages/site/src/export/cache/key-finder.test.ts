import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256 } from "../../core/index.ts";
import { createKeyFinder } from "./key-table.ts";

const count = 1_000;
const keys = Array.from({ length: count }, (_, at) => sha256(String(at)));
const texts = [keys.slice(0, 1), [], keys.slice(1, 600), keys.slice(600)];
const joined = texts.map((list) => list.join(""));

/** Returns the results of a finder of the texts for each of these keys, requested in this order. */
function find(asked: readonly string[]): (string | undefined)[] {
  const finder = createKeyFinder(joined);
  return asked.map((key) => {
    const position = finder.find(key);
    return position && texts[position.text]?.[position.number];
  });
}

const inBlocks = (length: number) =>
  Array.from({ length: Math.ceil(count / length) }, (_, block) =>
    keys.slice(block * length, (block + 1) * length),
  );
const orders: [name: string, order: readonly string[]][] = [
  ["as they were written", keys],
  ["backwards", keys.toReversed()],
  ["in blocks, each backwards", inBlocks(50).flatMap((block) => block.toReversed())],
  ["in blocks, the last first", inBlocks(100).toReversed().flat()],
  ["in turns from both ends", keys.flatMap((key, at) => [key, keys.at(-1 - at) ?? ""])],
  ["by their digits", keys.toSorted()],
  ["each twice", keys.flatMap((key) => [key, key])],
];
for (const [name, order] of orders) {
  test(`finds keys of several texts that are asked for ${name}`, () => {
    assert.deepEqual(find(order), order);
  });
}

test("finds no others, however many are asked for, and those after them", () => {
  const others = Array.from({ length: 200 }, (_, at) => sha256(`other ${at}`));
  const found = others.map((key, at) => find([key, keys[at] ?? ""]));
  assert.deepEqual(
    found,
    others.map((_, at) => [undefined, keys[at]]),
  );
  const asked = others.flatMap((key, at) => [key, keys[at] ?? ""]);
  assert.deepEqual(find(asked), found.flat());
});

test("takes no key from where two others meet", () => {
  const [one = "", other = ""] = keys;
  const between = one.slice(20) + other.slice(0, 20);
  const finder = createKeyFinder([one + other, between]);
  assert.deepEqual(finder.find(between), { text: 1, number: 0 });
  assert.equal(createKeyFinder([one + other]).find(between), undefined);
});

test("finds the first of equal keys, unless another is near the last key found", () => {
  const [one = "", other = ""] = keys;
  const finder = createKeyFinder([one, other + one]);
  assert.deepEqual(finder.find(one), { text: 0, number: 0 });
  assert.deepEqual(finder.find(other), { text: 1, number: 0 });
  assert.deepEqual(finder.find(one), { text: 1, number: 1 });
});

test("has no keys without texts, and none of another length", () => {
  assert.equal(createKeyFinder([]).find(sha256("")), undefined);
  assert.equal(createKeyFinder([sha256("")]).find(""), undefined);
});
