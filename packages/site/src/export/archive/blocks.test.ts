import assert from "node:assert/strict";
import { test } from "node:test";
import { groupByName } from "./archive-items.ts";

const names = Array.from({ length: 5_000 }, (_, index) => `guides/page-${index}.html`);
const nameOf = (name: string): string => name;

test("everything is in one group, in its order", () => {
  assert.deepEqual(groupByName(names, { nameOf }).flat(), names);
  assert.deepEqual(groupByName([], { nameOf }), []);
});

test("a group that no name ends is ended by its length", () => {
  const lengths = groupByName(names, { nameOf: () => "same" }).map(({ length }) => length);
  assert.deepEqual([...new Set(lengths)], [64, 5_000 % 64]);
});

test("one that is alone is in a group of its own", () => {
  const groups = groupByName(["a", "b", "c", "d"], {
    nameOf,
    isAlone: (name) => name === "b" || name === "c",
  });
  assert.deepEqual(groups, [["a"], ["b"], ["c"], ["d"]]);
});

test("after one is added or removed, most groups are the same", () => {
  const before = new Set(groupByName(names, { nameOf }).map(String));
  const added = groupByName(names.toSpliced(2_500, 0, "guides/new.html"), { nameOf });
  const removed = groupByName(names.toSpliced(2_500, 1), { nameOf });
  for (const groups of [added, removed]) {
    const other = groups.filter((group) => !before.has(String(group)));
    assert.ok(other.length <= 4, `${other.length} of ${groups.length} groups are others`);
  }
});
