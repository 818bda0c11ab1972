import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { diffLines, revertText, splitLines, formatUnifiedDiff } from "./text-changes.ts";

/** Applies the changes to check them. */
function changed(before: string, after: string): string {
  const old = splitLines(before);
  const lines: string[] = [];
  let at = 0;
  for (const { start, end, lines: put } of diffLines(old, splitLines(after))) {
    assert.ok(start >= at && end >= start);
    lines.push(...old.slice(at, start), ...put);
    at = end;
  }
  return [...lines, ...old.slice(at)].join("");
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => `${index}\n`);

describe("changes of lines", () => {
  const cases: [name: string, before: string, after: string][] = [
    ["nothing", "a\nb\n", "a\nb\n"],
    ["all", "a\nb\n", "c\n"],
    ["from nothing", "", "a\nb"],
    ["to nothing", "a\nb", ""],
    ["the end of the last line", "a\nb", "a\nb\n"],
    ["several places", "a\nb\nc\nd\ne\n", "a\nx\nc\ne\nf\n"],
    ["lines that repeat", "a\na\nb\na\n", "a\nb\na\na\na\n"],
    ["line ends of Windows", "a\r\nb\r\n", "a\r\nc\r\n"],
    ["more lines than are compared", numbers(3_000).join(""), numbers(3_000).toReversed().join("")],
  ];
  for (const [name, before, after] of cases) {
    it(`turn one text into the other: ${name}`, () => {
      assert.equal(changed(before, after), after);
      assert.equal(changed(after, before), before);
    });
  }

  it("are as small as they can be", () => {
    const old = numbers(100);
    const wanted = old.with(10, "x\n").toSpliced(50, 1);
    assert.deepEqual(diffLines(old, wanted), [
      { start: 10, end: 11, lines: ["x\n"] },
      { start: 50, end: 51, lines: [] },
    ]);
  });

  it("are shown as a unified diff", () => {
    const old = numbers(30);
    const wanted = old.with(4, "x\n").toSpliced(20, 0, "y\n").join("");
    assert.equal(
      formatUnifiedDiff(old.join(""), wanted),
      "@@ -2,7 +2,7 @@\n 1\n 2\n 3\n-4\n+x\n 5\n 6\n 7\n@@ -18,6 +18,7 @@\n 17\n 18\n 19\n+y\n 20\n 21\n 22\n",
    );
    assert.equal(formatUnifiedDiff("", "a"), "@@ -0,0 +1,1 @@\n+a\n\\ No newline at end of file\n");
    assert.equal(formatUnifiedDiff("a\n", "a\n"), "");
  });
});

describe("taking a change back", () => {
  const before = numbers(20).join("");
  const after = numbers(20).with(5, "x\n").with(12, "y\n").join("");

  it("leaves what was changed elsewhere since", () => {
    assert.deepEqual(revertText(after, { before, after }), { text: before, isPartial: false });
    const later = after.replace("0\n", "start\n").replace("19\n", "19\nend\n");
    assert.deepEqual(revertText(later, { before, after }), {
      text: before.replace("0\n", "start\n").replace("19\n", "19\nend\n"),
      isPartial: false,
    });
  });

  it("leaves a part that was changed again", () => {
    const later = after.replace("x\n", "z\n");
    assert.deepEqual(revertText(later, { before, after }), {
      text: before.replace("5\n", "z\n"),
      isPartial: true,
    });
  });
});
