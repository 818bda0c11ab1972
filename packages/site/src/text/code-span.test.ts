import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { mdxToMdast } from "satteri";
import {
  findCodeRanges,
  getCodeSpanText,
  createCodeSpanIndex,
  findCodeSpans,
} from "./code-span.ts";
import { isInCode } from "./fence.ts";

const table: readonly (readonly [name: string, text: string, ...code: string[]])[] = [
  ["one backtick on each side", "a `b` c `d`", "b", "d"],
  ["two around one", "``a`b`` `` `c` ``", "a`b", "`c`"],
  ["one around two", "`a``b`", "a``b"],
  ["many", "````a```b````", "a```b"],
  ["a run that nothing of its length closes", "```a` ``b` `c`", " ``b", "c"],
  ["nothing between them", "`` a"],
  ["a backslash within", "`a\\` b`", "a\\"],
  ["an escaped backtick", "\\`a` b`", " b"],
  ["a run behind an escaped backtick", "\\``a`", "a"],
  ["an escaped backslash", "\\\\`a`", "a"],
  ["blanks on both sides, of which one goes", "`  a ` ` b` ` `", " a", " b", " "],
  ["two lines", "a `b\nc` d", "b c"],
  ["two lines in CRLF", "`a\r\nb`", "a b"],
  ["other markup within", "*a `*` [b `](c)` {d} <e/>", "*", "](c)"],
  ["two paragraphs", "a `b\n\nc` d"],
  ["two paragraphs of a quotation", "> a `b\n> \t\n> c` d"],
  ["lines of a quotation", "> a `b\n> c` d", "b > c"],
  ["a quotation whose paragraph goes on outside it", "> a `b\nc` d", "b c"],
  ["a quotation below a paragraph", "a `b\n> c` d"],
  ["a quotation in one", "> a `b\n>> c` d"],
  ["items of a list", "- a `b\n- c` d"],
  ["lines of an item", "- a `b\n  c` d", "b   c"],
  ["items of a numbered list", "1. a `b\n2. c` d"],
  ["what only looks like an item", "a `b\n-c 1.2` d", "b -c 1.2"],
  ["a heading and a paragraph", "# a `b\nc` d"],
  ["a heading on an item", "- ## a `b\n  c` d"],
  ["a paragraph and a heading", "a `b\n# c` d"],
  ["an underlined heading", "a `b\n---\nc` d"],
  ["a rule", "a `b\n***\nc` d"],
  ["a footnote", "a `b\n[^c]: d` e"],
  ["rows of a table", "| a |\n|-|\n| `b |\n| c` |"],
  ["cells of a table", "| a | b | c |\n|-|-|-|\n| `b | c` | `d` |", "d"],
  ["a bar in a cell", "| a |\n|-|\n| `a \\| b` |", "a \\| b"],
  ["elements of several lines", "<A>\n`a\n</A>\n<B c={d}>\nb`\n{e}\n`f`\n</B>", "f"],
  ["an element in a line", "`a\n<b>c</b> d`", "a <b>c</b> d"],
  ["a fence", "a `b\n```\n`c`\n```\nd`\n\n`e`", "e"],
  ["a fence on an item", "a `b`\n- ```\n  `c`\n  ```\n  `d`", "b", "d"],
  ["what only looks like a fence", "``` a ``` `b`", "a", "b"],
  ["frontmatter", "---\na: `b\n---\nc`\n\n`d`", "d"],
];

interface Point {
  readonly offset?: number | undefined;
}

interface Node {
  readonly type: string;
  readonly position?: { readonly start: Point; readonly end: Point } | undefined;
  readonly children?: readonly Node[];
}

function parsedSpans({ type, position, children = [] }: Node): object[] {
  const own = { start: position?.start.offset, end: position?.end.offset };
  return type === "inlineCode" ? [own] : children.flatMap(parsedSpans);
}

describe("spans of code", () => {
  for (const [name, text, ...code] of table) {
    it(name, () => {
      const index = createCodeSpanIndex(text);
      const spans = findCodeRanges(text).flatMap(({ start }) => index.findAt(start) ?? []);
      assert.deepEqual(
        spans.map((span) => getCodeSpanText(text, span)),
        code,
      );
      const places = spans.map(({ start, end }) => ({ start, end }));
      assert.deepEqual(places, parsedSpans(mdxToMdast(text)), "as the parser reads them");
    });
  }

  it("are found with their backticks, blocks with their fences", () => {
    const text = "a ``b`` c\n```\nd\n```\n`e` f";
    const code = findCodeRanges(text);
    const shown = code.map(({ start, end }) => text.slice(start, end));
    assert.deepEqual(shown, ["``b``", "```\nd\n```\n", "`e`"]);
    const outside = Array.from(text).filter((_, at) => !isInCode(code, at));
    assert.equal(outside.join(""), "a  c\n f");
  });

  it("are found where they begin, in any order", () => {
    const text = "`a` ``b` `\n\n- `c`";
    const index = createCodeSpanIndex(text);
    const found = [14, 7, 4, 0].map((offset) => index.findAt(offset)?.end);
    assert.deepEqual(found, [17, 10, undefined, 3]);
  });

  it("are found in little time however the text is made", () => {
    const parts = [
      "`",
      "`a",
      "`` ` ",
      "a `b\n",
      "a `\n\n",
      "| `a ",
      "| `a\n",
      "> `",
      "\\`",
      "<a>\n`",
    ];
    for (const part of parts) {
      findCodeRanges(part.repeat(200_000));
      findCodeSpans(part.repeat(200_000));
    }
    let runs = "";
    for (let length = 1; length < 1_000; length++) runs += `${"`".repeat(length)} `;
    findCodeRanges(runs);
  });
});
