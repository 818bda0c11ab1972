import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { renderMarkdown } from "./markdown.ts";

const rel = 'rel="noopener noreferrer nofollow"';

const cases: readonly (readonly [name: string, source: string, expected: string])[] = [
  ["paragraphs and line breaks", "One\ntwo\n\nThree", "<p>One<br />two</p><p>Three</p>"],
  ["headings below the page's own", "# A #\n### B", "<h3>A </h3><h4>B</h4>"],
  [
    "strong, emphasised and code",
    "**a** *b* _c_ `d*`",
    "<p><strong>a</strong> <em>b</em> <em>c</em> <code>d*</code></p>",
  ],
  ["names with underscores", "a_b_c and 2 * 3 * 4", "<p>a_b_c and 2 * 3 * 4</p>"],
  [
    "links",
    "[a `b`](https://x.example/?q=1&r)",
    `<p><a href="https://x.example/?q=1&amp;r" ${rel}>a <code>b</code></a></p>`,
  ],
  [
    "bare addresses",
    "See https://x.example/a.",
    `<p>See <a href="https://x.example/a" ${rel}>https://x.example/a</a>.</p>`,
  ],
  [
    "no link in a link",
    "[https://a.example](https://b.example)",
    `<p><a href="https://b.example/" ${rel}>https://a.example</a></p>`,
  ],
  [
    "nothing that runs",
    "[a](javascript:alert(1)) [b](data:x) [c](//d.example) [e](/keys)",
    "<p>[a](javascript:alert(1)) [b](data:x) [c](//d.example) [e](/keys)</p>",
  ],
  ["escapes", String.raw`\*a\* \<b>`, "<p>*a* &lt;b&gt;</p>"],
  ["lists", "- a\n- b\n  c\n\n1. d", "<ul><li>a</li><li>b<br />c</li></ul><ol><li>d</li></ol>"],
  [
    "a list in a list",
    "- a\n  - b\n    - c\n- d",
    "<ul><li>a<ul><li>b</li><li>c</li></ul></li><li>d</li></ul>",
  ],
  ["quotes", "> a\n> b", "<blockquote><p>a<br />b</p></blockquote>"],
  ["rules", "a\n\n---", "<p>a</p><hr />"],
  [
    "code",
    "```mdx\n<A>\n  b\n```\nc",
    '<pre tabindex="0"><code>&lt;A&gt;\n  b</code></pre><p>c</p>',
  ],
  ["code without an end", "~~~\na\n```", '<pre tabindex="0"><code>a\n```</code></pre>'],
  ["markup as text", "<script>a</script>&amp;", "<p>&lt;script&gt;a&lt;/script&gt;&amp;amp;</p>"],
];

/** Without the line breaks that stand in templates for their reader. */
function compact(text: string): string {
  const [code = ""] = /<pre[\s\S]*<\/pre>/.exec(text) ?? [];
  return text
    .replace(code, "\0")
    .replaceAll(/\s*\n\s*/g, "")
    .replace("\0", code)
    .trim();
}

describe("Markdown of people", () => {
  for (const [name, source, expected] of cases) {
    it(`renders ${name}`, () => {
      assert.equal(compact(String(renderMarkdown(source))), expected);
    });
  }

  it("renders tables", () => {
    const text = String(renderMarkdown("| a | b |\n| --- | :-: |\n| 1 | `x\\|y` |\n\nc"));
    assert.deepEqual(
      [...text.matchAll(/<t([hd])(?: scope="col")?>(.*?)<\/t[hd]>/gs)].map(([, kind, cell]) => [
        kind,
        cell,
      ]),
      [
        ["h", "a"],
        ["h", "b"],
        ["d", "1"],
        ["d", "<code>x|y</code>"],
      ],
    );
    assert.match(text, /<p>c<\/p>/);
  });

  for (const piece of [
    "*",
    "_a",
    "[",
    "[a](",
    "`a ",
    "> ",
    "- ",
    "  - ",
    "# ",
    "|",
    "\\",
    "https://",
    "<",
    "**a",
    "```\n",
  ]) {
    it(`comes to an end with ${JSON.stringify(piece)} again and again`, () => {
      const text = String(renderMarkdown(piece.repeat(20_000)));
      assert.ok(text.length > 0);
      assert.ok(String(renderMarkdown(`#${" ".repeat(60_000)}x`)).length > 0);
    });
  }
});
