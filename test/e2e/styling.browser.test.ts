import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { TemporaryFolder } from "../support/temporary-folder.ts";

const root = resolve(import.meta.dirname, "../..");

/** The first column of the manual's table: what authors are promised. */
async function promisedSelectors(): Promise<string[]> {
  const manual = await readFile(join(root, "docs/reference/styling.mdx"), "utf8");
  return Array.from(manual.matchAll(/^\| `([^`]+)` \|/gm), ([, selector = ""]) => selector);
}

describe("a site's own styles and scripts", () => {
  let out: TemporaryFolder;
  let browser: Browser;
  let page: Page;
  before(async () => {
    out = await temporaryFolder();
    await renderSite({
      siteDir: join(root, "test/sites/custom-styles/docs"),
      outDir: out.path,
      editUrl: "https://git.example.com/edit/{path}",
    });
    browser = await launchChromium();
    page = await browser.newPage();
    await page.goto(pathToFileURL(join(out.path, "index.html")).href, { waitUntil: "load" });
  });
  after(async () => {
    await browser.close();
    await out[Symbol.asyncDispose]();
  });

  test("find what the manual promises", async () => {
    const selectors = await promisedSelectors();
    // Those that the scripts of real sites were found to use.
    const used =
      "#content-area #navbar #sidebar #sidebar-content #table-of-contents #table-of-contents-content #content-container #header #footer footer #mdx-content .mdx-content .prose .nav-logo .nav-tabs .nav-tabs-item .navbar-link";
    for (const selector of used.split(" ")) assert.ok(selectors.includes(selector), selector);
    for (const selector of selectors) {
      assert.ok((await page.locator(selector).count()) > 0, `${selector} is on the page`);
    }
  });

  test("come in the order of their names and win over the theme", async () => {
    const style = (selector: string, property: string) =>
      page.evaluate(`getComputedStyle(document.querySelector("${selector}")).${property}`);
    assert.equal(await style(".potters-note", "color"), "rgb(1, 2, 3)");
    assert.equal(await style("#content-area .potters-note p, #content-area p", "margin"), "7px");
    assert.equal(await page.getAttribute("html", "data-order"), "ab");
    assert.equal(await page.getAttribute("#navbar", "data-seen"), "/");
  });
});
