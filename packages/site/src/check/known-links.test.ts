import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { test } from "node:test";
import type { TestContext } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { sharedChildren } from "../../../../test/support/shared-children.ts";
import { writeFiles } from "../../../../test/support/temporary-folder.ts";
import { checkSite } from "./check-site.ts";
import { renderSite } from "../export/index.ts";
import type { ExportSettings } from "../export/index.ts";

const children = sharedChildren();

/** Enough pages for a record of the known links to be written. */
const more = Object.fromEntries(
  Array.from({ length: 20 }, (_, at) => [`more/${at}.md`, `# More ${at}\n\n[A](../a.md#place)\n`]),
);
type Files = Readonly<Record<string, string>>;
const site: Files = {
  "index.md": "# Start\n\n[One](a.md#place) [Two](a.md#Other%3APlace)\n",
  "a.md": "# A\n\n## Place\n\n## Other place\n\n![There is none](none.png)\n",
  ...more,
};

/** Exports a site twice with one cache, changed in between, and the changed site without a cache. */
async function exportChanged(t: TestContext, change: Files, before: Files = site) {
  const siteDir = await writeSite(t, before);
  const cacheDir = await writeSite(t, {});
  const looked: string[] = [];
  const settings: ExportSettings = {
    siteDir,
    workers: 1,
    children,
    checkName: "links",
    check: (read, pages) => {
      looked.length = 0;
      looked.push(...pages.flatMap((entry) => (entry.hasVerifiedLinks ? [] : entry.page.path)));
      return checkSite(read, pages);
    },
  };
  await renderSite({ ...settings, cacheDir, outDir: await writeSite(t, {}) });
  await writeFiles(siteDir, change);
  const outDir = await writeSite(t, {});
  const again = await renderSite({ ...settings, cacheDir, outDir });
  const looking = [...looked];
  const anewDir = await writeSite(t, {});
  const anew = await renderSite({ ...settings, outDir: anewDir });
  assert.deepEqual(again.problems, anew.problems);
  const startPages = [outDir, anewDir].map((dir) => readFile(join(dir, "index.html"), "utf8"));
  const [start, startAnew] = await Promise.all(startPages);
  assert.equal(start, startAnew);
  return { problems: again.problems.map(({ file, code }) => `${file} ${code}`), looked: looking };
}

test("only links of pages with problems, with corrected links or with changes are resolved again", async (t) => {
  const { looked, problems } = await exportChanged(t, { "more/3.md": "# More 3\n\nText\n" });
  assert.deepEqual(looked, ["a", "index", "more/3"]);
  assert.deepEqual(problems, ["a.md media_missing", "index.md anchor_broken"]);
});

test("links that are known to be valid are so in another folder with the same site", async (t) => {
  const cacheDir = await writeSite(t, {});
  const looked: string[][] = [];
  for (const files of [site, site, { ...site, "more/3.md": "# More 3\n\n[No](none.md)\n" }]) {
    await renderSite({
      siteDir: await writeSite(t, files),
      cacheDir,
      workers: 1,
      children,
      checkName: "links",
      check(read, pages) {
        looked.push(pages.flatMap((entry) => (entry.hasVerifiedLinks ? [] : entry.page.path)));
        return checkSite(read, pages);
      },
    });
  }
  assert.deepEqual(looked.slice(1), [
    ["a", "index"],
    ["a", "index", "more/3"],
  ]);
});

test("a new broken link is found", async (t) => {
  const { problems } = await exportChanged(t, { "more/3.md": "# More 3\n\n[No](../b.md)\n" });
  assert.ok(problems.includes("more/3.md link_broken"));
});

test("links to an anchor that another page lost are found, and one that it gained is led to", async (t) => {
  const change = { "a.md": "# A\n\n## Position\n\n## The other: place\n\n## Other-place\n" };
  const { problems } = await exportChanged(t, change);
  const broken = problems.filter((problem) => problem.endsWith("anchor_broken"));
  assert.equal(broken.length, 22, "one of each of 20 pages, and two of the start page");
});

test("a heading more has only those links resolved again that lead to headings of its page", async (t) => {
  const unlinked = await exportChanged(t, { "more/3.md": `${more["more/3.md"]}## New\n` });
  assert.deepEqual(unlinked.looked, ["a", "index", "more/3"]);
  const linked = await exportChanged(t, { "a.md": `${site["a.md"]}## New\n` });
  assert.equal(linked.looked.length, Object.keys(site).length);
});

/** Returns a configuration next to the pages of the site. */
function configuration(more: object): string {
  const navigation = { pages: ["index", "a"] };
  const colors = { primary: "#0f766e" };
  return JSON.stringify({ name: "Docs", theme: "mint", colors, navigation, ...more });
}

const redirected = [
  ["only a redirect names", { source: "/old", destination: "/a#place" }, "/old"],
  [
    "a redirect makes of an escaped sign",
    { source: "/old/:slug*", destination: "/:slug*" },
    "/old/a%23place",
  ],
] as const;
for (const [what, redirect, link] of redirected) {
  test(`a link to an anchor that ${what} is found when it breaks`, async (t) => {
    const before = {
      ...site,
      "docs.json": configuration({ redirects: [redirect] }),
      "more/7.md": `# More 7\n\n[Old](${link})\n`,
    };
    const change = { "a.md": "# A\n\n## Position\n\n## Other place\n" };
    const { problems } = await exportChanged(t, change, before);
    assert.ok(problems.includes("more/7.md anchor_broken"), problems.join());
  });
}

test("a broken link of a description of an API is found again", async (t) => {
  const described = {
    ...site,
    "docs.json": configuration({
      navigation: { pages: ["index", "a", "read"] },
      api: { openapi: "openapi.json" },
    }),
    "openapi.json": JSON.stringify({
      openapi: "3.1.0",
      info: { title: "A", version: "1" },
      paths: {
        "/x": {
          get: { description: "See [that](/nowhere).", responses: { 200: { description: "Yes" } } },
        },
      },
    }),
    "read.mdx": "---\ntitle: Read\nopenapi: GET /x\n---\n\nText.\n",
  };
  const { problems } = await exportChanged(t, { "more/3.md": "# More 3\n\nText\n" }, described);
  assert.ok(problems.includes("openapi.json link_broken"), problems.join());
});

test("a check without a name looks at all pages, and so does one of another name", async (t) => {
  const siteDir = await writeSite(t, site);
  const cacheDir = await writeSite(t, {});
  async function countLooked(checkName: string | undefined): Promise<number> {
    let looked = 0;
    await renderSite({
      siteDir,
      cacheDir,
      workers: 1,
      children,
      checkName,
      check: (_, pages) => {
        looked = pages.filter(({ hasVerifiedLinks = false }) => !hasVerifiedLinks).length;
        return [];
      },
    });
    return looked;
  }
  const looked: number[] = [];
  for (const name of [undefined, undefined, "one", "one", "other"]) {
    looked.push(await countLooked(name));
  }
  assert.deepEqual(looked, [22, 22, 22, 1, 22]);
});
