import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findActiveContent } from "./active-content.ts";

/** A diff by which the lines become the whole of a new file. */
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
    ["[x](javascript:alert(1))", /address that is code/],
    [`<a href="Java&#x09;Script&colon;alert(1)">`, /address that is code/],
    [`<a href=" j a\tvascript:alert(1)">`, /address that is code/],
    ["<a href={`javascript:send()`}>", /address that is code/],
    ["javascript:alert(1)", /address that is code/],
    ["[x](data:text/html;base64,PHM+)", /address that is code/],
    ["export const Widget = () => fetch('https://e.vil');", /code of a page/],
    ["export default function Page() {", /code of a page/],
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

  const harmless = [
    "A link to [a site](https://example.com) and ![a picture](/a.png).",
    "<Frame><Card title='x' href='/a'>Text</Card></Frame>",
    "<Link href='/a' />",
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
