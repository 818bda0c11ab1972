import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { checkSite } from "../../packages/site/src/check/index.ts";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { sharedChildren } from "../support/shared-children.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";

const site = {
  "docs.json": JSON.stringify({
    name: "Contents",
    colors: { primary: "#123456" },
    navigation: { pages: ["index", "folds"] },
  }),
  "index.mdx": `---
title: Getting started
---

[Top](#getting-started) [Other](/folds#only-folds)

<Tabs>
<Tab title="npm">
## With npm

<Accordion title="More">
### In the fold
</Accordion>
</Tab>
<Tab title="pnpm">
## With pnpm
</Tab>
</Tabs>

<details>
<summary>Plain</summary>

## In details

</details>

<View title="Mac">
## On Mac
</View>

<View title="Linux">
## On Linux
</View>

## After
`,
  "folds.mdx": "---\ntitle: Only folds\n---\n\n<Accordion title='A'>\n## In A\n</Accordion>\n",
};

const children = sharedChildren();
let browser: Browser & AsyncDisposable;
before(async () => {
  browser = await launchChromium();
});
after(() => browser[Symbol.asyncDispose]());

function shownEntries(page: Page): Promise<string[]> {
  return page.locator(".toc-item:visible").allInnerTexts();
}

/** Waits until the table of contents has these entries. */
async function waitForEntries(page: Page, entries: readonly string[]): Promise<void> {
  const shown = `JSON.stringify([...document.querySelectorAll(".toc-item")].filter((entry) => entry.checkVisibility()).map((entry) => entry.textContent))`;
  await page
    .waitForFunction(`${shown} === ${JSON.stringify(JSON.stringify(entries))}`)
    .catch(async () => assert.deepEqual(await shownEntries(page), entries));
}

describe("the table of contents", () => {
  it("follows what is shown, and the title is an anchor", async () => {
    await using folder = await temporaryFolder();
    const [siteDir, outDir] = [join(folder.path, "site"), join(folder.path, "bundle")];
    await writeFiles(siteDir, site);
    const { problems } = await renderSite({
      siteDir,
      outDir,
      children,
      workers: 1,
      check: checkSite,
    });
    assert.deepEqual(problems, []);
    const address = pathToFileURL(join(outDir, "index.html")).href;
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(address);
    const after = ["On Mac", "After"];
    await waitForEntries(page, ["With npm", ...after]);
    await page.click("text=More");
    await waitForEntries(page, ["With npm", "In the fold", ...after]);
    await page.click("role=tab[name=pnpm]");
    await waitForEntries(page, ["With pnpm", ...after]);
    await page.click("text=Plain");
    await waitForEntries(page, ["With pnpm", "In details", ...after]);
    await page.click("role=button[name=Linux]");
    await waitForEntries(page, ["With pnpm", "In details", "On Linux", "After"]);
    await page.goto(`${address}#in-the-fold`);
    await waitForEntries(page, ["With npm", "In the fold", "In details", "On Linux", "After"]);
    await page.click("text=Other");
    assert.equal(
      await page.locator(":target").evaluate((mark) => mark.parentElement?.id),
      "page-title",
    );
    await waitForEntries(page, []);
    assert.equal(await page.locator(".toc-title").isVisible(), false);
    await context.close();

    const plain = await browser.newContext({
      viewport: { width: 1440, height: 900 },
      javaScriptEnabled: false,
    });
    const still = await plain.newPage();
    await still.goto(address);
    assert.equal((await shownEntries(still)).length, 7);
    await plain.close();
  });
});
