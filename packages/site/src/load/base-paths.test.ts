import assert from "node:assert/strict";
import { suite, test, type TestContext } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { hasSameBasePaths } from "./base-paths.ts";
import { loadSite } from "./load-site.ts";

type Files = Readonly<Record<string, string>>;

function configuration(more: object = {}): Files {
  return { "docs.json": JSON.stringify({ name: "A", navigation: { pages: ["index"] }, ...more }) };
}

const pages: Files = {
  ...configuration(),
  "index.mdx": "Text",
  "guides/start.mdx": "Text",
  "guides/next/index.mdx": "Text",
  "images/a.png": "",
  "images/b c.png": "",
};

/** Three links that begin with `/docs`. */
const agreeing = "[A](/docs/guides/start) [B](</docs/guides/next>) ![C](/docs/images/a.png)";

async function load(t: TestContext, files: Files, baseUrl?: string) {
  return await loadSite(await writeSite(t, { ...pages, ...files }), { baseUrl });
}

suite("the folders below which a site is served", () => {
  const configured: readonly [canonical: string, baseUrl: string | undefined, paths: string[]][] = [
    ["https://example.com/docs", undefined, ["docs"]],
    ["https://example.com/docs/", undefined, ["docs"]],
    ["https://example.com//a/%C3%A9/?x#y", undefined, ["a/é"]],
    ["https://example.com", undefined, []],
    ["/docs", undefined, []],
    ["https://example.com/docs", "https://acme.github.io/engine/", ["engine", "docs"]],
    ["https://example.com/docs", "https://other.example.com/docs", ["docs"]],
    ["https://example.com/", "https://acme.github.io/engine", ["engine"]],
  ];
  for (const [canonical, baseUrl, expected] of configured) {
    test(`are ${expected.join(", ") || "none"} for ${canonical} and ${baseUrl ?? "no address"}`, async (t) => {
      const config = configuration({ seo: { metatags: { canonical } } });
      const site = await load(t, config, baseUrl);
      assert.deepEqual(site.basePaths ?? [], expected);
    });
  }

  const agreed: readonly [what: string, files: Files, path: string | undefined][] = [
    ["links that agree", { "index.mdx": agreeing }, "docs"],
    [
      "links of several pages",
      {
        "index.mdx": '<Card href="/help/guides/start" img={"/help/images/b%20c.png"} />',
        "guides/start.mdx": "[A](/help/guides/next#x) [B](/guides/start)",
      },
      "help",
    ],
    [
      "only its pictures",
      {
        "index.mdx": `${"[A](/guides/start) ".repeat(9)} ![](/docs/images/a.png)`,
        "guides/start.mdx": "<img src='/docs/images/a.png'/> <img src='/docs/images/b c.png'/>",
        "guides/next/index.mdx": "![](/docs/images/b%20c.png)",
      },
      "docs",
    ],
    [
      "addresses of the configuration",
      configuration({
        logo: "/docs/images/a.png",
        favicon: "/docs/images/b c.png",
        navbar: { links: [{ label: "A", href: "/docs/guides/start" }] },
      }),
      "docs",
    ],
    [
      "less than twice as many links as lead somewhere as they are",
      {
        "index.mdx": `${agreeing} [A](/guides/start) [B](/guides/next)`,
      },
      undefined,
    ],
    [
      "links beside those to other parts of the host",
      { "index.mdx": `${agreeing} ${"[A](/pricing) [B](/blog/new) ".repeat(9)}` },
      "docs",
    ],
    [
      "a dead link among those that agree",
      { "index.mdx": `${agreeing} [A](/docs/guides/start#x) [B](/docs/guides/gone)` },
      "docs",
    ],
    [
      "former addresses, of which many lead nowhere",
      { "index.mdx": `${agreeing} [A](/docs/guides/gone) [B](/docs/guides/older)` },
      undefined,
    ],
    [
      "former addresses, all of one page",
      { "index.mdx": "[A](/docs/guides/start) ".repeat(9) },
      undefined,
    ],
    [
      "former addresses beside links of today",
      {
        "index.mdx": `${agreeing} [A](/docs/guides/start)`,
        "guides/start.mdx": "[A](/guides/next) ![B](/images/a.png) [C](/guides/start) [D](/)",
      },
      undefined,
    ],
    [
      "former addresses beside relative links",
      {
        ...configuration({
          redirects: [{ source: "/docs/guides/start", destination: "/guides/start" }],
        }),
        "index.mdx": `${agreeing} [A](guides/start)`,
      },
      undefined,
    ],
    ["two links", { "index.mdx": "[A](/docs/guides/start) [B](/docs/guides/next)" }, undefined],
    [
      "few of many links",
      { "index.mdx": `${"[A](/docs/guides/start) ".repeat(3)} ${"[B](/guides/start) ".repeat(4)}` },
      undefined,
    ],
    ["links in code", { "index.mdx": `\`\`\`\n${agreeing}\n\`\`\`\n\`${agreeing}\`` }, undefined],
    [
      "links to pages that the site does not have",
      { "index.mdx": "[A](/docs/a) [B](/docs/b) [C](/docs/c) ![](/docs/d.png)" },
      undefined,
    ],
    ["a folder that the site has", { "index.mdx": agreeing, "docs/x.mdx": "Text" }, undefined],
    ["a file in such a folder", { "index.mdx": agreeing, "docs/x.png": "" }, undefined],
    ["a page of this name", { "index.mdx": agreeing, "docs.mdx": "Text" }, undefined],
    [
      "former addresses that are redirected",
      {
        ...configuration({ redirects: [{ source: "/docs/:path*", destination: "/:path*" }] }),
        "index.mdx": agreeing,
      },
      undefined,
    ],
    ["links to another host", { "index.mdx": "[A](//docs/guides/start) ".repeat(9) }, undefined],
  ];
  for (const [what, files, expected] of agreed) {
    test(`with ${what}: ${expected ?? "none"}`, async (t) => {
      const site = await load(t, files);
      assert.deepEqual(site.basePaths, expected === undefined ? undefined : [expected]);
    });
  }

  test("are found without the numbers that set the order of a plain folder", async (t) => {
    const root = await writeSite(t, {
      "index.md": "[A](/docs/guides/start) [B](/docs/guides/next) [C](/docs/guides)",
      "02-guides/01-start.md": "# Start",
      "02-guides/02-next.md": "# Next",
      "02-guides/index.md": "# Guides",
    });
    assert.deepEqual((await loadSite(root)).basePaths, ["docs"]);
  });

  test("are found in some pages of a large site", async (t) => {
    const many = Array.from({ length: 600 }, (_, at) => [`many/p${at}.mdx`, agreeing]);
    const site = await load(t, Object.fromEntries(many));
    assert.deepEqual(site.basePaths, ["docs"]);
  });

  test("depend on the text of pages", async (t) => {
    const one = await load(t, { "index.mdx": agreeing });
    const other = await load(t, {});
    const changed = new Set(["index.mdx"]);
    assert.equal(await hasSameBasePaths(one, {}, changed), true);
    assert.equal(await hasSameBasePaths({ ...other, root: one.root }, {}, changed), false);
    assert.equal(await hasSameBasePaths({ ...other, root: one.root }, {}, new Set()), true);
  });
});

suite("redirects of a site below a folder", () => {
  const redirects = [
    { source: "/docs/old", destination: "/docs/guides/start#x" },
    { source: "/docs/a/:slug*", destination: "/docs/guides/:slug*" },
    { source: "/plain", destination: "/docs" },
    { source: "/docs/away", destination: "https://example.com/docs" },
    // These only add or remove the folder.
    { source: "/:path*", destination: "/docs/:path*" },
    { source: "/docs/guides/:path*", destination: "/guides/:path*" },
    { source: "/", destination: "/docs" },
  ];
  const config = configuration({
    seo: { metatags: { canonical: "https://example.com/docs" } },
    redirects,
  });

  test("are those of the site without it", async (t) => {
    const site = await load(t, config);
    assert.deepEqual(
      site.redirects.map(({ source, destination }) => `${source} ${destination}`),
      [
        "/old /guides/start#x",
        "/a/:slug* /guides/:slug*",
        "/plain /",
        "/away https://example.com/docs",
      ],
    );
    assert.deepEqual(site.redirects[0]?.authored, redirects[0]);
    assert.deepEqual(site.problems, []);
  });

  test("stay as they are if the site has the folder", async (t) => {
    const site = await load(t, { ...config, "docs/own.mdx": "Text" });
    assert.deepEqual(
      site.redirects.map(({ source, destination }) => ({ source, destination })),
      redirects,
    );
  });
});
