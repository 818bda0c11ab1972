import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { applyEdits } from "@octavo/site/text";
import { createLinkedText, getLinkText, listUnlinkEdits } from "./links.ts";

/** Returns the text with every found address in square brackets, and `|` before each link. */
function marked(source: string, target: string): string {
  const columns: number[] = [];
  let text = source;
  for (let at = text.indexOf("|"); at !== -1; at = text.indexOf("|")) {
    columns.push(at);
    text = text.slice(0, at) + text.slice(at + 1);
  }
  const page = createLinkedText(text);
  const edits = columns.flatMap((at) => {
    const line = text.slice(0, at).split("\n").length;
    const column = at - text.lastIndexOf("\n", at - 1);
    const address = page.find({ target, line, column })?.address;
    return address === undefined
      ? []
      : [{ start: address, end: address + target.length, text: `‹${target}›` }];
  });
  return applyEdits(text, [...new Map(edits.map((edit) => [edit.start, edit])).values()]);
}

const found: readonly (readonly [source: string, marked: string])[] = [
  ["|[a](/x)", "[a](‹/x›)"],
  ["|[a]( </x> 'T' )", "[a]( <‹/x›> 'T' )"],
  ["|[`/x`](/x) `/x`", "[`/x`](‹/x›) `/x`"],
  ["|[a [b] \\] `]`](/x)", "[a [b] \\] `]`](‹/x›)"],
  ["`/x` |[a](/x 'A \"T\"') (/x)", "`/x` [a](‹/x› 'A \"T\"') (/x)"],
  [
    "|[a][B c] |[b\n c]\n\n[b C]: </x> 'T'\n[b c]: /x",
    "[a][B c] [b\n c]\n\n[b C]: <‹/x›> 'T'\n[b c]: /x",
  ],
  ["|[b][]\n\n```\n[b]: /x\n```\n\n[b]: /x", "[b][]\n\n```\n[b]: /x\n```\n\n[b]: ‹/x›"],
  ['|<Card title="/x > y" a={"}"} href={"/x"}>/x', '<Card title="/x > y" a={"}"} href={"‹/x›"}>/x'],
  ["|<a\n  class='/x'\n  href='/x'>", "<a\n  class='‹/x›'\n  href='/x'>"],
  // Links whose address differs from the reported form are not found.
  [
    "|[a](/xy) |[b](/y/x) |[c] |<Card href={x}> |(/x)",
    "[a](/xy) [b](/y/x) [c] <Card href={x}> (/x)",
  ],
];

describe("a link's address in a page", () => {
  for (const [source, expected] of found) {
    it(JSON.stringify(source), () => assert.equal(marked(source, "/x"), expected));
  }

  it("has the words of its link beside it", () => {
    const text = "See [*the* `x`](/x).";
    const link = createLinkedText(text).find({ target: "/x", line: 1, column: 5 });
    assert.equal(getLinkText(text, link), "the x");
  });

  it("is looked for in little time however the page is made", () => {
    for (const text of [
      "[".repeat(50_000),
      "<a ".repeat(30_000),
      "[a]: /x\n".repeat(20_000),
      "`[".repeat(30_000),
    ]) {
      const page = createLinkedText(text);
      for (let column = 1; column < 500; column++) page.find({ target: "/none", line: 1, column });
    }
  });
});

const unlinked: readonly (readonly [source: string, target: string, expected: string])[] = [
  ["a [*b*](/x 'T') c", "/x", "a *b* c"],
  ['<Card title="T" href="/x" icon="i">b</Card>', "/x", '<Card title="T" icon="i">b</Card>'],
  ["<Card href={'/x'}>b</Card>", "/x", "<Card>b</Card>"],
  ['a <a class="y" href="/x">b *c*</a> d', "/x", "a b *c* d"],
  ["[b][k] [K] [k][]\n\n[k]: /x\n[l]: /y\n", "/x", "b K k\n\n[l]: /y\n"],
];

describe("a link that is taken away", () => {
  for (const [source, target, expected] of unlinked) {
    it(JSON.stringify(source), () => {
      const starts = [...source.matchAll(/(?:^|[^\]])(?=\[[^\]]*\](?!:))|(?=<[aC])/g)];
      const links = starts.map((match) => ({
        target,
        line: 1,
        column: match.index + match[0].length + 1,
      }));
      const edits = [...listUnlinkEdits(createLinkedText(source), links).values()].flat();
      assert.equal(applyEdits(source, edits), expected);
    });
  }

  it("keeps the definition that another link names", () => {
    const source = "[b][k] [c][k]\n\n[k]: /x\n";
    const links = [{ target: "/x", line: 1, column: 1 }];
    const edits = [...listUnlinkEdits(createLinkedText(source), links).values()].flat();
    assert.equal(applyEdits(source, edits), "b [c][k]\n\n[k]: /x\n");
  });
});
