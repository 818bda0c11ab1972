import assert from "node:assert/strict";
import { describe, test, type TestContext } from "node:test";
import { goldenSite, writeSite } from "../../../../test/sites/temporary-site.ts";
import type { BundleFile } from "../core/index.ts";
import { limits } from "../core/index.ts";
import { loadSite } from "../load/index.ts";
import type { Site } from "../site/index.ts";
import { createReportFile } from "./report.ts";
import { sampleFirstScript } from "../theme/testing.ts";
import { listFullTextProblems, listFullTexts, createSiteOutputs } from "./index.ts";
import { type OutputOptions, type PageOutput } from "./output.ts";
import { getRelativeAddress } from "../site/index.ts";

function rendered(site: Site): PageOutput[] {
  return site.pages.map((page) => ({
    page,
    rendered: {
      markdown: Buffer.from(`# ${page.title}\n\nText of ${page.path}.\n`),
      problems: [],
    },
  }));
}

const firstScript = sampleFirstScript;

function files(site: Site, options: Omit<OutputOptions, "firstScript"> = {}): Map<string, string> {
  const made = createSiteOutputs(site, rendered(site), { firstScript, ...options });
  assert.equal(new Set(made.map(({ path }) => path)).size, made.length, "no file twice");
  return new Map(made.map(({ path, content }) => [path, textOf({ path, content })]));
}

function textOf({ content }: BundleFile): string {
  return typeof content === "string" ? content : Buffer.from(content).toString();
}

async function configured(t: TestContext, settings: object, more = {}): Promise<Site> {
  const config = { name: "A & B", navigation: { pages: ["index"] }, ...settings };
  const site = { "docs.json": JSON.stringify(config), "index.mdx": "", ...more };
  return loadSite(await writeSite(t, site));
}

describe("sitemap and robots", () => {
  test("with a base URL are absolute and name indexed pages only", async () => {
    const made = files(await loadSite(goldenSite("nav-global")), {
      baseUrl: "https://docs.example.com/v2/",
    });
    const addresses = made.get("sitemap.xml")?.match(/(?<=<loc>)[^<]+/g);
    assert.deepEqual(
      addresses,
      [
        "binding",
        "ink/black",
        "ink/blue",
        "ink/colors",
        "ink/red",
        "notes/open",
        "notes/shown",
      ].map((path) => `https://docs.example.com/v2/${path}.html`),
    );
    assert.match(
      made.get("robots.txt") ?? "",
      /^Sitemap: https:\/\/docs\.example\.com\/v2\/sitemap\.xml$/m,
    );
  });

  test("without one are relative, and say so", async () => {
    const made = files(await loadSite(goldenSite("plain-folder")));
    assert.match(made.get("sitemap.xml") ?? "", /<!-- .*relative/);
    assert.match(made.get("sitemap.xml") ?? "", /<loc>guides\/9-early\.html<\/loc>/);
    assert.equal(made.get("robots.txt"), "User-agent: *\nAllow: /\n");
  });

  test("names of all scripts are encoded", async (t) => {
    const navigation = { pages: ["a&b 'c'", "指南"] };
    const site = await configured(t, { navigation }, { "a&b 'c'.mdx": "", "指南.mdx": "" });
    const sitemap = files(site, { baseUrl: "https://x.example" }).get("sitemap.xml") ?? "";
    assert.match(sitemap, /https:\/\/x\.example\/a%26b%20&#39;c&#39;\.html/);
    assert.match(sitemap, /https:\/\/x\.example\/%E6%8C%87%E5%8D%97\.html/);
  });

  test("more than 50,000 pages are cut into several sitemaps", async () => {
    const site = await loadSite(goldenSite("plain-folder"));
    const [page] = rendered(site);
    assert.ok(page);
    const many = Array.from({ length: 50_001 }, (_, n) => ({
      ...page,
      page: { ...page.page, path: `p${n}` },
    }));
    const made = createSiteOutputs(site, many, { firstScript, baseUrl: "https://x.example" });
    const sitemaps = made.filter(({ path }) => path.startsWith("sitemap"));
    const counts = sitemaps.map((file) => [file.path, textOf(file).split("<loc>").length - 1]);
    assert.deepEqual(counts, [
      ["sitemap.xml", 2],
      ["sitemap-1.xml", 50_000],
      ["sitemap-2.xml", 1],
    ]);
  });
});

describe("llms.txt", () => {
  test("lists pages by the navigation of the default language and version", async () => {
    const site = await loadSite(goldenSite("nav-versions"));
    assert.equal(
      files(site, { baseUrl: "https://x.example" }).get("llms.txt"),
      `# Nav versions

## Manual: Start

- [Start](https://x.example/v2/start.md)
- [Install](https://x.example/v2/install.md)
- [Shared](https://x.example/shared.md)

## Reference: Python

- [Python](https://x.example/v2/python.md)
`,
    );
    const languages = files(await loadSite(goldenSite("nav-languages"))).get("llms.txt") ?? "";
    assert.match(languages, /guide\/first\.md/);
    assert.doesNotMatch(languages, /fr\//);
  });

  test("has descriptions, outside links and what is indexed without being listed", async (t) => {
    const site = await configured(
      t,
      {
        description: "All of\nit.",
        seo: { indexing: "all" },
        navigation: {
          tabs: [
            { tab: "T", pages: ["index"] },
            { tab: "Blog", href: "https://b.example" },
          ],
        },
      },
      {
        "index.mdx": "---\ntitle: A [title]\ndescription: |\n  One\n  line.\n\n  Second.\n---\n",
        "z(1).mdx": "",
      },
    );
    assert.equal(
      files(site).get("llms.txt"),
      `# A & B

> All of it.

## T

- [A \\[title\\]](index.md): One line.

## More

- [Z(1)](z%281%29.md)

## Optional

- [Blog](https://b.example)
`,
    );
  });

  test("stays within 100,000 characters: shorter descriptions first, then fewer entries", async () => {
    const site = await loadSite(goldenSite("plain-folder"));
    const [page] = rendered(site);
    assert.ok(page);
    const many = (count: number) =>
      Array.from({ length: count }, (_, n) => ({
        ...page,
        page: {
          ...page.page,
          path: `page-${n}`,
          frontmatter: { description: "word ".repeat(60), extra: {} },
        },
      }));
    const llmsOf = (count: number) =>
      textOf(
        createSiteOutputs(site, many(count), { firstScript }).find(
          ({ path }) => path === "llms.txt",
        ) ?? assert.fail(),
      );
    const shortened = llmsOf(500);
    assert.ok(shortened.length <= 100_000);
    assert.equal(shortened.match(/^- /gm)?.length, 500);
    assert.match(shortened, /: (?:word ){15,18}word…$/m);
    const cut = llmsOf(10_000);
    assert.ok(cut.length <= 100_000);
    const listed = cut.match(/^- /gm)?.length ?? 0;
    assert.match(cut, new RegExp(`^${10_000 - listed} more pages`, "m"));
  });

  test("the full text has each page once under its title", async () => {
    const full = files(await loadSite(goldenSite("nav-refs"))).get("llms-full.txt") ?? "";
    assert.equal(
      full,
      ["Start", "Install", "Api"]
        .map((title) => {
          const path = title.toLowerCase();
          return `# ${title}\n\nSource: ${path}.md\n\nText of ${path}.\n\n`;
        })
        .join(""),
    );
  });

  test("the full text ends before a page with which it would be too large, and a problem says so", async () => {
    const site = await loadSite(goldenSite("nav-refs"));
    // Their size is known, and omitted pages are not read.
    const pages = rendered(site).map((entry, at) => ({
      ...entry,
      rendered: { ...entry.rendered, markdownBytes: at === 1 ? limits.fullTextBytes : 20 },
    }));
    const made = createSiteOutputs(site, pages, { firstScript }).find(
      ({ path }) => path === "llms-full.txt",
    );
    const text = made && textOf(made);
    assert.match(text ?? "", /^# Start\n[^#]*The remaining pages are omitted because /);
    const [problem, ...others] = listFullTextProblems(listFullTexts(site, pages, {}));
    assert.deepEqual([problem?.file, problem?.severity, others], ["llms-full.txt", "warning", []]);
    assert.match(problem?.message ?? "", /the text of 1 of 3 pages/);
    assert.deepEqual(listFullTextProblems(listFullTexts(site, rendered(site), {})), []);
  });
});

describe("redirects", () => {
  test("have a page at the address that moved, which works from a file", async () => {
    const made = files(await loadSite(goldenSite("nav-global")));
    assert.match(
      made.get("old-ink.html") ?? "",
      /http-equiv="refresh" content="0; url=ink\/black\.html"/,
    );
    assert.match(made.get("old-ink.html") ?? "", /<a href="ink\/black\.html">/);
    assert.match(made.get("shop.html") ?? "", /url=https:\/\/shop\.example\.com\/\?from=docs"/);
    assert.ok(!made.has("binding.html"), "a page is never replaced");
    assert.match(made.get("index.html") ?? "", /url=ink\/black\.html/);
    assert.equal(
      made.get("_redirects"),
      [
        "/old-ink /ink/black.html 301",
        "/colors/* /ink/:splat 301",
        "/color-* /ink/:splat 302",
        "/shop https://shop.example.com/?from=docs 301",
        "",
      ].join("\n"),
    );
  });

  const destinations: [source: string, destination: string, href: string][] = [
    ["/deep/er/old", "/guides/start#part", "../../guides/start.html#part"],
    ["/old", "/", "index.html"],
    ["/old", "/guides", "guides/index.html"],
    ["/old", "/picture.png", "picture.png"],
    ["/old", "/hop", "guides/start.html"],
    ["/old", "/wild/start", "guides/start.html"],
    ["/old", "/nowhere", "nowhere.html"],
    ["/old", "/../../up", "index.html"],
    ["/old", 'https://x.example/"><script>', "https://x.example/%22%3E%3Cscript%3E"],
    ["/old", "/guides/start?a=\"b'", "guides/start.html?a=%22b&#39;"],
    ["/old", "/a\ud800b", "a%EF%BF%BDb.html"],
    ["/caf%C3%A9/x", "/guides/start", "../guides/start.html"],
  ];
  for (const [source, destination, href] of destinations) {
    test(`${source} → ${JSON.stringify(destination)}`, async (t) => {
      const redirects = [
        { source, destination },
        { source: "/hop", destination: "/guides/start" },
        { source: "/wild/:page", destination: "/guides/:page" },
      ];
      const site = await configured(
        t,
        { redirects },
        {
          "guides/start.mdx": "",
          "guides/index.mdx": "",
          "picture.png": "",
        },
      );
      const stub = files(site).get(`${decodeURIComponent(source).slice(1)}.html`) ?? "";
      assert.equal(/url=([^"]*)"/.exec(stub)?.[1], href);
    });
  }

  test("that lead in a circle have no page that would load itself for ever", async (t) => {
    const redirects = [
      { source: "/one", destination: "/two" },
      { source: "/two", destination: "/one" },
    ];
    const made = files(await configured(t, { redirects }));
    assert.ok(!made.has("one.html") && !made.has("two.html"));
    assert.match(made.get("_redirects") ?? "", /^# \/one is part of a redirect loop\n/);
  });

  test("a stub stands in the way of no other file", async (t) => {
    const sources = [
      "/_octavo/x",
      "/_redirects/x",
      "/start.html/x",
      "/line%0Abreak",
      `/${"long/".repeat(200)}x`,
    ];
    const redirects = sources.map((source) => ({ source, destination: "/index" }));
    const made = files(await configured(t, { redirects }));
    assert.deepEqual(
      [...made.keys()].filter((path) => /x\.html|break/.test(path)),
      [],
    );
  });
});

test("files of the site win over generated ones", async (t) => {
  const own = {
    "llms.txt": "mine",
    "robots.txt": "mine",
    "sitemap.xml": "mine",
    "llms-full.txt": "",
  };
  const made = files(await configured(t, {}, own));
  assert.deepEqual([...made.keys()], ["_redirects"]);
});

test("the way between two files", () => {
  for (const [from, to, way] of [
    ["index.html", "a.html", "a.html"],
    ["a/b.html", "a/c.html", "c.html"],
    ["a/b.html", "index.html", "../index.html"],
    ["a/b/c.html", "a/d/e.html", "../d/e.html"],
    ["a/b.html", "a/b/c.html", "b/c.html"],
    ["index.html", "two words/ü.html", "two%20words/%C3%BC.html"],
    ["a/a.html", "a", "../a"],
  ] as const) {
    assert.equal(getRelativeAddress(from, to), way, `${from} → ${to}`);
  }
});

test("the report is sorted, counted and the same every time", async () => {
  const site = await loadSite(goldenSite("nav-global"));
  const problem = {
    severity: "error",
    code: "link_broken",
    message: "No page.",
    file: "binding.mdx",
    line: 2,
  } as const;
  const [first, ...rest] = rendered(site);
  assert.ok(first);
  const pages = [{ ...first, rendered: { ...first.rendered, problems: [problem] } }, ...rest];
  const checks = {
    checked: ["links", "anchors"],
    notChecked: ["external_links"],
    problems: [problem],
  };
  const file = createReportFile(site, pages, checks);
  assert.equal(file.path, "_octavo/report.json");
  const content = JSON.parse(textOf(file)) as Record<string, unknown>;
  assert.deepEqual(content, {
    pages: { exported: 10, hidden: 5, indexed: 7 },
    errors: 1,
    warnings: 1,
    checked: ["anchors", "links"],
    notChecked: ["external_links"],
    problems: [problem, ...site.problems],
  });
  assert.deepEqual(createReportFile(site, pages.toReversed(), checks), file);
});
