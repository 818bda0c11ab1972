import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyEdits, type TextEdit } from "@octavo/site/text";
import { toReplacements } from "./site-tools.ts";

/** Makes the replacements as the tool does: one after another, requiring that each `old` is found exactly once. */
function make(text: string, edits: readonly TextEdit[]): string {
  let result = text;
  for (const { old, new: wanted } of toReplacements(text, edits) ??
    assert.fail("no replacements")) {
    assert.equal(result.split(old).length, 2, JSON.stringify(old));
    result = result.replace(old, () => wanted);
  }
  return result;
}

/** Creates an edit for each `x` in the text. */
function editsOf(text: string, wanted = "y"): TextEdit[] {
  return [...text.matchAll(/x/g)].map(({ index }) => ({
    start: index,
    end: index + 1,
    text: wanted,
  }));
}

describe("edits by place as replacements by words", () => {
  const texts = [
    "x",
    "a x b\n",
    "one x\none x\ntwo\n",
    "x\n\nx\n\nx\n",
    "same\nx\nsame\nother\nsame\nx\nsame\n",
    "a\r\nx\r\nb\r\nx\r\n",
    "no end x",
    "x first\nx\nlast x",
    "ax\nx\n",
    "- x\n".repeat(10),
  ];
  for (const text of texts) {
    it(JSON.stringify(text), () =>
      assert.equal(make(text, editsOf(text)), text.replaceAll("x", "y")),
    );
  }

  it("take no more of a long text than they need", () => {
    const text = `${"line\n".repeat(1_000)}the x\n${"line\n".repeat(1_000)}`;
    assert.deepEqual(toReplacements(text, editsOf(text)), [{ old: "\nthe x\n", new: "\nthe y\n" }]);
  });

  it("are not made where no lines near by tell the places apart", () => {
    const text = "x\n".repeat(200);
    const edit = { start: 200, end: 201, text: "y" };
    assert.equal(toReplacements(text, [edit]), undefined);
    assert.equal(applyEdits(text, [edit]).length, text.length);
  });
});
