import assert from "node:assert/strict";
import { copyFile, mkdir, readdir, readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser } from "playwright-core";
import { checkSite } from "../../packages/site/src/check/index.ts";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { serveFolder } from "../support/serve-folder.ts";
import { sharedChildren } from "../support/shared-children.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";

/** Drawings of distinct widths, by which the test recognizes them. */
const drawing = (width: number, content = "") =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="10">${content}</svg>`;

const site = {
  "docs.json": JSON.stringify({
    name: "Files",
    theme: "mint",
    colors: { primary: "#00aa66" },
    banner: { content: "**New** ![Star](/images/star.svg) [read](/guides/deep/a)" },
    navigation: { pages: ["index", "guides/deep/a"] },
  }),
  "index.mdx": "---\ntitle: Home\n---\n\nHome",
  "guides/deep/a.mdx": `---
title: Deep
---

<div className="hero" style={{ height: 20 }}></div>

<p className="own-font">Text in the font</p>

<picture><source srcSet="/images/none.svg 1x,/images/set.svg 2x,/images/set.svg 1x" /><img alt="set" src="/images/star.svg" /></picture>

<video poster="/images/poster.svg" width="20" height="20" />

<object data="/images/object.svg" type="image/svg+xml">Fallback</object>

<object data="/images/none.svg"><img alt="fallback" src="/images/fallback.svg" /></object>

<embed src="/images/embed.svg" type="image/svg+xml" />

<svg width="20" height="20"><image href="/images/inner.svg" width="20" height="20" /></svg>

![Built](/build/chart.svg)

![Temporary](../../tmp/deep/plan.svg)

[Manual](/dist/manual.pdf)

<style>{\`.local { background: image-set("/images/local.svg" 1x) }\`}</style>

<p className="local">Local</p>
`,
  "css/site.css":
    '@import url("/css/more.css");\n.hero{background:url("/images/hero.svg")}\n' +
    "@font-face{font-family:Own;src:url(/fonts/own.woff2)}.own-font{font-family:Own}",
  "css/more.css": ".hero{border:1px solid;border-image:url(/images/border.svg) 1}",
  "images/object.svg": drawing(30, '<image href="/images/nested.svg" width="9" height="9"/>'),
  "build/unnamed.svg": drawing(1),
  "build/notes.mdx": "No page",
  "dist/manual.pdf": "%PDF-1.4",
  "site.webmanifest": '{"icons":[{"src":"/images/star.svg"}]}',
  ...Object.fromEntries(
    "images/star images/set images/poster images/fallback images/embed images/inner images/local images/hero images/border images/nested build/chart tmp/deep/plan"
      .split(" ")
      .map((name, at) => [`${name}.svg`, drawing(40 + at)]),
  ),
};

/** The files that the page shows; a set of pictures shows one. */
const shown = [
  ...Object.keys(site).filter((path) => path.endsWith(".svg") && !path.includes("unnamed")),
  "fonts/own.woff2",
  "css/more.css",
];

const children = sharedChildren();
let browser: Browser & AsyncDisposable;
before(async () => {
  browser = await launchChromium();
});
after(() => browser[Symbol.asyncDispose]());

describe("the files that a site's own files name", () => {
  it("are in the bundle, and load from file:// and below a path", async () => {
    await using folder = await temporaryFolder();
    const [siteDir, outDir] = [join(folder.path, "site"), join(folder.path, "bundle")];
    await writeFiles(siteDir, site);
    await mkdir(join(siteDir, "fonts"));
    const katex = dirname(createRequire(import.meta.url).resolve("katex/package.json"));
    const font = join(katex, "dist/fonts/KaTeX_Size1-Regular.woff2");
    await copyFile(font, join(siteDir, "fonts/own.woff2"));
    const { problems } = await renderSite({
      siteDir,
      outDir,
      children,
      workers: 1,
      check: checkSite,
    });
    assert.deepEqual(
      problems.map(({ code, file, message }) => `${code} ${file} ${message.slice(0, 30)}`),
      ['media_missing guides/deep/a.mdx The file "/images/none.svg" is'],
    );
    const files = await readdir(outDir, { recursive: true });
    assert.ok(files.includes("dist/manual.pdf"));
    assert.ok(!files.includes("build/unnamed.svg") && !files.includes("build/notes.html"));
    assert.match(await readFile(join(outDir, "site.webmanifest"), "utf8"), /"src":"images\/star/);
    await using server = await serveFolder(outDir);
    for (const base of [server.url, pathToFileURL(`${outDir}/`).href]) {
      assert.deepEqual(await loadedFrom(base), new Set(shown), base);
    }
  });
});

/** Opens the page, and returns the pictures, fonts and imported styles that it loaded. */
async function loadedFrom(base: string): Promise<ReadonlySet<string>> {
  const context = await browser.newContext({ viewport: { width: 1200, height: 4000 } });
  const page = await context.newPage();
  const loaded = new Set<string>();
  const troubles: string[] = [];
  page.on("requestfinished", (request) => loaded.add(request.url()));
  page.on("requestfailed", (request) => troubles.push(request.url()));
  page.on("console", (message) => message.type() === "error" && troubles.push(message.text()));
  await page.goto(`${base}guides/deep/a.html`, { waitUntil: "networkidle" });
  await page.evaluate("document.fonts.ready");
  assert.equal(await page.evaluate("document.fonts.check('12px Own')"), true);
  assert.deepEqual(troubles, []);
  const outside = [...loaded].filter((url) => !url.startsWith(base) && !url.startsWith("data:"));
  assert.deepEqual(outside, []);
  await context.close();
  const paths = [...loaded].map((url) => url.slice(base.length));
  return new Set(paths.filter((path) => shown.includes(path)));
}
