import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createLinkIndex, getRelativePath, splitAddress } from "./link.ts";

/**
 * Describes the link at the `|` of a text: the form of the link, its label or name, and what its address begins with.
 */
function linkAt(marked: string): readonly string[] {
  const offset = marked.indexOf("|");
  const text = marked.slice(0, offset) + marked.slice(offset + 1);
  const link = createLinkIndex(text).findAt(offset);
  if (link === undefined) return [];
  if (link.form === "tag") return [link.form, link.name, text.slice(link.start, link.end)];
  const { start, end } = link.label;
  return [link.form, text.slice(start, end), text.slice(link.address).split(/[\s)>]/)[0] ?? ""];
}

describe("the link at an offset", () => {
  const rows: readonly (readonly [marked: string, ...expected: string[]])[] = [
    ["a |[b](/c) d", "inline", "b", "/c"],
    ["|![b](</c> 'd')", "inline", "b", "/c"],
    ["|[b [c] \\] `]`](/d)", "inline", "b [c] \\] `]`", "/d"],
    ["|[b][C d]\n\n[c\td]: </e> 'f'\n[c d]: /g", "reference", "b", "/e"],
    ["|[b][]\n\n- ```\n  [b]: /c\n  ```\n\n> [B]: /d", "reference", "b", "/d"],
    ["|[b] c\n\n[b]: /d", "reference", "b", "/d"],
    ["|<Card a={\"}>\"} b='>'>c", "tag", "Card", "<Card a={\"}>\"} b='>'>"],
    ["|[b ``]` [c``](/d)", "inline", "b ``]` [c``", "/d"],
    ["|[b `c```] `](/d)", "inline", "b `c```] `", "/d"],
    ["|[b] `\n[b]: /c\n`"],
    ["|[b][c]"],
    ["|[b"],
    ["|<>"],
    ["|b"],
  ];
  for (const [marked, ...expected] of rows) {
    it(JSON.stringify(marked), () => assert.deepEqual(linkAt(marked), expected));
  }
});

it("an address is split after its path, and made relative to any folder", () => {
  assert.deepEqual(splitAddress("/a?b#c"), { path: "/a", suffix: "?b#c" });
  assert.deepEqual(splitAddress("a"), { path: "a", suffix: "" });
  assert.equal(getRelativePath("a/d", "b/c"), "../../b/c");
  assert.equal(getRelativePath("a/b", "a/b"), "../b");
  assert.equal(getRelativePath("", "a/b"), "a/b");
  assert.equal(getRelativePath("a", "a/b/c"), "b/c");
});
