import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toPlainText, readHeadingLine } from "./heading.ts";

describe("a heading line", () => {
  const rows: readonly (readonly [line: string, level?: number, text?: string, id?: string])[] = [
    ["# A", 1, "A"],
    ["  > ###### A *b*\r", 6, "A *b*"],
    ["## A ## ", 2, "A"],
    ["## C#", 2, "C#"],
    ["## A {#b}", 2, "A", "b"],
    ["## A ## { #b}", 2, "A ## { #b}"],
    ["## A ## {# b } ", 2, "A", "b"],
    ["## {#b}", 2, "", "b"],
    ["## A {# }", 2, "A {# }"],
    ["## {#a} b", 2, "{#a} b"],
    ["#A"],
    ["# "],
    ["####### A"],
    ["- # A"],
  ];
  for (const [line, level, text, id] of rows) {
    it(JSON.stringify(line), () => {
      const heading = readHeadingLine(line);
      assert.deepEqual([heading?.level, heading?.text, heading?.id?.name], [level, text, id]);
      if (heading?.id) assert.match(line.slice(heading.id.start, heading.id.end), /^\{#.*\}$/);
    });
  }
});

describe("the plain text of inline Markdown", () => {
  const rows: readonly (readonly [markdown: string, text: string])[] = [
    ["*The* **bo**ld _a_ ***b*** ~~c~~", "The bold a b c"],
    ["`*args` and ``a ` b`` of `__init__`", "*args and a ` b of __init__"],
    ["snake_case_name 5 * 3 * 2 ~/x", "snake_case_name 5 * 3 * 2 ~/x"],
    ["\\*a\\* \\# \\[b\\](c)", "*a* # [b](c)"],
    ['[a `]` *b*](/x "t") [c][d] [e][]', "a ] b c e"],
    ["[![A lamp](/a_`b`.png)](/x) on", "A lamp on"],
    ["<Badge color='x'>New</Badge>  a\n<br/>b", "New a b"],
    ["\uFDD0\uE000", "\uE000"],
    ["a`` `b` ``c \\`*d*\\`", "a`b`c `d`"],
    ["```a `*b*`", "a *b*"],
    [`\`*${"a".repeat(1_000)}*\``, `*${"a".repeat(1_000)}*`],
  ];
  for (const [markdown, text] of rows) {
    it(JSON.stringify(markdown), () => assert.equal(toPlainText(markdown), text));
  }

  it("is found fast in any Markdown", () => {
    for (const part of ["`", "`` ` ", "[", "*", "<", "\\", "**a", "_a "]) {
      toPlainText(part.repeat(100_000));
      readHeadingLine(`# ${part.repeat(100_000)}`);
    }
    readHeadingLine(`# ${" #".repeat(100_000)}x`);
    readHeadingLine(`# ${"{#".repeat(100_000)}`);
  });
});
