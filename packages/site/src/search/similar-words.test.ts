import assert from "node:assert/strict";
import { test } from "node:test";
import { findSimilarWords } from "./client/similar-words.ts";

/** The textbook algorithm: fills the whole table and returns the minimum of its last row. */
function errorsByTable(typed: string, word: string): number {
  const table = Array.from({ length: typed.length + 1 }, (_, i) =>
    Array.from({ length: word.length + 1 }, (__, j) => (i === 0 ? j : i)),
  );
  const at = (i: number, j: number) => table[i]?.[j] ?? Infinity;
  for (let i = 1; i <= typed.length; i += 1) {
    for (let j = 1; j <= word.length; j += 1) {
      const cost = Number(typed[i - 1] !== word[j - 1]);
      const ways = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + cost];
      const isSwap = typed[i - 1] === word[j - 2] && typed[i - 2] === word[j - 1];
      if (i > 1 && j > 1 && isSwap) ways.push(at(i - 2, j - 2) + 1);
      (table[i] ?? [])[j] = Math.min(...ways);
    }
  }
  return Math.min(...(table.at(-1) ?? []));
}

test("counts errors as the whole table does", () => {
  let seed = 7;
  const random = (below: number) => (seed = (seed * 48271) % 2147483647) % below;
  const word = (length: number) => Array.from({ length }, () => "abc"[random(3)] ?? "").join("");
  for (let round = 0; round < 4_000; round += 1) {
    const typed = word(4 + random(7));
    const other = word(1 + random(12));
    const allowed = typed.length < 8 ? 1 : 2;
    const errors = errorsByTable(typed, other);
    const found = findSimilarWords(typed, [other]);
    assert.deepEqual(
      found,
      errors <= allowed ? [{ word: other, errors }] : [],
      `${typed} ${other}`,
    );
  }
});

const orders: [typed: string, vocabulary: string[], words: string[]][] = [
  ["confg", ["config", "often", "configure"], ["config", "configure"]],
  ["best", ["test", "bust", "rest"], ["bust", "test", "rest"]],
  ["cat", ["bat"], []],
];
for (const [typed, vocabulary, words] of orders) {
  test(`"${typed}" is like ${words.join(", ") || "nothing"}`, () => {
    assert.deepEqual(
      findSimilarWords(typed, vocabulary).map(({ word }) => word),
      words,
    );
  });
}
