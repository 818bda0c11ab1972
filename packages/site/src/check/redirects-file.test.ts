import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { suite, test } from "node:test";
import { writeSite } from "../../../../test/sites/temporary-site.ts";
import { redirectRuleLimits } from "../core/index.ts";
import { checkSite } from "./index.ts";
import { renderSite } from "../export/index.ts";

const config = {
  name: "Site",
  navigation: { pages: ["index", "guide"] },
  redirects: [{ source: "/old", destination: "/" }],
};

async function exportSite(
  t: Parameters<typeof writeSite>[0],
  files: Readonly<Record<string, string>>,
) {
  const pages = { "index.mdx": "# Start\n", "guide.mdx": "[A](/x)\n" };
  const siteDir = await writeSite(t, { ...pages, ...files });
  const outDir = await writeSite(t, {});
  const { problems } = await renderSite({ siteDir, outDir, workers: 1, check: checkSite });
  const lines = (await readFile(join(outDir, "_redirects"), "utf8")).trim().split("\n");
  return { lines, problems: problems.map(({ code, file, line }) => `${code} ${file}:${line}`) };
}

suite("the file _redirects of a site", () => {
  const rules = [
    "/x /guide",
    "/bad",
    "/old /guide",
    "/wiki/* /index.html#:splat 302",
    "/index /guide 303!",
    "/show /guide 200",
    "/lost /nowhere",
    "/guide /x",
    "/x /other",
  ].join("\n");
  const problems = [
    "redirect_unused _redirects:2",
    "redirect_broken _redirects:7",
    "redirect_unused _redirects:8",
    "redirect_unused _redirects:9",
  ];
  const own = [
    "/x /guide.html 301",
    "/wiki/* /index.html#:splat 302",
    "/index /guide.html 303!",
    "/show /guide.html 200",
    "/lost /nowhere.html 301",
  ];

  test("comes after the redirects of the configuration, and its faults are reported", async (t) => {
    const site = await exportSite(t, { "docs.json": JSON.stringify(config), _redirects: rules });
    assert.deepEqual(site.lines, ["/old /index.html 301", ...own]);
    assert.deepEqual(site.problems, problems.toSpliced(1, 0, "redirect_unused _redirects:3"));
  });

  test("is read in a folder without a configuration", async (t) => {
    const site = await exportSite(t, { _redirects: rules });
    assert.deepEqual(site.lines, [own[0], "/old /guide.html 301", ...own.slice(1)]);
    assert.deepEqual(site.problems, problems);
  });
});

function listRedirects(count: number, end: string) {
  return Array.from({ length: count }, (_, at) => ({
    source: `/old-${at}${end}`,
    destination: "/guide",
  }));
}

test("redirects that a published site does not answer itself are reported", async (t) => {
  const { exact, patterns } = redirectRuleLimits;
  for (const over of [0, 1]) {
    const redirects = [...listRedirects(exact + over, ""), ...listRedirects(patterns + over, "/*")];
    const text = JSON.stringify({ ...config, redirects });
    const { problems } = await exportSite(t, { "docs.json": text, "guide.mdx": "" });
    assert.deepEqual(problems, Array(2 * over).fill("redirect_limit docs.json:undefined"));
  }
});
