import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { findFrontmatter } from "../text/index.ts";
import { loadSite } from "./load-site.ts";
import type { Frontmatter } from "../site/index.ts";

async function read(t: TestContext, page: string) {
  const root = await writeSite(t, {
    "docs.json": '{"name":"A","navigation":{"pages":["some-page"]}}',
    "some-page.mdx": page,
  });
  const site = await loadSite(root);
  const [found] = site.pages;
  assert.ok(found);
  const problems = site.problems.map(({ code, line, column }) => `${code} ${line}:${column}`);
  return { page: found, problems };
}

describe("frontmatter", () => {
  const rows: [source: string, expected: Omit<Frontmatter, "extra"> & { extra?: object }][] = [
    ["---\ntitle: A title\n---\ntext", { title: "A title" }],
    [
      '\uFEFF---\r\ntitle: "Quoted: yes"\r\nicon: book\r\n---\r\ntext',
      { title: "Quoted: yes", icon: "book" },
    ],
    ["---  \ntitle: A\n---\t\n", { title: "A" }],
    ["---\ntitle: 2024\n---", { title: "2024" }],
    ["---\ntitle: 1.10\ntag: true\n---", { title: "1.10", tag: "true" }],
    ["---\ntitle: >\n  Two\n  lines\n---", { title: "Two lines" }],
    [
      "---\nkeywords: [a, 2]\nboost: 1.5\nmode: wide\n---",
      { keywords: ["a", "2"], boost: 1.5, mode: "wide" },
    ],
    ["---\nkeywords: a, b\n---", { keywords: ["a", "b"] }],
    ["---\nhidden: true\nsearchable: 'false'\n---", { hidden: true, searchable: false }],
    ["---\nicon:\n---", {}],
    ["---\n---\ntext", {}],
    ["---\n# only a comment\n---\ntext", {}],
    [
      '---\n"og:title": Other\nhash: 1e5\nversion: 1.0\n---',
      { extra: { "og:title": "Other", hash: 1e5, version: 1 } },
    ],
    [
      "---\n__proto__:\n  polluted: 1\nx: {__proto__: {polluted: 1}}\n---",
      { extra: { x: JSON.parse('{"__proto__":{"polluted":1}}') } },
    ],
    ["text\n---\ntitle: no\n---", {}],
    ["# A\n", {}],
    ["", {}],
  ];
  for (const [source, expected] of rows) {
    test(JSON.stringify(source), async (t) => {
      const { page, problems } = await read(t, source);
      assert.deepEqual(page.frontmatter, { extra: {}, ...expected });
      assert.deepEqual(problems, []);
    });
  }

  const misspelled: [key: string, meant: string | undefined][] = [
    ["titel", "title"],
    ["Title", "title"],
    ["tile", "title"],
    ["desciption", "description"],
    ["sidebartitle", "sidebarTitle"],
    ["hiddden", "hidden"],
    ["titles", undefined],
    ["tags", undefined],
    ["owner", undefined],
    ["lastUpdatedDate", undefined],
  ];
  for (const [key, meant] of misspelled) {
    test(`the key ${key} is ${meant === undefined ? "the author's own" : `reported as ${meant}`}`, async (t) => {
      const source = `---\nicon: book\n${key}: 1\n---\n`;
      const { page, problems } = await read(t, source);
      assert.deepEqual(page.frontmatter.extra, { [key]: 1 });
      assert.deepEqual(problems, meant === undefined ? [] : ["frontmatter_key_unknown 3:1"]);
    });
  }

  test("a misspelled key beside the right one is not reported", async (t) => {
    const { problems } = await read(t, "---\ntitle: A\ntitel: B\n---\n");
    assert.deepEqual(problems, []);
  });

  const broken: [source: string, problem: string][] = [
    ["---\ntitle: A\nicon: [one\n---\n", "frontmatter_invalid 3:7"],
    ["---\ntitle: [one\ndescription: B\nicon: c\n---\n", "frontmatter_invalid 2:8"],
    ['---\ntitle: "A\nicon: "b"\n---\n', "frontmatter_invalid 2:8"],
    ["---\ntags:\n  - a\n  - [b,\n    c,\n\nicon: d\n---\n", "frontmatter_invalid 4:5"],
    [`---\na: b\ntags: ["a",\n${'  "a",\n'.repeat(100)}icon: d\n---\n`, "frontmatter_invalid 3:7"],
    ["---\ntitle: a: b\n---\n", "frontmatter_repaired 2:9"],
    ["---\n- a\n---\n", "frontmatter_invalid 2:1"],
    ["---\ntitle: A\ntitle: B\n---\n", "frontmatter_invalid 3:1"],
    ["---\ntitle: A\n", "frontmatter_unclosed 1:1"],
    [`---\n${"# long\n".repeat(10_000)}---\n`, "frontmatter_unclosed 1:1"],
    ["---\ntitle: A\nhidden: 3\n---\n", "frontmatter_value_invalid 3:1"],
    ["---\ntitle: [A]\n---\n", "frontmatter_value_invalid 2:1"],
    ["---\ntitle: A\nmode: huge\n---\n", "frontmatter_value_invalid 3:1"],
    ["---\nboost: -1\n---\n", "frontmatter_value_invalid 2:1"],
    ["---\na: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n---\n", "frontmatter_invalid 3:9"],
    [`---\na: ${"[".repeat(200)}${"]".repeat(200)}\n---\n`, "frontmatter_invalid 2:23"],
    ["---\na: &a [*a]\n---\n", "frontmatter_invalid 2:9"],
    ["---\na: !!js/function 'x'\n---\n", "frontmatter_repaired 2:4"],
  ];
  for (const [source, problem] of broken) {
    test(`broken: ${JSON.stringify(source.slice(0, 60))}`, async (t) => {
      const { page, problems } = await read(t, source);
      assert.deepEqual(problems, [problem]);
      assert.equal(page.path, "some-page", "the page is still there");
    });
  }

  test("a value that needs quotes is read without them", async (t) => {
    const { page } = await read(
      t,
      "---\ntitle: Deploy: the short way\nversion: 1.10\ntag: 2.10\n---\n",
    );
    assert.equal(page.title, "Deploy: the short way");
    assert.deepEqual(page.frontmatter.tag, "2.10", "other values stay as they are written");
  });

  test("without a title, a page is named after its file", async (t) => {
    const { page } = await read(t, "---\nsidebarTitle: Short\n---\n");
    assert.deepEqual([page.title, page.navTitle], ["Short", "Short"]);
    const other = await read(t, "# Heading\n");
    assert.equal(other.page.title, "Some page");
  });
});

test("the body begins after the frontmatter", () => {
  for (const [source, body] of [
    ["---\na: 1\n---\ntext", "text"],
    ["---\r\na: 1\r\n---\r\ntext", "text"],
    ["---\n---", ""],
    ["---\na: 1\n----\n---\ntext", "text"],
  ] as const) {
    const block = findFrontmatter(source);
    assert.ok(typeof block === "object");
    assert.equal(source.slice(block.bodyStart), body);
  }
});
