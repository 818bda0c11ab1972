import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test, type TestContext } from "node:test";
import { sharedChildren } from "../../../../test/support/shared-children.ts";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { renderSite, type ExportSettings } from "../export/index.ts";
import { checkSite } from "./check-site.ts";

/** Small sites with habits of real ones: everything is found, and what is reported is so. */

const children = sharedChildren();

type Files = Readonly<Record<string, string>>;

async function exportSite(t: TestContext, files: Files, settings: Partial<ExportSettings> = {}) {
  const outDir = await writeSite(t, {});
  const { problems, site } = await renderSite({
    siteDir: await writeSite(t, files),
    outDir,
    workers: 1,
    children,
    check: (known, pages) => checkSite(known, pages),
    ...settings,
  });
  return {
    site,
    problems: problems.map(({ code, file, line, message }) => `${code} ${file}:${line} ${message}`),
    read: (file: string) => readFile(join(outDir, file), "utf8"),
  };
}

function configuration(navigation: object, more: object = {}): string {
  const colors = { primary: "#112233" };
  return JSON.stringify({ name: "Plants", theme: "mint", colors, navigation, ...more }, null, 2);
}

const picture = '<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"/>';

suite("a site that is served below a folder", () => {
  const files: Files = {
    "index.mdx": `---
title: Home
icon: /docs/images/p.svg
"og:image": /docs/images/p.svg
---

import { Note } from "/snippets/note.mdx";

![A picture](/docs/images/p.svg) <img src="/docs/images/p.svg" />

[Start](/docs/guides/start), [part](/docs/guides/start#part), [Start too](/guides/start), [home](/docs),
[moved](/docs/old), [sitemap](/docs/sitemap.xml), [feed](/docs/files/a.pdf)

<Card title="Go" href="/docs/guides/start" img="/docs/images/p.svg">Go</Card>
`,
    "snippets/note.mdx": "![](/docs/images/p.svg)",
    "guides/start.mdx": "---\ntitle: Start\n---\n\n## Part\n\nWords. [Home](/docs/)\n",
    "api/get.mdx": "---\nopenapi: /docs/api/one/plants.json GET /plants\n---\n",
    "api/one/plants.json": JSON.stringify({
      openapi: "3.0.0",
      info: { title: "A", version: "1" },
      paths: { "/plants": { get: { summary: "One" } } },
    }),
    "api/two/plants.json": JSON.stringify({
      openapi: "3.0.0",
      info: { title: "A", version: "1" },
      paths: { "/plants": { get: { summary: "Two" } } },
    }),
    "images/p.svg": picture,
    "files/a.pdf": "%PDF-1.4",
    "fonts/own.woff2": "",
  };
  const navigation = {
    global: {
      anchors: [{ anchor: "More", href: "/docs/guides/start", icon: "/docs/images/p.svg" }],
    },
    groups: [{ group: "Plants", pages: ["index", "guides/start", "api/get"] }],
  };
  const more = {
    logo: { light: "/docs/images/p.svg", dark: "/docs/images/p.svg", href: "/docs" },
    favicon: "/docs/images/p.svg",
    background: { image: "/docs/images/p.svg" },
    fonts: { family: "Own", source: "/docs/fonts/own.woff2" },
    navbar: { links: [{ label: "Start", href: "/docs/guides/start" }] },
    redirects: [
      { source: "/docs/old", destination: "/docs/guides/start" },
      { source: "/docs/older", destination: "/docs/gone" },
      { source: "/docs/v1/:slug*", destination: "/docs/guides/:slug*" },
    ],
  };
  const canonical = { seo: { metatags: { canonical: "https://example.com/docs" } } };
  const habits: readonly [what: string, config: object, settings: Partial<ExportSettings>][] = [
    ["its canonical address", canonical, {}],
    ["its base URL", {}, { baseUrl: "https://example.com/docs" }],
    ["its addresses", {}, {}],
  ];
  for (const [what, config, settings] of habits) {
    test(`by ${what}`, async (t) => {
      const docs = configuration(navigation, { ...more, ...config });
      const { problems, read, site } = await exportSite(
        t,
        { ...files, "docs.json": docs },
        settings,
      );
      assert.deepEqual(site.basePaths, ["docs"]);
      assert.deepEqual(problems, [
        `redirect_broken docs.json:${problems[0]?.split(/[: ]/)[2]} The redirect from "/docs/older" to "/docs/gone" does not lead to a page or file of this site.`,
      ]);
      const home = await read("index.html");
      assert.doesNotMatch(home, /(?:src|href)="[^"#:]*docs\//);
      assert.match(await read("old.html"), /url=guides\/start\.html/);
      assert.match(
        await read("_redirects"),
        /^(?:\/docs)?\/old (?:\/docs)?\/guides\/start\.html 301$/m,
      );
      assert.match(
        await read("_redirects"),
        /^(?:\/docs)?\/v1\/\* (?:\/docs)?\/guides\/:splat 301$/m,
      );
      assert.match(await read("api/get.html"), /<h1[^>]*>(?:<span[^>]*><\/span>)?One</);
      const styles = await read("_octavo/octavo.css");
      assert.match(styles, /--background-image: url\("\.\.\/images\/p\.svg"\)/);
      assert.match(styles, /url\("\.\.\/fonts\/own\.woff2"\)/);
      if (settings.baseUrl !== undefined)
        assert.match(home, /og:image" content="https:\/\/example\.com\/docs\/images\/p\.svg"/);
    });
  }
});

test("stubs that name their description in every way show their operations", async (t) => {
  const names = [
    "v2",
    "v2.json",
    "../specs/v2.json",
    "./near.json",
    "/api/specs/v2.json",
    "specs/v2",
  ];
  const description = JSON.stringify({
    openapi: "3.0.0",
    info: { title: "A", version: "1" },
    paths: { "/plants/{id}": { get: { summary: "Read a plant" } } },
  });
  const pages = names.map((name, at) => [
    `api/pages/p${at}.mdx`,
    `---\nopenapi: "${name} get /plants/{id}"\n---\n`,
  ]);
  const { problems, read } = await exportSite(t, {
    "docs.json": configuration({ pages: names.map((_, at) => `api/pages/p${at}`) }),
    "api/specs/v2.json": description,
    "api/pages/near.json": description,
    ...Object.fromEntries(pages),
  });
  assert.deepEqual(problems, []);
  for (const at of names.keys())
    assert.match(
      await read(`api/pages/p${at}.html`),
      /<h1[^>]*>(?:<span[^>]*><\/span>)?Read a plant</,
    );
});

/** Follows the links of pages to the pages that they lead to, however many links that takes. */
async function collectReachable(start: string, read: (file: string) => Promise<string>) {
  const found = new Set([start]);
  for (const name of found) {
    const html = await read(`${name}.html`);
    for (const [, next = ""] of html.matchAll(/<a [^>]*href="([a-d])\.html/g)) found.add(next);
  }
  return [...found].toSorted();
}

function beside(second: string, first: string): string {
  return `"${second}" and "${first}" are at the same level of the navigation, but a level can have only one kind of children.`;
}

suite("a navigation with two kinds at one level", () => {
  const pages = Object.fromEntries(
    ["a", "b", "c", "d"].map((name) => [`${name}.mdx`, `---\ntitle: ${name}\n---\n\nText\n`]),
  );
  const description = JSON.stringify({
    openapi: "3.0.0",
    info: { title: "A", version: "1" },
    paths: { "/plants": { get: { summary: "List" } } },
  });
  const table: readonly [what: string, navigation: object, message: string | undefined][] = [
    [
      "versions beside tabs",
      {
        tabs: [{ tab: "T", pages: ["a", "b"] }],
        versions: [{ version: "1", pages: ["c", "d"] }],
      },
      beside("versions", "tabs"),
    ],
    [
      "groups beside versions",
      {
        versions: [
          { version: "1", pages: ["c"] },
          { version: "2", pages: ["d"] },
        ],
        groups: [
          { group: "G", pages: ["a"] },
          { group: "H", pages: ["b"] },
        ],
      },
      beside("groups", "versions"),
    ],
    [
      "pages beside languages, below a product",
      {
        products: [
          {
            product: "P",
            languages: [
              { language: "en", pages: ["a"] },
              { language: "fr", pages: ["b"] },
            ],
            pages: ["c", "d"],
          },
        ],
      },
      beside("pages", "languages"),
    ],
    [
      "pages beside a description that they do not use",
      { groups: [{ group: "G", openapi: "api.json", pages: ["a", "b", "c", "d"] }] },
      '"openapi" has no effect here, because "pages" is at the same level and does not name any operations.',
    ],
    // The format has these.
    [
      "groups and pages",
      { groups: [{ group: "G", pages: ["a"] }], pages: ["b", "c", "d"] },
      undefined,
    ],
    [
      "anchors that are links beside groups",
      {
        anchors: [{ anchor: "Blog", href: "https://example.com" }],
        groups: [{ group: "G", pages: ["a", "b", "c", "d"] }],
      },
      undefined,
    ],
    [
      "global tabs beside groups",
      {
        global: { tabs: [{ tab: "T", pages: ["c", "d"] }] },
        groups: [{ group: "G", pages: ["a", "b"] }],
      },
      undefined,
    ],
    [
      "pages beside a description that one of them uses",
      { groups: [{ group: "G", openapi: "api.json", pages: ["a", "b", "c", "d", "GET /plants"] }] },
      undefined,
    ],
    [
      "pages beside a description that a group below uses",
      {
        tabs: [
          {
            tab: "T",
            openapi: "api.json",
            groups: [
              { group: "G", pages: ["a", "b", "c", "d"] },
              { group: "H", pages: ["stub"] },
            ],
          },
        ],
      },
      undefined,
    ],
  ];
  for (const [what, navigation, message] of table) {
    test(`${what}: ${message === undefined ? "is right" : "is reported once"}`, async (t) => {
      const { problems, read } = await exportSite(t, {
        ...pages,
        "stub.mdx": "---\nopenapi: GET /plants\n---\n",
        "api.json": description,
        "docs.json": configuration(navigation),
      });
      assert.equal(problems.length, message === undefined ? 0 : 1, problems.join("\n"));
      if (message !== undefined) {
        assert.ok(problems[0]?.startsWith("navigation_mixed docs.json:"), problems[0]);
        assert.ok(problems[0]?.includes(message), problems[0]);
      }
      for (const start of ["a", "c"]) {
        assert.deepEqual(await collectReachable(start, read), ["a", "b", "c", "d"], start);
      }
    });
  }
});

function outside(target: string, reason: string): string {
  return `The file "${target}" is in the site's folder, but not part of the site: ${reason}.`;
}

function nowhere(target: string, reason = ""): string {
  return `The link "${target}" does not lead to a page or file of this site${reason}.`;
}

test("what is in the folder but not in the site is not said to be missing", async (t) => {
  const { problems } = await exportSite(t, {
    "docs.json": configuration({ pages: ["index"] }),
    "index.mdx": `---
title: Home
---

![](/drafts/a.png)

![](/images/.hidden.png)

![](/images/a.psd)

![](/package.json)

![](/images/gone.png)

[Draft](/drafts/b)

[Snippet](/snippets/c)

[License](/LICENSE.md)

[Gone](/gone)
`,
    "drafts/a.png": "",
    "drafts/b.mdx": "Text",
    "snippets/c.mdx": "Text",
    "images/.hidden.png": "",
    "images/a.psd": "",
    "package.json": "{}",
    "LICENSE.md": "Text",
    ".mintignore": "/drafts\n",
  });
  assert.deepEqual(
    problems.map((problem) => problem.replace(/^\S+ \S+ /, "")),
    [
      outside("/drafts/a.png", "the ignore rules exclude it"),
      outside("/images/.hidden.png", "names that begin with a dot are not published"),
      outside("/images/a.psd", "files of this kind are not published"),
      outside("/package.json", "the configuration of tools is not published"),
      'The file "/images/gone.png" is not in this site.',
      nowhere("/drafts/b", ": the ignore rules exclude it"),
      nowhere("/snippets/c", ": snippets are not pages"),
      nowhere("/LICENSE.md", ": the ignore rules exclude it"),
      nowhere("/gone"),
    ],
  );
});

test("a page about the character for bytes that are not text has it; bytes that are not text are reported", async (t) => {
  const navigation = { pages: ["a", "b"] };
  const files = { "docs.json": configuration(navigation), "a.mdx": "U+FFFD is \uFFFD." };
  const siteDir = await writeSite(t, {
    ...files,
    "b.mdx": Buffer.from("Caf\xE9 and \uFFFD", "latin1"),
  });
  const outDir = await writeSite(t, {});
  const { problems } = await renderSite({
    siteDir,
    outDir,
    workers: 1,
    children,
    check: (known, pages) => checkSite(known, pages),
  });
  assert.deepEqual(
    problems.map(({ code, file, line, column }) => `${code} ${file}:${line}:${column}`),
    ["invalid_character b.mdx:1:4"],
  );
  assert.match(await readFile(join(outDir, "a.html"), "utf8"), /U\+FFFD is \uFFFD\./);
  assert.match(await readFile(join(outDir, "b.html"), "utf8"), /Caf\uFFFD and/);
});
