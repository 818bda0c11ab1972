import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { array, assert as assertProperty, constantFrom, property } from "fast-check";
import { planPropertyRuns } from "../../../../../test/support/property-runs.ts";
import MarkdownIt from "markdown-it";
import { sanitizeMarkdown, sanitizeQuotation } from "./sanitize-markdown.ts";

const options = { maxLength: 5_000 };

describe("inertMarkdown", () => {
  const cases: readonly (readonly [name: string, source: string, expected: string])[] = [
    ["marks", "**a** *b* ~~c~~ `d`", "**a** *b* ~~c~~ `d`"],
    ["lists", "1. a\n2. b\n   - c\n     d", "1. a\n2. b\n   - c\n     d"],
    [
      "tables",
      "| a | b |\n|:-:|---|\n| `x\\|y` | z |",
      "| a | b |\n| --- | --- |\n| `x\\|y` | z |",
    ],
    ["code", "```bash\nrm -r x\n```", "```bash\nrm -r x\n```"],
    ["quotations", "> a\n> b", "> a\n> b"],
    ["headings", "# A\n\nB\n=\n", "# A\n\n# B"],
    ["mentions", "Ask @acme/team or a@b.example", "Ask `@acme/team` or `a@b.example`"],
    ["issues", "Fixes #1, o/r#2, GH-3, !4", "Fixes `#1`, `o/r#2`, `GH-3`, `!4`"],
    ["escaped references", "\\@a \\#1 &#64;b", "`@a` `#1` `@b`"],
    ["addresses", "See https://x.example/a_b.", "See `https://x.example/a_b.`"],
    [
      "links",
      "[a `b`](https://x.example) <https://y.example>",
      "a `b` (`https://x.example`) `https://y.example`",
    ],
    ["pictures", "![a](http://t.example/p.png)", "a (`http://t.example/p.png`)"],
    ["HTML", "<details><b>x</b></details>", "&lt;details&gt;&lt;b&gt;x&lt;/b&gt;&lt;/details&gt;"],
    ["entities", "&lt;b&gt; &amp;amp;", "&lt;b&gt; &amp;amp;"],
    ["comments", "a <!-- b\n\nc --> d", "a  d"],
    [
      "commands",
      "/approve\n/assign x\n\n```\n/lgtm\n```",
      "&#47;approve\n&#47;assign x\n\n```text\n /lgtm\n```",
    ],
    ["drawings", "```mermaid\nclick a href\n```", "```text\nclick a href\n```"],
    ["rules", "a\n\n---\n\nb", "a\n\nb"],
    ["fences in fences", "````\n```\n@a\n```\n````", "````text\n```\n@a\n```\n````"],
    ["boxes", "- [x] I agree\n- [X] Docs\n- [ ] Code", "- [ ] I agree\n- [x] Docs\n- [ ] Code"],
    ["tokens", "key ghp_0123456789abcdefABCD", "key \\[redacted\\]"],
    ["invisible characters", "a\u202eb\u200bc", "abc"],
  ];
  for (const [name, source, expected] of cases) {
    it(`writes ${name}`, () => {
      assert.equal(sanitizeMarkdown(source, options), expected);
    });
  }

  it("keeps headings below those of the text around it", () => {
    assert.equal(
      sanitizeMarkdown("# a\n\n##### b", { ...options, minHeadingLevel: 4 }),
      "#### a\n\n##### b",
    );
  });

  it("says that it is cut", () => {
    for (const source of [
      "a ".repeat(9_000),
      "&".repeat(9_000),
      `> > > > > > a\n${"b\n".repeat(9_000)}`,
    ]) {
      const text = sanitizeMarkdown(source, { maxLength: 2_000 });
      assert.ok(text.length <= 2_000 && text.length > 500, String(text.length));
      assert.match(text, /\n\n_Cut here: the text has [\d,]+ characters\._$/);
      assert.ok(sanitizeQuotation(source, 2_000).length <= 2_000);
    }
  });

  it("is inert for any text", () => {
    const pieces = [
      "@a",
      "#1",
      "GH-1",
      "https://x.example",
      "www.x.example",
      "`",
      "``",
      "```\n",
      "\n",
      "\n\n",
      "- ",
      "> ",
      "1. ",
      "# ",
      "|",
      "[a](b)",
      "![a](b)",
      "<b>",
      "<!--",
      "-->",
      "---",
      "\\",
      "*",
      "_",
      "~~",
      "/run",
      "    ",
      "\t",
      "&#64;",
      "[x]: /y",
      "a",
      " ",
    ];
    const text = array(constantFrom(...pieces), { maxLength: 40 }).map((all) => all.join(""));
    assertProperty(
      property(text, (source) => {
        assertInert(sanitizeMarkdown(source, options));
        assertInert(sanitizeQuotation(source, 5_000));
      }),
      planPropertyRuns(2_000),
    );
  });
});

const reader = new MarkdownIt("default", { html: true, linkify: true });

function assertInert(written: string): void {
  const tokens = reader.parse(written, {});
  const inline = tokens.flatMap(({ children }) => children ?? []);
  const types = [...tokens, ...inline].map(({ type }) => type);
  const active = /^(?:html_block|hr|link_open|image|html_inline)$/;
  assert.deepEqual(
    types.filter((type) => active.test(type)),
    [],
    written,
  );
  const words = inline.filter(({ type }) => type === "text").map(({ content }) => content);
  assert.doesNotMatch(words.join("\n"), /@|#\d|\bGH-\d/, written);
  assert.doesNotMatch(written, /^\/[a-z]/m);
}
