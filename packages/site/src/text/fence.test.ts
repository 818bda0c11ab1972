import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findCodeBlocks, formatFencedCode, isInCode } from "./fence.ts";

/** The text without its blocks, and what stands behind each opening fence. */
function cut(text: string): [prose: string, ...infos: string[]] {
  const blocks = findCodeBlocks(text);
  const prose = Array.from(text)
    .filter((_, at) => !isInCode(blocks, at))
    .join("");
  return [prose, ...blocks.map(({ info }) => info)];
}

const table: readonly (readonly [name: string, text: string, ...expected: string[]])[] = [
  ["none", "a\n``` b ```\n``\nc\n``\n", "a\n``` b ```\n``\nc\n``\n"],
  ["backticks and tildes", "a\n```js x\nb\n```\nc\n~~~\nd\n~~~\n", "a\nc\n", "js x", ""],
  ["a longer closing fence", "```\na\n`````\nb", "b", ""],
  ["a shorter one and another kind inside", "````md\n```\n~~~~\n````\na", "a", "md"],
  ["words behind what might close", "```\na\n``` b\n```\nc", "c", ""],
  ["not closed", "a\n```\nb\n", "a\n", ""],
  ["indented, in an element", "<A>\n      ```js\n  a\n      ```\n</A>\n", "<A>\n</A>\n", "js"],
  ["on a list item", "- ```js\n  a\n  ```\nb", "b", "js"],
  ["on a list item of a list item", "1. - ```js\n     a\n     ```\n   b", "   b", "js"],
  ["on a list item, with an empty line", "- ```js\n\n  a\n  ```\nb", "b", "js"],
  ["on a list item that ends before it", "- ```js\n  a\nb\n- ```\n  c\n", "b\n", "js", ""],
  ["closed outside its list item, which opens another", "- ```\n  a\n```\nb", "", "", ""],
  ["on a list item with tabs", "-\t```\n\ta\n\t```\nb", "b", ""],
  ["in a quotation", "> ```\n> a\n> ```\nb", "b", ""],
  ["in a quotation that ends before it", "> ```\n> a\nb", "b", ""],
  ["on a list item in a quotation", "> - ```\n>   a\n>   ```\n> b", "> b", ""],
  ["in a quotation on a list item", "- > ```\n  > a\n  > ```\n  b", "  b", ""],
  ["with CRLF", "a\r\n- ```js\r\n  b\r\n  ```\r\nc\r\n", "a\r\nc\r\n", "js"],
  ["in frontmatter", "---\ntitle: |\n  ```\n---\na\n", "---\ntitle: |\n  ```\n---\na\n"],
];

describe("fenced code", () => {
  for (const [name, text, ...expected] of table) {
    it(name, () => assert.deepEqual(cut(text), expected));
  }

  it("is written in a fence longer than any in it", () => {
    for (const code of ["a", "```\na\n```", "````"]) {
      assert.deepEqual(cut(`${formatFencedCode(code, "js")}\nb`), ["b", "js"]);
    }
  });

  it("is found fast in any text", () => {
    for (const part of ["```\n", "- ```\n", "> ", "- ", "`", "~~~ `\n"]) {
      findCodeBlocks(part.repeat(100_000));
    }
  });
});
