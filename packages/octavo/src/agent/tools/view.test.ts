import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openAgentSite, smallSite } from "../../../../../test/support/agent-site.ts";

const page = `---
title: "Lamps & more"
description: All of them
---

import Hint from "/snippets/hint.mdx";

## Light {1 + 1}

Some *words* with [a link](/guides/start), \`code < x\` and an entity &copy;.

- One
- Two

<Tabs><Tab title="First">In the *first*.</Tab><Tab title="Second">In the second.</Tab></Tabs>

| a | b |
| - | - |
| 1 | 2 |

\`\`\`js
if (a < b) {
  c();
}
\`\`\`

![A lamp > a candle](/images/lamp.png)

{/* not seen */}

<Hint />
`;

const shown = `Start
# Lamps & more
All of them
## Light 2
Some words with a link, code < x and an entity ©.
- One
- Two
First
In the first.
Second
In the second.
a | b
1 | 2
\`\`\`
if (a < b) {
  c();
}
\`\`\`
[picture: A lamp > a candle]
A hint: start and more.
`;

describe("view", () => {
  it("shows a page as its readers see it", async (t) => {
    const site = await openAgentSite(t, { ...smallSite, "index.mdx": page });
    const answer = await site.call("view", { path: "index.mdx" });
    assert.deepEqual(
      { ...answer, text: String(answer.text).split("\n") },
      {
        path: "index.mdx",
        title: "Lamps & more",
        address: "/index",
        text: shown.split("\n"),
        fromLine: 1,
        totalLines: shown.split("\n").length - 1,
      },
    );
    const rest = await site.call("view", { path: "index.mdx", fromLine: 20 });
    assert.equal(rest.text, "A hint: start and more.\n");
  });

  it("shows the page after an edit, and tells what is not a page", async (t) => {
    const site = await openAgentSite(t);
    await site.call("edit", {
      path: "snippets/hint.mdx",
      replacements: [{ old: "A hint", new: "A tip" }],
    });
    assert.match(String((await site.call("view", { path: "index.mdx" })).text), /A tip: start/);
    for (const path of ["snippets/hint.mdx", "docs.json"]) {
      assert.match(String((await site.call("view", { path })).error), /is not a page/);
    }
  });

  it("takes a page of any length", async (t) => {
    const long = `${"<b>x</b> ".repeat(20_000)}\n\n${"word ".repeat(200_000)}\n`;
    const site = await openAgentSite(t, { ...smallSite, "index.mdx": `# Long\n\n${long}` });
    const { text } = await site.call("view", { path: "index.mdx" });
    assert.ok(String(text).length <= 48_000);
  });
});

describe("the check of one page", () => {
  const files = {
    ...smallSite,
    "guides/more.mdx":
      "---\ntitle: More\n---\n\n[a](/nowhere) [b](/guides/start#gone) [c](/guides/start#end) [d](#here)\n\n![x](/images/none.png)\n",
    "guides/deep/one.mdx": "---\ntitle: One\n---\n\n[a](/also-nowhere)\n",
  };

  it("finds the page's problems, as the check of the site does, and no others", async (t) => {
    const site = await openAgentSite(t, files);
    const one = await site.call("check", { path: "guides/more.mdx" });
    const all = await site.call("check", {});
    const own = (all.problems as { file: string }[]).filter(
      ({ file }) => file === "guides/more.mdx",
    );
    assert.deepEqual(one.problems, own);
    assert.equal(own.length, 4);
    assert.deepEqual([one.errors, one.warnings, one.total], [2, 2, 4]);
    const { total } = await site.call("check", { path: "guides/more.mdx", codes: ["link_broken"] });
    assert.equal(total, 1);
    assert.equal((await site.call("check", { path: "index.mdx" })).total, 0);
  });

  it("finds those of its snippets, and sees edits", async (t) => {
    const site = await openAgentSite(t);
    await site.call("write", { path: "snippets/hint.mdx", content: "[x](/gone)\n" });
    const { problems } = await site.call("check", { path: "index.mdx" });
    assert.deepEqual(
      (problems as { file: string; code: string }[]).map(({ file, code }) => [file, code]),
      [["snippets/hint.mdx", "link_broken"]],
    );
    assert.match(String((await site.call("check", { path: "snippets/hint.mdx" })).error), /a page/);
  });
});
