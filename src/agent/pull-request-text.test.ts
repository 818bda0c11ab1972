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
    });
    assert.ok(title.length <= 72 && title.endsWith("…"));
    assert.ok(body.length < 30_000);
    assert.match(body, /and 400 more files/);
  });
});
