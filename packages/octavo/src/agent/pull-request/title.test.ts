import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Problem } from "@octavo/site/core";
import type { ChangedFile } from "../changes/text-changes.ts";
import { detectConvention, formatChangeTitle, formatTitle, sanitizeTitle } from "./title.ts";

describe("titleOf", () => {
  for (const [instruction, title] of [
    ["Fix the links\nand more", "Fix the links"],
    ["\n\n  Fix it ", "Fix it"],
    ["@#<>", "Edit the documentation"],
    ["", "Edit the documentation"],
    ["Fix it [skip ci] now", "Fix it now"],
    ["Fix [ski<p ci] it", "Fix it"],
    ["Fix [skip [skip ci] ci] it", "Fix it"],
    ["Fix [ci[[no ci]no-ci]skip] it", "Fix it"],
    ["Remove ghp_0123456789abcdefABCD from the page", "Remove [redacted] from the page"],
  ] as const) {
    it(`of ${JSON.stringify(instruction)} is ${JSON.stringify(title)}`, () => {
      assert.equal(formatTitle(instruction, "plain"), title);
    });
  }

  for (const [instruction, title] of [
    ["Fix the links", "docs: fix the links"],
    ["API keys are rotated", "docs: API keys are rotated"],
    ["OpenAPI is described", "docs: OpenAPI is described"],
    ["feat(docs): say more", "feat(docs): say more"],
    ["", "docs: edit the documentation"],
  ] as const) {
    it(`of ${JSON.stringify(instruction)} is conventionally ${JSON.stringify(title)}`, () => {
      assert.equal(formatTitle(instruction, "conventional"), title);
    });
  }

  it("is cut at a word", () => {
    const title = formatTitle("word ".repeat(40), "conventional");
    assert.ok(title.length <= 72 && title.endsWith(" word…"), title);
    assert.equal(
      sanitizeTitle("@team fixes #1 of https://github.com/a/b"),
      "team fixes 1 of github.com/a/b",
    );
  });
});

describe("detectConvention", () => {
  const conventional = ["docs: a", "fix(nav): b", "feat!: c", "chore: d", "docs(api): e"];
  it("goes by most of the commits, merges aside", () => {
    assert.equal(detectConvention(conventional), "conventional");
    assert.equal(
      detectConvention(["Merge pull request #1", "Merge x", ...conventional]),
      "conventional",
    );
    assert.equal(detectConvention(conventional.slice(1)), "plain", "too few to tell");
    assert.equal(detectConvention([...conventional, "A", "B", "C", "D"]), "plain");
    assert.equal(detectConvention(["Note: a", "Guide: b", "x: c", "y: d", "z: e"]), "plain");
    assert.equal(detectConvention([]), "plain");
  });
});

type Edit = readonly [before: string, after: string];

function titleOf(
  files: Readonly<Record<string, Edit | ChangedFile["kind"] | { readonly from: string }>>,
  codes: readonly string[] = [],
): string {
  const entries = Object.entries(files);
  const changes = entries.map(([path, change]): ChangedFile => {
    if (typeof change === "string") return { path, kind: change };
    return "from" in change ? { path, kind: "moved", ...change } : { path, kind: "modified" };
  });
  const texts = entries.flatMap(([path, change]) =>
    Array.isArray(change) ? [[path, { before: change[0], after: change[1] }] as const] : [],
  );
  const paths = changes.flatMap(({ path, from = path }) => [path, from]);
  const pages = paths.flatMap((path) =>
    /^(?!snippets).*\.mdx$/.test(path)
      ? [[path, { path: path.slice(0, -4), title: "T" }] as const]
      : [],
  );
  const resolved = codes.map((code): Problem => ({
    severity: "error",
    code,
    message: "",
    file: "a.mdx",
  }));
  return formatChangeTitle({
    changes,
    texts: new Map(texts),
    pages: { byFile: new Map(pages), shownOn: new Map(), unlisted: new Set() },
    resolved,
  });
}

const top = "---\ntitle: Start\ndescription: Old\n---\n\n";

describe("the title of a change that was given none", () => {
  const cases: [title: string, files: Parameters<typeof titleOf>[0], codes?: string[]][] = [
    ["", {}],
    ["Edit guides/start", { "guides/start.mdx": ["A b.\n", "C d e.\nF.\n"] }],
    ["Edit a and b", { "a.mdx": "modified", "b.mdx": "modified" }],
    ["Edit a and 2 other pages", { "a.mdx": "modified", "b.mdx": "modified", "c.mdx": "modified" }],
    ["Edit docs.json", { "docs.json": "modified" }],
    ["Edit snippets/hint.mdx", { "snippets/hint.mdx": "modified", "docs.json": "modified" }],
    ["Replace Hello with Bonjour in a", { "a.mdx": ["Hello you.\n", "Bonjour you.\n"] }],
    ["Replace 30 with 60 on 2 pages", { "a.mdx": ["30 s\n", "60 s\n"], "b.mdx": ["30\n", "60\n"] }],
    [
      "Rename Access token to API key on 3 pages",
      {
        "a.mdx": [
          "Access token\nan access token, access tokens\n",
          "API key\nan API key, API keys\n",
        ],
        "b.mdx": ["The access token.\n", "The API key.\n"],
        "c.mdx": ["# Access tokens\n", "# API keys\n"],
      },
    ],
    ["Edit a", { "a.mdx": ["One two three.\n", "Uno two tres.\n"] }],
    ["Change a link in a", { "a.mdx": ["[x](/old) y\n", "[x](/new) y\n"] }],
    [
      "Repair 3 links on 2 pages",
      {
        "a.mdx": ['[x](/old) <a href="/o">\n', '[x](/new) <a href="/n">\n'],
        "b.mdx": ["[x](/old#a)\n", "[x](/new#b)\n"],
      },
      ["link_broken"],
    ],
    ["Set the description of a", { "a.mdx": [top, top.replace("Old", "All of it, anew")] }],
    [
      "Set the icon of 2 pages",
      {
        "a.mdx": [top, top.replace("desc", "icon: flag\ndesc")],
        "b.mdx": [top, top.replace("desc", "icon: star\ndesc")],
      },
    ],
    ["Remove the description of a", { "a.mdx": [top, top.replace("description: Old\n", "")] }],
    [
      "Move guides/a to guides/b",
      { "guides/b.mdx": { from: "guides/a.mdx" }, "c.mdx": "modified", "docs.json": "modified" },
    ],
    ["Move 2 pages to x/", { "x/a.mdx": { from: "a.mdx" }, "x/b.mdx": { from: "b.mdx" } }],
    ["Add guides/new", { "guides/new.mdx": "added", "docs.json": "modified" }],
    ["Add new and edit a", { "new.mdx": "added", "a.mdx": "modified" }],
    ["Remove old", { "old.mdx": "deleted", "a.mdx": "modified" }],
    ["Add new and remove old", { "new.mdx": "added", "old.mdx": "deleted" }],
  ];
  for (const [title, files, codes] of cases) {
    it(`is ${JSON.stringify(title)}`, () => assert.equal(titleOf(files, codes), title));
  }
});
