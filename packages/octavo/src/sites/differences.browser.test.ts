import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { launchChromium } from "../../../../test/support/chromium.ts";
import {
  createServedSite,
  createServedVersion,
  startServedSites,
  type ServedSites,
} from "../../../../test/support/served-sites.ts";
import { assertAccessible } from "../../../../test/support/axe.ts";

const host = "preview.localhost";

function createPage(content: string): string {
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="color-scheme" content="light dark"><title>A page</title></head><body><main><div id="content">${content}</div></main></body></html>`;
}

function count(page: Page): Promise<string | null> {
  return page.locator("#octavo-difference-count").textContent();
}

const filler = "<p>A paragraph that stays as it was in both versions.</p>".repeat(40);

describe("the bar of a difference", () => {
  let browser: Browser & AsyncDisposable;
  let sites: ServedSites;

  before(async () => {
    browser = await launchChromium();
    sites = await startServedSites();
    const published = await sites.deploy({
      "index.html": createPage(
        `<h1>Title</h1><p>The first text is old.</p>${filler}<details><summary>More</summary><p>The hidden text is old.</p></details><input aria-label="Name">`,
      ),
    });
    const preview = await sites.deploy({
      "index.html": createPage(
        `<h1>Title</h1><p>The first text is new.</p><p>Nothing was like this before, not even one of its words.</p>${filler}<details><summary>More</summary><p>The hidden text is new.</p></details><input aria-label="Name">`,
      ),
    });
    const base = { archive: published.archive, name: "the published version" };
    const site = createServedSite([createServedVersion(preview)], { kind: "preview", base });
    sites.table.set(host, site);
  });
  after(async () => {
    await browser[Symbol.asyncDispose]();
    await sites[Symbol.asyncDispose]();
  });

  async function open(query: string, width = 1280): Promise<Page> {
    const page = await browser.newPage({
      viewport: { width, height: 700 },
      reducedMotion: "reduce",
    });
    await page.goto(`http://${host}:${sites.port}/${query}`);
    return page;
  }
  it("leads to the next and the previous change by keys and buttons, and opens what hides it", async () => {
    await using page = await open("?diff");
    assert.equal(await count(page), "3 changes");
    await page.keyboard.press("n");
    assert.equal(await count(page), "1 of 3");
    await page.keyboard.press("j");
    await page.getByRole("button", { name: "Next change" }).click();
    assert.equal(await count(page), "3 of 3");
    assert.ok(await page.getByText("The hidden text is").isVisible());
    await page.keyboard.press("n");
    assert.equal(await count(page), "1 of 3");
    await page.keyboard.press("p");
    assert.equal(await count(page), "3 of 3");
    await page.getByRole("button", { name: "Previous change" }).click();
    await page.keyboard.press("k");
    assert.equal(await count(page), "1 of 3");
  });

  it("leaves keys to what readers type", async () => {
    await using page = await open("?diff");
    await page.getByLabel("Name").fill("");
    await page.getByLabel("Name").press("n");
    assert.equal(await page.getByLabel("Name").inputValue(), "n");
    assert.equal(await count(page), "3 changes");
  });

  it("shows both versions side by side, with the same blocks at the same height", async () => {
    await using page = await open("?diff=sides");
    const [after, before] = [page.getByLabel("After"), page.getByLabel("Before")];
    assert.equal(await before.locator("p").first().innerText(), "The first text is old.");
    assert.equal(await after.locator("p").first().innerText(), "The first text is new.");
    assert.equal(await before.getByText("Nothing was like this").isVisible(), false);
    const getTop = async (side: typeof after) => {
      const box = await side.getByText("A paragraph that stays").first().boundingBox();
      return Math.round(box?.y ?? 0);
    };
    assert.equal(await getTop(before), await getTop(after));
  });

  it("fits a phone, on which both sides do not", async () => {
    await using page = await open("?diff=sides", 390);
    assert.equal(await page.getByText("Side by side").isVisible(), false);
    assert.equal(await page.getByLabel("Before").count(), 0);
    const widths = await page.evaluate<number[]>("[document.body.scrollWidth, innerWidth]");
    assert.ok((widths[0] ?? 0) <= (widths[1] ?? 0));
    await page.getByText("1 changed page").click();
    assert.ok(await page.getByRole("link", { name: "A page 3 changes" }).isVisible());
  });

  it("is accessible in both color schemes", async () => {
    await using page = await open("?diff");
    await page.getByText("1 changed page").click();
    await assertAccessible(page, "difference");
  });
});
