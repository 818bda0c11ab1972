import assert from "node:assert/strict";
import { describe, it } from "node:test";
import MarkdownIt from "markdown-it";
import { findActiveContent } from "./active-content.ts";
import { formatPullRequest, type PullRequestInput } from "./pull-request-text.ts";
import type { PageName, SitePages } from "./site-view.ts";

function pagesOf(
  pages: Readonly<Record<string, PageName>>,
  shown: Readonly<Record<string, readonly string[]>> = {},
): SitePages {
  return {
    byFile: new Map(Object.entries(pages)),
    shownOn: new Map(Object.entries(shown)),
    unlisted: new Set(["docs/unlisted.mdx", "unlisted.mdx"]),
  };
}

type TestInput = Omit<PullRequestInput, "activeContent"> & { readonly diff: string | undefined };

function textOf({ diff, ...input }: TestInput) {
  const activeContent = diff === undefined ? undefined : findActiveContent(diff);
  return formatPullRequest({ ...input, activeContent });
}

const input: TestInput = {
  instructions: ["Fix the links"],
  summary: "Fixed two links.",
  title: "Repair 2 links on 2 pages",
  notes: [],
  form: { convention: "plain" },
  model: "builtin/recipes",
  changes: [
    { path: "a.mdx", kind: "modified" },
    { path: "c.mdx", kind: "moved", from: "b.mdx" },
    { path: "docs.json", kind: "modified" },
  ],
  diff: "diff --git a/a.mdx b/a.mdx\n--- a/a.mdx\n+++ b/a.mdx\n@@ -3 +3 @@\n-[x](/old)\n+[x](/new)\n",
  directory: ".",
  pages: pagesOf({
    "a.mdx": { path: "a", title: "Alpha" },
    "b.mdx": { path: "b", title: "Beta" },
    "c.mdx": { path: "c", title: "Beta" },
  }),
  problems: {
    before: { errors: 2, warnings: 1 },
    after: { errors: 0, warnings: 1 },
    resolved: [{ severity: "error", code: "x", message: "Broken.", file: "a.mdx", line: 3 }],
    added: [],
  },
};

const previewUrl = (page = "") => `https://octavo.example/preview/1/${page}`;

/** Returns the words and addresses that a reader sees, except those in code, which code hosts do not process. */
function outsideCode(body: string): string {
  const tokens = new MarkdownIt("default").parse(body, {});
  return tokens
    .flatMap(({ children }) => children ?? [])
    .filter(({ type }) => type !== "code_inline")
    .map((token) => `${token.content}${token.attrGet("href") ?? token.attrGet("src") ?? ""}`)
    .join("");
}

describe("pullRequestText", () => {
  it("says what was requested, done, checked and not checked", () => {
    const { title, body } = textOf(input);
    assert.equal(title, "Repair 2 links on 2 pages");
    for (const part of [
      "Fix the links",
      "Fixed two links.",
      "**Pages** (2)",
      "- Changed: `Alpha` at `/a`, in `a.mdx`",
      "- Moved: `Beta` from `/b` to `/c`, in `c.mdx`",
      "**Other files** (1)",
      "- Changed: `docs.json`",
      "| errors | 2 | 0 |",
      "Resolved (1)",
      "`a.mdx:3`",
      "Links to other sites",
      "`builtin/recipes`",
    ]) {
      assert.ok(body.includes(part), part);
    }
    assert.doesNotMatch(body, /Preview/);
  });

  it("has the title and the description that the model wrote, above a rule of its own", () => {
    const description = {
      title: "Send readers of Alpha to the new page",
      description:
        "The old page is gone, so **both** links lead to `/new`.\n\n---\n\n### What was checked\n\nAll.",
    };
    const { title, body } = textOf({ ...input, description });
    assert.equal(title, "Send readers of Alpha to the new page");
    assert.match(
      body,
      /^The old page is gone, so \*\*both\*\* links lead to `\/new`\.\n\n#### What was checked\n\nAll\.\n\n---\n\nMade by Octavo with the model `builtin\/recipes`, which wrote the text above this line/,
    );
    assert.equal(body.match(/^---$/gm)?.length, 1, "the model cannot draw the line itself");
    assert.doesNotMatch(body, /Fixed two links/);
  });

  it("quotes what was asked as it was written", () => {
    const instructions = ["Fix:\n\n- the links\n- `a.mdx`", "Then the rest"];
    const { body } = textOf({ ...input, instructions });
    assert.ok(
      body.endsWith("> Fix:\n>\n> - the links\n> - `a.mdx`\n\nThen:\n\n> Then the rest"),
      body,
    );
  });

  it("names what is left open: notes, and new pages in no navigation", () => {
    const changes = [
      { path: "docs/unlisted.mdx", kind: "added" },
      { path: "docs/a.mdx", kind: "added" },
    ] as const;
    const notes = ["The model claims changes."];
    const { body } = textOf({ ...input, changes, notes, directory: "docs" });
    assert.match(
      body,
      /### What is left open\n\nThe model claims changes\.\n\nThese new pages are not in the navigation[^\n]*:\n\n- `unlisted\.mdx`\n\n###/,
    );
    assert.doesNotMatch(textOf(input).body, /left open/);
  });

  it("fills in the repository's template, and keeps its links", () => {
    const text =
      "<!-- Thank you! -->\n## Summary\n\n<!-- What? -->\n\n## Checklist\n\n- [ ] I read [the guide](https://acme.example/guide)\n- [ ] Screenshots";
    const form = { convention: "conventional", template: { path: "a.md", text } } as const;
    const { title, body } = textOf({ ...input, form });
    assert.equal(title, "docs: repair 2 links on 2 pages");
    assert.ok(
      body.startsWith(
        "## Summary\n\nFixed two links.\n\n## Checklist\n\n- [ ] I read [the guide](<https://acme.example/guide>)\n- [ ] Screenshots\n\n---\n",
      ),
      body,
    );
    const description = {
      title: "docs: mend the links of Alpha",
      description:
        "## Summary\n\nTwo links.\n\n## Checklist\n\n- [x] I read [the guide](https://acme.example/guide)\n- [x] Screenshots\n\n[Win](https://evil.example)",
    };
    const filled = textOf({ ...input, form, description }).body;
    assert.ok(
      filled.startsWith(
        "## Summary\n\nTwo links.\n\n## Checklist\n\n- [ ] I read [the guide](<https://acme.example/guide>)\n- [x] Screenshots\n\nWin (`https://evil.example`)\n\n---\n",
      ),
      filled,
    );
  });

  it("says at its beginning that the work came to a limit", () => {
    const limit = "100 model replies";
    const { body } = textOf({ ...input, limit });
    assert.match(
      body,
      /^\*\*Not finished\.\*\* .*the limit of 100 model replies\..*\n\nFixed two links\.\n\n---/,
    );
    const description = { title: "Mend two links", description: "Two links lead on again." };
    const described = textOf({ ...input, limit, description }).body;
    assert.match(
      described,
      /^\*\*Not finished\..*\n\nTwo links lead on again\.\n\n#### What is left\n\nFixed two links\.\n\n---/,
    );
    assert.doesNotMatch(textOf(input).body, /Not finished|is left/);
  });

  it("links to the preview of the branch, and of each page in it", () => {
    const changes: PullRequestInput["changes"] = [
      ...input.changes,
      { path: "old.mdx", kind: "deleted" },
      { path: "index.mdx", kind: "added" },
    ];
    const pages = pagesOf({
      ...Object.fromEntries(input.pages.byFile),
      "old.mdx": { path: "old", title: "Old" },
      "index.mdx": { path: "index", title: "Home [new]" },
    });
    const { body } = textOf({ ...input, changes, pages, previewUrl });
    for (const part of [
      "**[Preview of this branch](https://octavo.example/preview/1/)**",
      "sign in with an API key",
      "- Changed: [`Alpha`](https://octavo.example/preview/1/a) at `/a`",
      "- Moved: [`Beta`](https://octavo.example/preview/1/c) from `/b` to `/c`",
      "- Removed: `Old` at `/old`, in `old.mdx`",
      "- New: [`Home (new)`](https://octavo.example/preview/1/index) at `/`, in `index.mdx`",
    ]) {
      assert.ok(body.includes(part), `${part}\n${body}`);
    }
  });

  it("knows the pages of a site that lies in a folder of the repository", () => {
    const changes = input.changes.map(({ path, kind, from }) => ({
      path: `docs/${path}`,
      kind,
      ...(from !== undefined && { from: `docs/${from}` }),
    }));
    const { body } = textOf({
      ...input,
      directory: "docs",
      changes: [...changes, { path: "a.mdx", kind: "modified" }],
    });
    assert.ok(body.includes("- Changed: `Alpha` at `/a`, in `docs/a.mdx`"));
    assert.ok(body.includes("- Moved: `Beta` from `/b` to `/c`, in `docs/c.mdx`"));
    assert.ok(body.includes("- Changed: `a.mdx`\n"), "what lies outside is no page");
  });

  it("names the pages that a snippet is shown on", () => {
    const titles = ["A", "B", "C", "D", "E", "F", "G"];
    const { body } = textOf({
      ...input,
      changes: [{ path: "snippets/x.mdx", kind: "modified" }],
      pages: pagesOf({}, { "snippets/x.mdx": titles }),
    });
    assert.ok(
      body.includes(
        "- Changed: `snippets/x.mdx`, shown on `A`, `B`, `C`, `D`, `E` and 2 more pages",
      ),
    );
  });

  it("says of a follow-up that its counts are of the last instruction", () => {
    const { body } = textOf({ ...input, instructions: ["One", "Two"] });
    assert.match(body, /rendered before and after the last instruction/);
    assert.match(body, /One[^]*Two/);
  });

  it("names content that could run in a reader's browser, or says that there is none", () => {
    const line = `<script src="https://t/\`x\`.js">@octocat #1</script>`;
    const diff = `diff --git a/a.mdx b/a.mdx\n--- a/a.mdx\n+++ b/a.mdx\n@@ -3 +3 @@\n-x\n+${line}\n`;
    const { body } = textOf({ ...input, diff });
    assert.match(body, /### What to review\n[^#]*`a\.mdx:3`, a `<script>` element: `<script src=/);
    assert.doesNotMatch(outsideCode(body), /script|https?:/);
    assert.doesNotMatch(body, /None were found/);
    const plain = textOf(input).body;
    assert.doesNotMatch(plain, /What to review/);
    assert.match(plain, /searched for scripts.*None were found/);
    const large = textOf({ ...input, diff: undefined }).body;
    assert.match(large, /### What to review\n\nThis change is too large to be searched/);
    assert.doesNotMatch(large, /None were found/);
  });

  it("keeps everything that others wrote inert", () => {
    const text =
      "@octocat fixes #12 closes octo/docs#3 GH-4 https://github.com/o/r/issues/5 <img src=x> ![x](http://t/p.png)\n```\n@team\n````\n# head";
    const { title, body } = textOf({
      ...input,
      instructions: [text, text],
      summary: text,
      model: "a/`@b`",
      changes: [
        { path: "a`@c #1`.mdx", kind: "added" },
        { path: "s`@c`.mdx", kind: "modified" },
      ],
      pages: pagesOf(
        { "a`@c #1`.mdx": { path: "a`@c #1`", title: text } },
        { "s`@c`.mdx": [text] },
      ),
      problems: {
        ...input.problems,
        added: [{ severity: "error", code: "x", message: text, file: "@d" }],
      },
    });
    assert.doesNotMatch(title, /[@#<]|https?:|GH-\d/);
    assert.doesNotMatch(outsideCode(body), /@|#\d|GH-|https?:/);
    const tokens = new MarkdownIt("default", { html: true }).parse(body, {});
    const types = tokens.flatMap(({ type, children }) => [
      type,
      ...(children ?? []).map((token) => token.type),
    ]);
    assert.deepEqual(
      types.filter((type) => /html|image|link/.test(type)),
      [],
    );
  });

  it("is bounded for any input", () => {
    const many = Array.from({ length: 500 }, (_, at) => `p${at}`);
    const long = "x".repeat(5_000);
    const problem = { severity: "error", code: "x", message: long, file: long } as const;
    const { title, body } = textOf({
      ...input,
      instructions: many.map(() => "word ".repeat(4_000)),
      summary: long,
      title: long,
      changes: many.flatMap((name) => [
        { path: `${name}-${long}.mdx`, kind: "added" } as const,
        { path: `${name}-${long}.png`, kind: "added" } as const,
      ]),
      pages: pagesOf(
        Object.fromEntries(
          many.map((name) => [`${name}-${long}.mdx`, { path: long, title: long }]),
        ),
      ),
      diff: `diff --git a/a.mdx b/a.mdx\n+++ b/a.mdx\n@@ -0,0 +1,500 @@\n${"+<script>\n".repeat(500)}`,
      previewUrl: () => `https://octavo.example/${long}`,
      problems: {
        ...input.problems,
        resolved: many.map(() => problem),
        added: many.map(() => problem),
      },
    });
    assert.ok(title.length <= 72 && title.endsWith("…"));
    assert.ok(body.length < 65_000, String(body.length));
    assert.match(body, /495 earlier instructions/);
    assert.match(body, /and \d+ more pages/);
    assert.match(body, /and \d+ more files/);
    assert.match(body, /and 460 more\n/);
  });

  it("is bounded if it has many short parts, or each part has its maximum length", () => {
    const many = Array.from({ length: 2_000 }, (_, at) => `p${at}`);
    const fences = `${"`".repeat(5_000)} x `.repeat(4);
    const problem = { severity: "error", code: "x", message: fences, file: fences } as const;
    const script = `+<script src="https://cdn.example.com/${"x".repeat(200)}">\n`;
    const { body } = textOf({
      ...input,
      instructions: many.map(() => fences),
      summary: "word ".repeat(4_000),
      changes: many.flatMap((name) => [
        { path: `${name}.mdx`, kind: "added" } as const,
        { path: name, kind: "added" } as const,
      ]),
      pages: pagesOf(
        Object.fromEntries(many.map((path) => [`${path}.mdx`, { path, title: path }])),
      ),
      diff: `diff --git a/${"a".repeat(400)}.mdx b/${"a".repeat(400)}.mdx\n@@ -0,0 +1,500 @@\n${script.repeat(500)}`,
      previewUrl,
      problems: {
        ...input.problems,
        resolved: many.map(() => problem),
        added: many.map(() => problem),
      },
    });
    assert.ok(body.length < 65_000, String(body.length));
    assert.equal(body.match(/^---$/gm)?.length, 1);
  });

  it("is bounded with all its parts, and has what was cited of sources below the rule", () => {
    const many = Array.from({ length: 500 }, (_, at) => `${"p".repeat(200)}${at}`);
    const words = "word ".repeat(4_000);
    const added = many.map(
      (name) => `+<script>${words}\n+[x](https://${name.slice(-9)}.example/${name})\n`,
    );
    const problem = { severity: "error", code: "x", message: words, file: words } as const;
    const source = { source: "engine", repository: "https://github.com/example/engine" };
    const position = {
      commit: "1".repeat(40),
      path: "src/".repeat(60),
      line: 1,
      endLine: 20,
      words,
    };
    const state = { ref: null, directory: ".", commit: null, error: words };
    const { body } = textOf({
      ...input,
      instructions: many.map(() => words),
      description: { title: "Say more", description: words },
      summary: words,
      limit: "100 model replies",
      model: words,
      changes: many.flatMap((name) => [
        { path: `${name}.mdx`, kind: "added" } as const,
        { path: name, kind: "added" } as const,
      ]),
      pages: pagesOf(
        Object.fromEntries(many.map((path) => [`${path}.mdx`, { path, title: path }])),
      ),
      diff: `diff --git a/a.mdx b/a.mdx\n+++ b/a.mdx\n@@ -0,0 +1,1000 @@\n${added.join("")}`,
      previewUrl,
      problems: {
        ...input.problems,
        resolved: many.map(() => problem),
        added: many.map(() => problem),
      },
      sources: {
        citations: many.map(() => ({ ...source, ...position })),
        uncited: many.map(() => ({ ...source, ...position })),
        unread: many.slice(0, 10).map((name) => ({ name, repository: name, ...state })),
      },
    });
    // A note about a conflict or a rebase is added after the body.
    assert.ok(body.length < 62_000, String(body.length));
    assert.match(body, /\n---\n[^]*### What was taken from sources\n/);
    assert.match(body, /Not read:/);
  });

  it("lists every page of a change that people can read", () => {
    const names = Array.from({ length: 60 }, (_, at) => `guides/page-${at}`);
    const { body } = textOf({
      ...input,
      changes: names.map((name) => ({ path: `${name}.mdx`, kind: "modified" })),
      pages: pagesOf(
        Object.fromEntries(names.map((path) => [`${path}.mdx`, { path, title: `The ${path}` }])),
      ),
    });
    for (const name of names) assert.ok(body.includes(`\`${name}.mdx\``), name);
  });
});
