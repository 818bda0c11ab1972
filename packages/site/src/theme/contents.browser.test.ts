import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { openSampleBundle, steps } from "./browser.test-support.ts";

/** Lists the entries that are shown to readers of a part. */
function entriesIn(part: string): string[] {
  return steps
    .filter(({ depth, id }) => depth === 2 || id.startsWith(part))
    .map((step) => step.text);
}

function shownEntries(page: Page): Promise<string[]> {
  return page.locator(".toc-item:visible").allInnerTexts();
}

const bundle = await openSampleBundle();
after(() => bundle[Symbol.asyncDispose]());
const { withPage } = bundle;

describe("where the reader is, from file://", () => {
  it("loads the rest of a large division when it is asked for", async () => {
    await withPage("alone/a.html", async (page) => {
      assert.equal(await page.locator("#navigation-items a").count(), 2);
      await page.click("text=Many");
      await page
        .locator('#navigation-items a[href="../many/7.html"]')
        .waitFor({ state: "visible" });
      assert.equal(await page.locator("#navigation-items a").count(), 201);
      assert.equal(await page.locator('#navigation-items [aria-current="page"]').innerText(), "A");
    });
  });

  it("marks the heading that is being read", async () => {
    await withPage(
      "index.html",
      async (page) => {
        await page.locator('.toc-item[data-active]:text-is("One")').waitFor();
        await page.evaluate(
          "document.getElementById('two').scrollIntoView({ behavior: 'instant' })",
        );
        await page.locator('.toc-item[data-active]:text-is("Two")').waitFor();
      },
      { viewport: { width: 1440, height: 900 } },
    );
  });

  it("marks the target of an address, also where parts are short or end the page", async () => {
    const view = { viewport: { width: 1440, height: 900 } };
    await withPage(
      "short.html",
      async (page, go) => {
        const marked = () =>
          page
            .locator(".toc-item[data-active]")
            .evaluateAll((all) => all.map((a) => a.textContent));
        await page.locator('.toc-item[data-active]:text-is("Part 1")').waitFor();
        for (const part of [2, 3, 10, 11, 12, 11]) {
          await go(`short.html#part-${part}`);
          await page.locator(`.toc-item[data-active]:text-is("Part ${part}")`).waitFor();
          assert.deepEqual(await marked(), [`Part ${part}`]);
        }
        await page.evaluate("scrollTo({ top: 0, behavior: 'instant' })");
        await page.locator('.toc-item[data-active]:text-is("Part 1")').waitFor();
      },
      view,
    );
  });

  it("shows the deepest entries of long contents for the part that is being read alone", async () => {
    const view = { viewport: { width: 1440, height: 900 } };
    await withPage(
      "long.html",
      async (page, go) => {
        for (const [address, part] of [
          ["long.html", "a"],
          ["long.html#b", "b"],
          ["long.html#c4", "c"],
          ["long.html#b10", "b"],
        ] as const) {
          await go(address);
          await page.locator(`.toc-item:visible:text-is("${part}7")`).waitFor();
          assert.deepEqual(await shownEntries(page), entriesIn(part), address);
        }
      },
      view,
    );
    await withPage(
      "long.html",
      async (page) => assert.equal((await shownEntries(page)).length, steps.length),
      { ...view, javaScriptEnabled: false },
    );
  });
});
