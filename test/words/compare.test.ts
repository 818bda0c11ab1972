import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { comparePage } from "./compare.ts";

function compare(text: string, content: string, files: Readonly<Record<string, string>> = {}) {
  const source = {
    path: "guides/start.mdx",
    text,
    mode: undefined,
    readFile: (path: string) => files[path],
  };
  const { lost, explained, unread } = comparePage(source, `<div id="content">${content}</div>`);
  return { lost: lost.map(({ word }) => word), explained, unread };
}

/** Words that must be found missing: a page of our own never loses them, so the test removes them. */
suite("a comparison of a page with its source", () => {
  const losses: readonly [source: string, page: string, lost: readonly string[]][] = [
    ["One two.", "<p>One</p>", ["two"]],
    ["One one one.", "<p>One one</p>", ["one"]],
    ["**bo**ld", "<p><b>bo</b>ld</p>", []],
    ["A `code` word", "<p>A word</p>", ["code"]],
    ["```js Title\nlet a;\n```", "<pre>let a;</pre>", ["Title"]],
    ['<Card title="Top" icon="x">Text</Card>', "<div>Text</div>", ["Top"]],
    ["![A hill](/a.png)", '<img src="a.png" alt="A">', ["hill"]],
    ["| A | B |\n| - | - |\n| c | d |", "<table><td>A B c</td></table>", ["d"]],
    ['<Note>Said</Note> {"shown"} {/* not */}', "<p>Said</p>", ["shown"]],
    ["In text", '<p title="text">In</p>', ["text"]],
    ["a < b <!-- not --> word", "<p>a b</p>", ["word"]],
  ];
  for (const [source, page, lost] of losses) {
    test(`${source} as ${page}`, () => assert.deepEqual(compare(source, page).lost, lost));
  }

  test("reads what a page imports, with what it is given", () => {
    const source = 'import S from "/s.mdx"\n\n<S word="given">inner</S>';
    const files = { "s.mdx": "Snippet {word} {children}" };
    assert.deepEqual(compare(source, "<p>Snippet</p>", files).lost.toSorted(), ["given", "inner"]);
  });

  test("reads components of JavaScript and of the page", () => {
    const source =
      'import { A } from "./a.jsx"\n\nexport const B = () => <p>second</p>;\n\n<A title="third" /><B />';
    const files = {
      "guides/a.jsx": "export const A = ({ title }) => {\n  return <p>first {title}</p>;\n};",
    };
    assert.deepEqual(compare(source, "", files).lost.toSorted(), ["first", "second", "third"]);
  });

  test("counts what is no text by its rule", () => {
    const source = '---\nicon: flag\n---\n\n[link](/a/b) {/* said */} <Icon icon="x" />';
    const { explained, unread } = compare(source, "<p>link</p>");
    assert.deepEqual(unread, []);
    assert.deepEqual([...explained.keys()].toSorted(), [
      "address",
      "comment",
      "property",
      "setting",
    ]);
  });
});
