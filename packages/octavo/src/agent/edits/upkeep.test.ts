import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { openAgentSite, smallSite } from "../../../../../test/support/agent-site.ts";

const page = (title: string, body = "Text.") => `---\ntitle: ${title}\n---\n\n${body}\n`;

describe("move", () => {
  it("updates navigation, links, imports and redirects, and nothing else", async (t) => {
    const site = await openAgentSite(t);
    const answer = await site.call("move", {
      from: "guides/start.mdx",
      to: "tutorials/first/start",
    });
    assert.deepEqual(answer, {
      from: "guides/start.mdx",
      to: "tutorials/first/start.mdx",
      changedFiles: [
        "docs.json",
        "guides/deep/one.mdx",
        "guides/more.mdx",
        "index.mdx",
        "snippets/hint.mdx",
        "snippets/unused.mdx",
        "tutorials/first/start.mdx",
      ],
    });
    assert.equal(
      await site.diff(),
      `+++ b/docs.json
-          { "group": "Start", "pages": ["index", "guides/start"] },
+          { "group": "Start", "pages": ["index", "tutorials/first/start"] },
-  "navbar": { "links": [{ "label": "Start here", "href": "/guides/start" }] },
+  "navbar": { "links": [{ "label": "Start here", "href": "/tutorials/first/start" }] },
-    { "source": "/begin", "destination": "/guides/start" }
+    { "source": "/begin", "destination": "/tutorials/first/start" },
+    { "source": "/guides/start", "destination": "/tutorials/first/start" }
+++ b/guides/deep/one.mdx
-[Up](../start).
+[Up](../../tutorials/first/start).
+++ b/guides/more.mdx
-[Back](start) to <a href="../guides/start.mdx">start</a>.
+[Back](../tutorials/first/start) to <a href="../tutorials/first/start.mdx">start</a>.
+++ b/index.mdx
-Begin with [the start](/guides/start), [its end](/guides/start#end) or [more](./guides/more.mdx?x=1).
+Begin with [the start](/tutorials/first/start), [its end](/tutorials/first/start#end) or [more](./guides/more.mdx?x=1).
-<Card title="Start" href="/guides/start">See [it](guides/start) there.</Card>
+<Card title="Start" href="/tutorials/first/start">See [it](tutorials/first/start) there.</Card>
-[s]: /guides/start "Start"
+[s]: /tutorials/first/start "Start"
+++ b/snippets/hint.mdx
-A hint: [start](/guides/start) and [more](/guides/more).
+A hint: [start](/tutorials/first/start) and [more](/guides/more).
+++ b/snippets/unused.mdx
-Nobody shows [this](/guides/start).
+Nobody shows [this](/tutorials/first/start).
rename from guides/start.mdx
rename to tutorials/first/start.mdx
+++ b/tutorials/first/start.mdx
-import Hint from "../snippets/hint.mdx";
+import Hint from "../../snippets/hint.mdx";
-[More](more), [deep](./deep/one#top-part), [home](/) and [self](#end).
+[More](../../guides/more), [deep](../../guides/deep/one#top-part), [home](/) and [self](#end).
-![Lamp](../images/lamp.png)
+![Lamp](../../images/lamp.png)`,
    );
    assert.equal((await site.call("check", {})).total, 0);
  });

  it("leaves the site as it was when a page is moved back, except for the redirect", async (t) => {
    const site = await openAgentSite(t);
    await site.call("move", { from: "guides/more.mdx", to: "more.mdx" });
    await site.call("move", { from: "more.mdx", to: "guides/more.mdx" });
    assert.equal((await site.call("check", {})).total, 0);
    assert.match(
      await site.diff(),
      /\+ {4}\{ "source": "\/more", "destination": "\/guides\/more" \}/,
    );
    assert.doesNotMatch(await site.diff(), /"source": "\/guides\/more"/);
    assert.deepEqual(
      (await site.workspace.listChanges()).filter(({ kind }) => kind !== "modified"),
      [],
    );
  });

  it("edits the file that navigation names by $ref, in its own formatting", async (t) => {
    const site = await openAgentSite(t);
    await site.call("move", { from: "reference/api.mdx", to: "reference/http.mdx" });
    assert.match(
      await site.diff(),
      /\+\+\+ b\/config\/reference\.json\n-\t\t"reference\/api"\n\+\t\t"reference\/http"\n/,
    );
    assert.equal((await site.call("check", {})).total, 0);
  });

  it("moves snippets and pictures with what names them", async (t) => {
    const site = await openAgentSite(t, {
      ...smallSite,
      "old.mdx": page("Old", '<Snippet file="hint.mdx" />\n\n<img src="/images/lamp.png" />'),
    });
    await site.call("move", { from: "snippets/hint.mdx", to: "snippets/tips/hint.mdx" });
    await site.call("move", { from: "images/lamp.png", to: "images/2026/lamp.png" });
    const diff = await site.diff();
    assert.match(diff, /\+import Hint from "\/snippets\/tips\/hint\.mdx";/);
    assert.match(diff, /\+import Hint from "\.\.\/snippets\/tips\/hint\.mdx";/);
    assert.match(diff, /\+<Snippet file="tips\/hint\.mdx" \/>/);
    assert.match(diff, /\+!\[Lamp\]\(\.\.\/images\/2026\/lamp\.png\)/);
    assert.match(diff, /\+<img src="\/images\/2026\/lamp\.png" \/>/);
    assert.doesNotMatch(diff, /redirects|source/);
    assert.equal((await site.call("check", {})).errors, 0);
  });

  const fences: [name: string, block: string][] = [
    ["on a list item", "- ```js\n  a();\n  ```"],
    ["on a numbered list item, longer where it closes", "1. ~~~~ js\n   a();\n   ~~~~~"],
    ["on a list item, not closed", "- ```js\n  a();"],
    ["on a list item in a quotation", "> - ```js\n>   a();\n>   ```"],
    ["in an element on a list item", "- <Note>\n\n  ```js\n  a();\n  ```\n\n  </Note>"],
  ];
  for (const [name, block] of fences) {
    it(`updates what follows a fence ${name}, and nothing in it`, async (t) => {
      const shown = '\n\n```mdx\n<Snippet file="hint.mdx" />\n[a](/a)\n```\n';
      const site = await openAgentSite(t, {
        "docs.json": '{ "name": "L", "navigation": { "pages": ["index", "a"] } }\n',
        "index.mdx": page("I", `${block}\n\n<Snippet file="hint.mdx" />${shown}`),
        "a.mdx": page("A"),
        "snippets/hint.mdx": "A hint.\n",
        "snippets/unused.mdx": `${block}\n\n[Below](/a)${shown}`,
      });
      await site.call("move", { from: "snippets/hint.mdx", to: "snippets/tips/hint.mdx" });
      await site.call("move", { from: "a.mdx", to: "b.mdx" });
      const diff = await site.diff();
      assert.equal(diff.split('+<Snippet file="tips/hint.mdx" />').length, 2, diff);
      assert.equal(diff.split("+[Below](/b)").length, 2, diff);
      assert.doesNotMatch(diff, /^\+\[a\]/m);
    });
  }

  it("updates what names a file, and not code that shows one", async (t) => {
    const shown = [
      '`` <Snippet file="hint.mdx" /> ` [a](/a) ``',
      "`of\nimport Hint from '/snippets/hint.mdx';\n[a]: /a\n` lines",
    ].join("\n\n");
    const used = '[Below](/a) <a href={`/a`}>`(/a)`</a>\n\n<Snippet file="hint.mdx" />';
    const site = await openAgentSite(t, {
      "docs.json": '{ "name": "L", "navigation": { "pages": ["index", "a"] } }\n',
      "index.mdx": page("I", `${shown}\n\n[a] ${used}`),
      "a.mdx": page("A"),
      "snippets/hint.mdx": "A hint.\n",
      "snippets/unused.mdx": `${shown}\n\n${used}\n`,
    });
    await site.call("move", { from: "snippets/hint.mdx", to: "snippets/tips/hint.mdx" });
    await site.call("move", { from: "a.mdx", to: "b.mdx" });
    const lines = (await site.diff()).split("\n");
    assert.deepEqual(
      lines.filter((line) => /^\+(?!\+\+|\{)/.test(line)),
      [
        "+[a] [Below](/b) <a href={`/b`}>`(/a)`</a>",
        '+<Snippet file="tips/hint.mdx" />',
        "+[Below](/b) <a href={`/b`}>`(/a)`</a>",
        '+<Snippet file="tips/hint.mdx" />',
      ],
    );
  });

  const redirects: [name: string, docs: string, change: RegExp][] = [
    [
      "blocks",
      `{\n    "name": "L",\n    "navigation": { "pages": ["index", "a"] },\n    "redirects": [\n        {\n            "source": "/x",\n            "destination": "/index"\n        }\n    ]\n}\n`,
      / {8}\},?\n\+ {8}\{\n\+ {12}"source": "\/a",\n\+ {12}"destination": "\/b"\n\+ {8}\}$|\+ {8}\},\n\+ {8}\{\n\+ {12}"source": "\/a",\n\+ {12}"destination": "\/b"$/m,
    ],
    [
      "no list yet",
      `{\n  "name": "L",\n  "navigation": { "pages": ["index", "a"] }\n}\n`,
      /\+ {2}"redirects": \[\n\+ {4}\{\n\+ {6}"source": "\/a",\n\+ {6}"destination": "\/b"\n\+ {4}\}\n\+ {2}\]$/m,
    ],
    [
      "an empty list",
      `{\n  "name": "L",\n  "redirects": [],\n  "navigation": { "pages": ["index", "a"] }\n}\n`,
      /\+ {2}"redirects": \[\n\+ {4}\{\n\+ {6}"source": "\/a",\n\+ {6}"destination": "\/b"\n\+ {4}\}\n\+ {2}\],$/m,
    ],
    [
      "one line",
      `{"name":"L","navigation":{"pages":["index","a"]},"redirects":[{"source":"/x","destination":"/index"}]}`,
      /"redirects":\[\{"source":"\/x","destination":"\/index"\},\{"source":"\/a","destination":"\/b"\}\]\}/,
    ],
  ];
  for (const [name, docs, change] of redirects) {
    it(`writes the redirect as the file is written: ${name}`, async (t) => {
      const files = { "docs.json": docs, "index.mdx": page("I"), "a.mdx": page("A") };
      const site = await openAgentSite(t, files);
      await site.call("move", { from: "a.mdx", to: "b.mdx" });
      assert.match(await site.diff(), change);
      const { redirects: list } = JSON.parse(await site.workspace.readText("docs.json"));
      assert.deepEqual(list.at(-1), { source: "/a", destination: "/b" });
    });
  }

  const refused: [name: string, input: { from: string; to: string }, reason: RegExp][] = [
    ["another extension", { from: "index.mdx", to: "index.png" }, /keeps its extension/],
    ["onto a page", { from: "index.mdx", to: "guides/more.mdx" }, /already/],
    [
      "beside a page of that address",
      { from: "index.mdx", to: "guides/more.md" },
      /already a page|extension/,
    ],
    ["into snippets", { from: "index.mdx", to: "snippets/index.mdx" }, /snippet/],
    ["the configuration", { from: "docs.json", to: "docs2.json" }, /cannot be moved/],
    ["a part of it", { from: "config/reference.json", to: "config/other.json" }, /cannot be moved/],
  ];
  for (const [name, input, reason] of refused) {
    it(`refuses ${name} and changes nothing`, async (t) => {
      const site = await openAgentSite(t);
      assert.match(String((await site.call("move", input)).error), reason);
      assert.equal(await site.diff(), "");
    });
  }
});

describe("delete", () => {
  it("removes entries, empty levels and the file that is then empty", async (t) => {
    const site = await openAgentSite(t);
    await site.call("delete", { path: "reference/api.mdx" });
    assert.match(
      await site.diff(),
      /\+\+\+ b\/docs\.json\n- {6}\},\n- {6}\{ "\$ref": "\.\/config\/reference\.json" \}\n\+ {6}\}$/m,
    );
    assert.deepEqual(await site.workspace.listChanges(), [
      { path: "config/reference.json", kind: "deleted" },
      { path: "docs.json", kind: "modified" },
      { path: "reference/api.mdx", kind: "deleted" },
    ]);
    assert.equal((await site.call("check", {})).total, 0);
  });

  it("points links and the old address to another page on request", async (t) => {
    const site = await openAgentSite(t);
    const answer = await site.call("delete", {
      path: "guides/start.mdx",
      redirectTo: "guides/more#x",
    });
    assert.equal(answer.linksLeft, undefined);
    const diff = await site.diff();
    assert.match(
      diff,
      /\+Begin with \[the start\]\(\/guides\/more#x\), \[its end\]\(\/guides\/more#x\) or/,
    );
    assert.match(diff, /\+\[s\]: \/guides\/more#x "Start"/);
    assert.match(diff, /\+ {4}\{ "source": "\/begin", "destination": "\/guides\/more#x" \},/);
    assert.match(
      diff,
      /\+ {4}\{ "source": "\/guides\/start", "destination": "\/guides\/more#x" \}/,
    );
    assert.match(diff, /\+ {10}\{ "group": "Start", "pages": \["index"\] \},/);
    assert.equal((await site.call("check", {})).errors, 0);
  });

  it("names the imports that are broken now, and not code that shows one", async (t) => {
    const importLine = 'import Hint from "/snippets/hint.mdx";';
    const site = await openAgentSite(t, {
      ...smallSite,
      "old.mdx": page("Old", `${importLine}\n\n<Hint />`),
      "how.mdx": page("How", `Write \`\n${importLine}\n\``),
    });
    const { linksLeft } = await site.call("delete", { path: "snippets/hint.mdx" });
    const files = new Set((linksLeft as { file: string }[]).map(({ file }) => file));
    assert.ok(files.has("old.mdx") && !files.has("how.mdx"), JSON.stringify(linksLeft));
  });

  it("names the links that are broken now", async (t) => {
    const site = await openAgentSite(t);
    const answer = await site.call("delete", { path: "guides/deep/one.mdx" });
    assert.deepEqual(answer.linksLeft, [
      { file: "guides/start.mdx", line: 9, column: 15, target: "./deep/one#top-part" },
    ]);
  });

  for (const redirectTo of ["/guides/start", "/nowhere", "../etc", "javascript:alert(1)", "/"]) {
    it(`refuses a redirect to ${redirectTo}`, async (t) => {
      const site = await openAgentSite(t);
      const answer = await site.call("delete", { path: "guides/start.mdx", redirectTo });
      if (redirectTo === "/") assert.equal(answer.error, undefined);
      else assert.match(String(answer.error), /another page of the site/);
    });
  }
});
