import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseFragment } from "parse5";
import type { DefaultTreeAdapterTypes } from "parse5";
import { renderSafeMarkdown } from "./markdown.ts";

type Parent = DefaultTreeAdapterTypes.ParentNode;

const hostile = [
  "*·_a·[·![·[a](·`a ·> ·>·- ·  - ·> - ·1) a\n·# ·|·|\n·|a\n|-\n",
  "\\·https://·https://a.example/(·a@b.·<·<a ·<!--·&·**a·***a** b*·```\n·[a]: b\n",
  "[a]: ·[\n·](b)·~~a~·a\n·- a\n\n·\t- ·\0·\uD800",
].flatMap((pieces) => pieces.split("·"));
const shapes: readonly string[] = [
  ...hostile.map((piece) => piece.repeat(Math.ceil(1_000_000 / piece.length))),
  `${"> ".repeat(1_000)}${"a\n".repeat(499_000)}`,
  `${"[".repeat(30_000)}${"](https://a.example)".repeat(50_000)}`,
  `|${"a|".repeat(5_000)}\n|${"-|".repeat(5_000)}\n${"|\n".repeat(490_000)}`,
  Array.from({ length: 1_400 }, (_, length) => `a${"`".repeat(length)}`).join(""),
  Array.from({ length: 10_000 }, (_, index) => `${"  ".repeat(index % 50)}- a`).join("\n"),
];

describe("hostile Markdown of a megabyte", () => {
  for (const source of shapes) {
    it(`is rendered within bounds: ${JSON.stringify(source.slice(0, 20))}`, () => {
      const text = String(renderSafeMarkdown(source));
      assert.ok(text.length < 8_000_000);
      assert.ok(depthOf(parseFragment(text)) < 200);
    });
  }
});

function depthOf(whole: Parent): number {
  let depth = 0;
  for (let level: Parent[] = [whole]; level.length > 0; depth++) {
    level = level.flatMap((node) => node.childNodes.filter((child) => "childNodes" in child));
  }
  return depth;
}
