import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { after, before, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { AxeResults } from "axe-core";
import type { Browser } from "playwright-core";
import { renderSite } from "../../src/render/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Pages of each kind: the manual, and golden sites that show every component. */
const places: readonly (readonly [site: string, pages: readonly string[]])[] = [
  [
    "../../docs",
    ["index", "quickstart", "reference/markdown", "reference/format", "export/bundle"],
  ],
  ["../sites/accordions/docs", ["index"]],
  ["../sites/callouts/docs", ["index"]],
  ["../sites/cards/docs", ["index"]],
  ["../sites/changelog/docs", ["changelog"]],
  ["../sites/code-blocks/docs", ["index"]],
  ["../sites/color/docs", ["index"]],
  ["../sites/fields/docs", ["index"]],
  ["../sites/math/docs", ["index"]],
  ["../sites/mermaid/docs", ["index"]],
  ["../sites/nav-languages/docs", ["en/index"]],
  ["../sites/openapi-x-mint/docs", []],
  ["../sites/steps/docs", ["index"]],
  ["../sites/tabs/docs", ["index"]],
  ["../sites/tree/docs", ["index"]],
];

suite("axe finds nothing serious", { timeout: 240_000 }, () => {
  let browser: Browser;
  let axe: string;
  before(async () => {
    browser = await launchChromium();
    axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  });
  after(() => browser.close());

  for (const [folder, wanted] of places) {
    test(folder, async () => {
      await using out = await temporaryFolder();
      const siteDir = resolve(import.meta.dirname, folder);
      const { site } = await renderSite({ siteDir, outDir: out.path, workers: 1 });
      const known = site.pages.map(({ path }) => path);
      const chosen = wanted.filter((path) => known.includes(path));
      const pages = chosen.length === 0 ? known.slice(0, 2) : chosen;
      for (const path of pages) {
        for (const colorScheme of ["light", "dark"] as const) {
          const page = await browser.newPage({ colorScheme });
          await page.goto(pathToFileURL(join(out.path, `${path}.html`)).href);
          await page.evaluate(axe);
          const { violations } = await page.evaluate<AxeResults>("axe.run()");
          const serious = violations
            .filter(({ impact }) => impact === "serious" || impact === "critical")
            .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
          assert.deepEqual(serious, [], `${path}, ${colorScheme}`);
          await page.close();
        }
      }
    });
  }
});
