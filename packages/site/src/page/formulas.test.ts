import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { markFormulas, splitFormulas } from "./formulas.ts";
import { restoreMarks } from "./marks.ts";

const position = { file: "a.mdx", line: 1, column: 1 };

/** Returns the formulas that are found in a text. */
function formulasIn(text: string): string[] {
  const nodes = splitFormulas(markFormulas(text), position) ?? [];
  return nodes.filter((node) => node.type === "inlineMath").map(({ value }) => value);
}

const found: [text: string, formulas: string[]][] = [
  ["$x$", ["x"]],
  ["a $x_1$, $\\frac{a}{b}$.", ["x_1", "\\frac{a}{b}"]],
  ["$\\{a\\}$", ["\\{a\\}"]],
  ["$2^n$ and $3n+1=7$", ["2^n", "3n+1=7"]],
  ["$$\na\n+ b\n$$", ["a\n+ b"]],
  ["($n$-th)", ["n"]],
  ["$O(n \\log n)$", ["O(n \\log n)"]],
  ["- a ` b\n- $x$ ` c", ["x"]],
];

const prices = [
  "$5 and $6",
  "$28/mes o $37",
  "US$5-US$6",
  "$5,000-$6,000",
  "$10–20 or $30",
  "5$ or 6$",
  "($5)/($6)",
  "from $5 to 10$ a month",
  "$HOME/$USER",
  "$ref and $lt",
  "costs $5 (or so)$ maybe",
  "\\$x\\$",
  "`$x$`",
  "``a ` $x$``",
  "```\n$x$\n```",
  "$a\n\nb$",
  "$$\n\n$$",
  "$ x $",
  "$$$x$$$",
  "$this is prose and no formula$",
];

describe("formulas", () => {
  for (const [text, formulas] of found) {
    it(`are found: ${JSON.stringify(text)}`, () => assert.deepEqual(formulasIn(text), formulas));
  }
  for (const text of prices) {
    it(`are not found: ${JSON.stringify(text)}`, () => assert.equal(markFormulas(text), text));
  }

  it("keep offsets, and can be restored", () => {
    for (const [text] of found) {
      const marked = markFormulas(text);
      assert.equal(marked.length, text.length);
      assert.equal(restoreMarks(marked), text);
    }
  });

  it("are found in linear time", () => {
    for (const part of ["$", "$a", "$$a", "`$", "<Latex>", "$\\", "$a b $", "`".repeat(3) + "$x"]) {
      markFormulas(part.repeat(200_000));
    }
  });
});
