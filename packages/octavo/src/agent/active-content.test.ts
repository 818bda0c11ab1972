import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findActiveContent } from "./active-content.ts";

/** Returns a diff that adds a new file with these lines. */
function added(path: string, ...lines: string[]): string {
  const body = lines.map((line) => `+${line}`).join("\n");
  return `diff --git a/${path} b/${path}\nnew file mode 100644\n--- /dev/null\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${body}\n`;
}

describe("in a page", () => {
  const found: [line: string, what: RegExp, text?: string][] = [
    [`Hi <script src="//e.vil/x.js"></script> you`, /<script>/, `<script src="//e.vil/x.js">`],
    ["<SCRIPT>", /<script>/],
    ["<script", /<script>/],
    [`<iframe src="https://e.vil" />`, /<iframe>/],
    ["<object data='x'>", /<object>/],
    [`<link rel="stylesheet" href="x">`, /<link>/],
    [`<form action="https://e.vil">`, /<form>/],
    [`<base href="https://e.vil/">`, /<base>/],
    [`<img src=x onerror="alert(1)">`, /onerror/, `onerror="alert(1)">`],
    ["  onClick={() => send()}", /onClick/],
    [`<svg/onload='x'>`, /onload/],
    [`<p srcDoc="x">`, /srcDoc/],
    ["<p dangerouslySetInnerHTML={{ __html: x }} />", /dangerouslySetInnerHTML/],
    ["[x](javascript:alert(1))", /address that contains code/],
    [`<a href="Java&#x09;Script&colon;alert(1)">`, /address that contains code/],
    [`<a href=" j a\tvascript:alert(1)">`, /address that contains code/],
    ["<a href={`javascript:send()`}>", /address that contains code/],
    ["javascript:alert(1)", /address that contains code/],
    ["[x](data:text/html;base64,PHM+)", /address that contains code/],
    ["export const Widget = () => fetch('https://e.vil');", /code in a page/],
    ["export default function Page() {", /code in a page/],
  ];
  for (const [line, what, text] of found) {
    it(`names ${line}`, () => {
      const [first, ...others] = findActiveContent(added("guides/a.mdx", "plain", line));
      assert.match(first?.what ?? "", what);
      assert.deepEqual([first?.path, first?.line], ["guides/a.mdx", 2]);
      if (text !== undefined) assert.equal(first?.text, text);
      assert.deepEqual(others, []);
    });
  }

  const remote: [line: string, ...found: (readonly [what: RegExp, address: string])[]][] = [
    ["See [a site](https://a.example/x) and ![a](/a.png).", [/a link/, "https://a.example/x"]],
    [
      "![a](https://a.example/p.png) ![b](//b.example/p.png)",
      [/a picture/, "https://a.example/p.png"],
      [/a picture/, "//b.example/p.png"],
    ],
    [
      "[![a](https://a.example/p.png)](https://b.example)",
      [/a picture/, "https://a.example/p.png"],
      [/a link/, "https://b.example"],
    ],
    [`<img alt="x" src="https://a.example/p.png" />`, [/a picture/, "https://a.example/p.png"]],
    [
      `<video controls poster={"https://a.example/p.png"}>`,
      [/a picture/, "https://a.example/p.png"],
    ],
    [`  src="https://a.example/p.png"`, [/a picture/, "https://a.example/p.png"]],
    [`<Card title="x" href="https://a.example/b">`, [/a link/, "https://a.example/b"]],
    ["<a href={`https://a.example`}>", [/a link/, "https://a.example"]],
    [`  href="//a.example/b"`, [/a link/, "//a.example/b"]],
    ["[a]: https://a.example/b", [/a link/, "https://a.example/b"]],
    ["Read [a [b] c](https://a.example).", [/a link/, "https://a.example"]],
    ["![a [b]](https://a.example/p.png)", [/a picture/, "https://a.example/p.png"]],
    [`<Card img="https://a.example/p.png">`, [/a picture/, "https://a.example/p.png"]],
    [`<Tool endpoint={"https://a.example"} />`, [/an address on/, "https://a.example"]],
    [`<i style="background: url(//a.example/p)">`, [/a picture/, "//a.example/p"]],
    [`"og:image": "https://a.example/p.png"`, [/an address on/, "https://a.example/p.png"]],
    [`<a href="/\\a.example">`, [/a link/, "/\\a.example"]],
    [
      "[a](http&#58;//a.example) [b](&sol;/b.example)",
      [/a link/, "http://a.example"],
      [/a link/, "//b.example"],
    ],
    [
      "Go to https://a.example/b or <https://b.example>.",
      [/a link/, "https://a.example/b"],
      [/a link/, "https://b.example"],
    ],
  ];
  for (const [line, ...expected] of remote) {
    it(`names what is remote in ${line}`, () => {
      const found = findActiveContent(added("a.mdx", line));
      assert.deepEqual(
        found.map(({ text }) => text),
        expected.map(([, address]) => address),
      );
      for (const [at, [what]] of expected.entries()) assert.match(found[at]?.what ?? "", what);
      assert.ok(found.every(({ isRemote }) => isRemote));
    });
  }

  it("names an address that stood in the file before only where it is new", () => {
    const diff =
      "diff --git a/a.mdx b/a.mdx\n--- a/a.mdx\n+++ b/a.mdx\n@@ -1 +1,2 @@\n-[a](https://a.example)\n+[b](https://a.example)\n+[c](https://c.example)\n";
    assert.deepEqual(
      findActiveContent(diff).map(({ text }) => text),
      ["https://c.example"],
    );
  });

  const harmless = [
    "A link to [a page](/a), [another](./b) and ![a picture](/a.png). // no address",
    "<Frame><Card title='x' href='/a'>Text</Card></Frame>",
    "<Link href='/a' />",
    'await fetch("https://a.example/x"); // comment',
    "Schemes such as `javascript:`, `data:` (javascript:) and 'vbscript:' are refused.",
    "JavaScript: the language. Also in JavaScript: this.",
    "Move on = go on. The option once = 1.",
    `import Hint from "/snippets/hint.mdx";`,
    `export const name = "Octavo";`,
    "![x](data:image/png;base64,AAAA)",
    "a <b and scripts > c",
  ];
  for (const line of harmless) {
    it(`omits ${line}`, () => {
      assert.deepEqual(findActiveContent(added("a.md", line)), []);
    });
  }
});

describe("in configuration and API descriptions", () => {
  const found: [path: string, line: string, text: string][] = [
    ["docs.json", `  "href": "https://e.vil/x",`, "https://e.vil/x"],
    ["docs.json", String.raw`"href": "https:\/\/e.vil"`, "https://e.vil"],
    ["docs.json", String.raw`"content": "\u003cscript src=x\u003e"`, "<script src=x>"],
    ["docs.json", `"logo": "//e.vil/l.svg"`, "//e.vil/l.svg"],
    ["docs.json", `"ga4": { "measurementId": "G-1" }`, `"measurementId": "G-1" }`],
    ["api/spec.yaml", "  - url: https://e.vil/v1", "https://e.vil/v1"],
    ["api/spec.yaml", "  - url: //e.vil", "//e.vil"],
  ];
  for (const [path, line, text] of found) {
    it(`names ${line}`, () => {
      const [first] = findActiveContent(added(path, line));
      assert.equal(first?.text, text);
    });
  }

  it("omits paths, the schema and words", () => {
    const lines = [
      `"$schema": "https://mintlify.com/docs.json",`,
      `"pages": ["guides/a", "https"],`,
      `"source": "/old//path", "destination": "/new"`,
      "# https is what we want // really",
    ];
    assert.deepEqual(findActiveContent(added("docs.json", ...lines)), []);
  });
});

describe("a diff", () => {
  it("is compared by what is new in a file, wherever git puts it", () => {
    const frame = `<iframe src="https://a.example" />`;
    const diff = [
      "diff --git a/a.mdx b/a.mdx",
      "--- a/a.mdx",
      "+++ b/a.mdx",
      "@@ -1,2 +1,2 @@",
      `-Old ${frame}`,
      `+New ${frame}`,
      " <script>",
      "@@ -10 +10,2 @@",
      "-x",
      "+x",
      `+<iframe src="https://b.example" />`,
      "diff --git a/gone.mdx b/gone.mdx",
      "deleted file mode 100644",
      "--- a/gone.mdx",
      "+++ /dev/null",
      "@@ -1 +0,0 @@",
      "-<script>",
      String.raw`\ No newline at end of file`,
    ].join("\n");
    const places = findActiveContent(diff).map(({ path, line, text }) => [path, line, text]);
    assert.deepEqual(places, [["a.mdx", 11, `<iframe src="https://b.example" />`]]);
  });

  it("is not confused by lines that look like its own", () => {
    const diff = [
      "diff --git a/a.mdx b/a.mdx",
      "--- a/a.mdx",
      "+++ b/a.mdx",
      "@@ -1,2 +1,4 @@",
      "--- a/x.mdx",
      "+++ b/docs.json",
      "+@@ -0,0 +0,0 @@",
      "+diff --git a/b b/b",
      "+<script>\r",
      " end",
    ].join("\n");
    assert.deepEqual(
      findActiveContent(diff).map(({ path, line, text }) => [path, line, text]),
      [["a.mdx", 4, "<script>"]],
    );
  });

  it("reports names unchanged", () => {
    const names = [
      [String.raw`"a/caf\303\251 \\101.mdx" "b/caf\303\251 \\101.mdx"`, String.raw`café \101.mdx`],
      ["a/a b.mdx b/a b.mdx", "a b.mdx"],
    ];
    for (const [written, path] of names) {
      const [found] = findActiveContent(
        `diff --git ${written}\nnew file mode 100644\n--- /dev/null\n@@ -0,0 +1 @@\n+<script>\n`,
      );
      assert.equal(found?.path, path);
    }
  });

  it("is read to its end in linear time, whatever it contains", () => {
    const hostile = [
      "<form",
      "onabc ",
      `"https://`,
      "export ",
      "&#",
      "=",
      "javascript:",
      " ",
      "\\u003c",
      "![",
      "[a](//",
      "<img ",
      "<a ",
      "href=",
      " https://a ",
      "](//a",
      "![[",
      'x="//',
    ];
    for (const text of hostile) {
      const line = text.repeat(400_000 / text.length);
      for (const path of ["a.mdx", "docs.json"]) {
        assert.ok(findActiveContent(added(path, line)).length <= 1_000);
      }
    }
    const lines = Array.from({ length: 50_000 }, (_, at) => `<form id=${at}>`);
    assert.equal(findActiveContent(added("a.mdx", ...lines)).length, 1_000);
  });
});
