import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseFragment } from "parse5";
import type { DefaultTreeAdapterTypes } from "parse5";
import { renderInline, renderSafeMarkdown } from "./markdown.ts";

const rel = 'rel="noopener noreferrer nofollow"';

const cases: readonly (readonly [name: string, source: string, expected: string])[] = [
  ["paragraphs and line breaks", "One\ntwo\n\nThree", "<p>One<br />two</p><p>Three</p>"],
  ["headings that begin too low", "#### A\n##### B", "<h3>A</h3><h4>B</h4>"],
  ["headings below the page's own", "# A #\n### B", "<h3>A</h3><h4>B</h4>"],
  [
    "strong, emphasized and code",
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
    `<p><a href="https://b.example" ${rel}>https://a.example</a></p>`,
  ],
  [
    "nothing that runs",
    "[a](javascript:alert(1)) [b](data:x) [c](//d.example) [e](/keys)",
    "<p>[a](javascript:alert(1)) [b](data:x) [c](//d.example) [e](/keys)</p>",
  ],
  ["escapes", String.raw`\*a\* \<b>`, "<p>*a* &lt;b&gt;</p>"],
  [
    "boxes of tasks",
    "- [ ] a\n- [x] *b*\n- \\[x] c\n- d [x] e\n\n[x] f",
    '<ul><li><span class="task" role="img" aria-label="Not done"></span> a</li><li><span class="task done" role="img" aria-label="Done"></span> <em>b</em></li><li>[x] c</li><li>d [x] e</li></ul><p>[x] f</p>',
  ],
  ["lists", "- a\n- b\n  c\n\n1. d", "<ul><li>a</li><li>b<br />c</li></ul><ol><li>d</li></ol>"],
  [
    "a list in a list",
    "- a\n  - b\n    - c\n- d",
    "<ul><li>a<ul><li>b<ul><li>c</li></ul></li></ul></li><li>d</li></ul>",
  ],
  ["lists from a number", "4. a", '<ol start="4"><li>a</li></ol>'],
  ["a list in a quote", "> - a", "<blockquote><ul><li>a</li></ul></blockquote>"],
  ["words that were deleted", "~~a~~", "<p><s>a</s></p>"],
  [
    "addresses of mail",
    "<a@b.example>",
    `<p><a href="mailto:a@b.example" ${rel}>a@b.example</a></p>`,
  ],
  [
    "pictures as links",
    "![a *b*](https://x.example/b.png)![](https://x.example/c.png)",
    `<p><a href="https://x.example/b.png" ${rel}>a *b*</a><a href="https://x.example/c.png" ${rel}>Image</a></p>`,
  ],
  [
    "pictures in a link as its words",
    "[![a](https://x.example/b.png)](https://x.example)",
    `<p><a href="https://x.example" ${rel}>a</a></p>`,
  ],
  ["quotes", "> a\n> b", "<blockquote><p>a<br />b</p></blockquote>"],
  ["rules", "a\n\n---", "<p>a</p><hr />"],
  [
    "code",
    "```mdx\n<A>\n  b\n```\nc",
    '<pre tabindex="0"><code>&lt;A&gt;\n  b</code></pre><p>c</p>',
  ],
  ["code without an end", "~~~\na\n```", '<pre tabindex="0"><code>a\n```</code></pre>'],
  ["markup as text", "<script>a</script>&amp;", "<p>&lt;script&gt;a&lt;/script&gt;&amp;</p>"],
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

describe("Markdown written by people", () => {
  for (const [name, source, expected] of cases) {
    it(`renders ${name}`, () => {
      assert.equal(compact(String(renderSafeMarkdown(source))), expected);
    });
  }

  it("renders tables", () => {
    const text = String(renderSafeMarkdown("| a | b |\n| --- | :-: |\n| 1 | `x\\|y` |\n\nc"));
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

  it("says that a long text is truncated", () => {
    const text = String(renderSafeMarkdown("a ".repeat(500_000)));
    assert.match(text, /The rest of this text is not shown/);
    assert.ok(text.length < 70_000);
  });

  it("renders one line", () => {
    assert.equal(
      String(renderInline("# `a` **b** <i>")),
      "# <code>a</code> <strong>b</strong> &lt;i&gt;",
    );
  });
});

const dangerous = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<a href='javascript:alert(1)'>",
  "[a](javascript:alert(1))",
  "[a](&#106;avascript:alert(1))",
  "[a](<java\nscript:alert(1)>)",
  "[a](\u0001javascript:alert(1))",
  "[a](data:text/html,b)",
  "[a](vbscript:b)",
  "[a](https:keys)",
  "[a](https:\\\\keys)",
  "[a](/keys)",
  "[a](//b.example)",
  "<javascript:alert(1)>",
  '[a](https://b.example/"onclick=alert`1`)',
  String.raw`[a](https://b.example "\" onclick=alert(1) ")`,
  "[a]: javascript:alert(1)\n\n[a]",
  '```"><script>\nb\n```',
  "![a](javascript:alert(1))",
  '![" onerror=](https://b.example/x.png)',
  "| <b> | [a](javascript:b) |\n| --- | --- |\n| <script> | `</td><script>` |",
];

describe("code in an author's Markdown", () => {
  for (const around of ["", "> ", "- ", "# ", "**", "[", "|"]) {
    it(`becomes text, or a link to the web, after ${JSON.stringify(around)}`, () => {
      for (const source of dangerous) {
        const page = parseFragment(String(renderSafeMarkdown(`${around}${source}${around}`)));
        for (const element of elementsOf(page)) checkElement(element);
      }
    });
  }
});

const allowed: Readonly<Record<string, readonly string[]>> = {
  a: ["href", "rel"],
  div: ["class", "tabindex", "role", "aria-label"],
  ol: ["start"],
  pre: ["tabindex"],
  th: ["scope"],
  ...Object.fromEntries(
    "p br h3 h4 ul li blockquote hr code strong em s table thead tbody tr td"
      .split(" ")
      .map((name) => [name, []]),
  ),
};

type Parent = DefaultTreeAdapterTypes.ParentNode;

function checkElement({ tagName, attrs }: DefaultTreeAdapterTypes.Element): void {
  const names = allowed[tagName];
  assert.ok(names, tagName);
  for (const { name, value } of attrs) {
    assert.ok(names.includes(name), name);
    if (name === "href") assert.match(value, /^(?:https?:\/\/[^\\]|mailto:)/);
  }
}

function elementsOf(parent: Parent): DefaultTreeAdapterTypes.Element[] {
  return parent.childNodes.flatMap((node) =>
    "tagName" in node ? [node, ...elementsOf(node)] : [],
  );
}
