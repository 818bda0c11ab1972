import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { listPageSpans } from "./page-spans.ts";

/**
 * Returns the page without its words, and the words by kind: `p` for prose, `a` for attributes, `m` for metadata, `c`
 * for code.
 */
function words(page: string): string[] {
  return listPageSpans(page).flatMap(({ kind, start, end }) => {
    const text = page.slice(start, end).trim();
    return text === "" ? [] : [`${kind[0]}:${text}`];
  });
}

const table: readonly (readonly [name: string, page: string, expected: readonly string[]])[] = [
  [
    "frontmatter",
    "---\ntitle: 'One'\nicon: star\ndescription: Two words # not this\n---\n\nText.\n",
    ["m:One", "m:Two words", "p:Text."],
  ],
  [
    "a block text in frontmatter",
    "---\ndescription: >\n  One\n  two\nicon: x\n---\n",
    ["m:>\n  One\n  two"],
  ],
  ["frontmatter that is not closed", "---\ntitle: x\n", ["p:---\ntitle: x"]],
  ["headings, lists, quotations", "# One\n\n- two\n> three\n", ["p:# One\n\n- two\n> three"]],
  ["fenced code", 'a\n\n```js title="x"\nb\n```\n\nc\n', ["p:a", "c:b", "p:c"]],
  [
    "longer fences and tildes",
    "````md\n```\na\n```\n````\n~~~\nb\n~~~\nc",
    ["c:```\na\n```", "c:b", "p:c"],
  ],
  [
    "a fence in a list and a quotation",
    "- ```\n  a\n  ```\n> ```\n> b\n> ```\nc",
    ["c:a", "c:> b", "p:c"],
  ],
  ["a fence that is not closed", "a\n```\nb\n", ["p:a", "c:b"]],
  ["inline code", "a `b` c ``d ` e`` f", ["p:a", "c:b", "p:c", "c:d ` e", "p:f"]],
  ["a backtick alone", "a ` b\n\nc ` d", ["p:a ` b\n\nc ` d"]],
  ["backticks of two items", "- a ` b\n- c ` d", ["p:- a ` b\n- c ` d"]],
  ["backticks around mathematics", "a `b\n$$\nc\n$$\nd` e", ["p:a `b", "p:d` e"]],
  ["links", '[a](/b "c") d [e][f] ![g](h.png)', ["p:[a", "p:d [e][f] ![g"]],
  ["brackets in addresses", "[a](/b(c)d) e", ["p:[a", "p:e"]],
  ["definitions", '[a]: /b "c"\n', ["p:[a", 'p:"c"']],
  [
    "addresses",
    "see https://a.b/c?d=e, www.f.g and <https://h.i> or mailto:j@k.l end",
    ["p:see", "p:and", "p:or", "p:end"],
  ],
  ["tags and their texts", '<Card title="A b" icon="star" href=\'/c\'>d</Card>', ["a:A b", "p:d"]],
  [
    "attributes of several lines and expressions",
    "<Card\n  title='A'\n  x={{ a: \"}\", b: `${c}` }}\n>\nb\n</Card>",
    ["a:A", "p:b"],
  ],
  ["elements without prose", "a <code>b</code> <pre>c\n\nd</pre> e <kbd>f</kbd>", ["p:a", "p:e"]],
  ["comments", "a <!-- b --> c {/* d */} e", ["p:a", "p:c", "p:e"]],
  ["expressions", "a {b ? \"c}\" : 'd'} e", ["p:a", "p:e"]],
  ["imports and exports", 'import A from "/b.mdx"\nexport const c = 1\n\nd\n', ["p:d"]],
  ["a word that begins a line", "a\nimport b\n", ["p:a\nimport b"]],
  ["mathematics", "$$\na\n$$\nb $x_1$ c, 5$ or 6$ d", ["p:b", "p:c, 5$ or 6$ d"]],
  ["escapes", "a \\` b \\< c \\{ d", ["p:a \\` b \\< c \\{ d"]],
  ["custom ids", "## One {#two}\n", ["p:## One"]],
];

describe("the words of a page", () => {
  for (const [name, page, expected] of table) {
    it(name, () => assert.deepEqual(words(page), expected));
  }

  it("are found in hostile pages without taking long", () => {
    const much = 200_000;
    const pages = ["`", "<a ", "<", "{", "](", "[", "\n```\n", "$a", "<!--", "`` ` ", "a\n\n`", "\\", "<a b=\"", "{'", "---\n", "<pre>", "](a(", "$$\n", "\n>```\n"]; // prettier-ignore
    for (const part of pages) {
      const spans = listPageSpans(part.repeat(Math.ceil(much / part.length)));
      const isInOrder = spans.every(({ start, end }, at) => start < end && start >= (spans[at - 1]?.end ?? 0)); // prettier-ignore
      assert.ok(isInOrder, part);
    }
  });
});
