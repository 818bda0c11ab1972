import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pullRequestText } from "./index.ts";
import type { PullRequestInput } from "./index.ts";

const input: PullRequestInput = {
  instructions: ["Fix the links"],
  summary: "Fixed two links.",
  model: "builtin/recipes",
  changes: [
    { path: "a.mdx", kind: "modified" },
    { path: "c.mdx", kind: "moved", from: "b.mdx" },
  ],
  diff: "--- a/a.mdx\n+++ b/a.mdx\n@@ -3 +3 @@\n-[x](/old)\n+[x](/new)\n",
  problems: {
    before: { errors: 2, warnings: 1 },
    after: { errors: 0, warnings: 1 },
    resolved: [{ severity: "error", code: "x", message: "Broken.", file: "a.mdx", line: 3 }],
    added: [],
  },
};

/** The body without what stands in code, in which a code host looks for nothing. */
function outsideCode(body: string): string {
  return body.replaceAll(/^(`{3,})text\n[\s\S]*?\n\1$/gm, "").replaceAll(/(`+) ?[^`\n]*?\1/g, "");
}

describe("pullRequestText", () => {
  it("says what was asked, done, checked and not checked", () => {
    const { title, body } = pullRequestText(input);
    assert.equal(title, "Fix the links");
    for (const part of [
      "Fix the links",
      "Fixed two links.",
      "- Changed: `a.mdx`",
      "- Moved: `b.mdx` to `c.mdx`",
      "| errors | 2 | 0 |",
      "Resolved (1)",
      "`a.mdx:3`",
      "Links to other sites",
      "`builtin/recipes`",
    ]) {
      assert.ok(body.includes(part), part);
    }
  });

  it("names what could act in a reader's browser, and says where nothing does", () => {
    const line = `<script src="https://t/\`x\`.js">@octocat #1</script>`;
    const diff = `--- a/a.mdx\n+++ b/a.mdx\n@@ -3 +3 @@\n-x\n+${line}\n`;
    const { body } = pullRequestText({ ...input, diff });
    assert.match(body, /### Please look at\n[^#]*`a\.mdx:3`, a `<script>` element: `<script src=/);
    assert.doesNotMatch(outsideCode(body), /<script|https?:/);
    assert.doesNotMatch(body, /there are none/);
    const plain = pullRequestText(input).body;
    assert.doesNotMatch(plain, /Please look at/);
    assert.match(plain, /searched for scripts.*there are none/);
    const large = pullRequestText({ ...input, diff: undefined }).body;
    assert.match(large, /### Please look at\n\nThis change is too large to be searched/);
    assert.doesNotMatch(large, /there are none/);
  });

  it("activates nothing of what others wrote", () => {
    const text =
      "@octocat fixes #12 closes octo/docs#3 GH-4 https://github.com/o/r/issues/5 <img src=x> ![x](http://t/p.png)\n```\n@team\n````\n# head";
    const { title, body } = pullRequestText({
      ...input,
      instructions: [text, text],
      summary: text,
      model: "a/`@b`",
      changes: [{ path: "a`@c #1`.mdx", kind: "added" }],
      problems: {
        ...input.problems,
        added: [{ severity: "error", code: "x", message: text, file: "@d" }],
      },
    });
    assert.doesNotMatch(title, /[@#<]|https?:|GH-\d/);
    assert.doesNotMatch(outsideCode(body), /@|#\d|GH-|https?:|<img/);
  });

  it("is bounded", () => {
    const { title, body } = pullRequestText({
      ...input,
      instructions: ["word ".repeat(4_000), "x".repeat(20_000)],
      changes: Array.from({ length: 500 }, (_, at) => ({ path: `p${at}.mdx`, kind: "added" })),
      diff: `+++ b/a.mdx\n@@ -0,0 +1,500 @@\n${"+<script>\n".repeat(500)}`,
    });
    assert.ok(title.length <= 72 && title.endsWith("…"));
    assert.ok(body.length < 30_000);
    assert.match(body, /and 400 more files/);
    assert.match(body, /and 460 more\n/);
  });
});
