import assert from "node:assert/strict";
import { test } from "node:test";
import { sha256 } from "../../core/index.ts";
import { createKeyTable } from "./key-table.ts";

const keysFrom = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => sha256(String(from + at)));

test("finds each key of several texts, and no other", () => {
  const keys = keysFrom(0, 1_000);
  const texts = [keys.slice(0, 1), [], keys.slice(1, 600), keys.slice(600)];
  const table = createKeyTable(texts.map((list) => list.join("")));
  const positions = keys.map((key) => table.find(key));
  assert.deepEqual(positions.slice(0, 2), [
    { text: 0, number: 0 },
    { text: 2, number: 0 },
  ]);
  assert.deepEqual(
    positions.map((position) => position && texts[position.text]?.[position.number]),
    keys,
  );
  for (const key of keysFrom(1_000, 2_000)) assert.equal(table.find(key), undefined);
});

test("finds the first of equal keys", () => {
  const [one = "", other = "", third = ""] = keysFrom(0, 3);
  const table = createKeyTable([one, other + one, third + other]);
  assert.deepEqual(table.find(one), { text: 0, number: 0 });
  assert.deepEqual(table.find(other), { text: 1, number: 0 });
});

test("distinguishes keys that begin alike", () => {
  const keys = ["0", "1", "2"].map((end) => `${"a".repeat(63)}${end}`);
  const table = createKeyTable([keys.join("")]);
  const numbers = keys.map((key) => table.find(key)?.number);
  assert.deepEqual(numbers, [0, 1, 2]);
  assert.equal(table.find(`${"a".repeat(63)}3`), undefined);
});

test("has no keys without texts, and none of another length", () => {
  assert.equal(createKeyTable([]).find(sha256("")), undefined);
  assert.equal(createKeyTable([sha256("")]).find(""), undefined);
});
