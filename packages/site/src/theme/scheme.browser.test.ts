import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import type { Page } from "playwright-core";
import { openSampleBundle } from "./browser.test-support.ts";

function isDark(page: Page): Promise<unknown> {
  return page.evaluate("document.documentElement.classList.contains('dark')");
}

const bundle = await openSampleBundle();
after(() => bundle[Symbol.asyncDispose]());
const { withPage, withServedPage } = bundle;

describe("light and dark", () => {
  it("follows the system's scheme until the reader chooses, and remembers the choice", async () => {
    const dark = { colorScheme: "dark" } as const;
    await withServedPage(
      "index.html",
      async (page, go) => {
        assert.equal(await isDark(page), true);
        await page.click("#header .scheme-toggle");
        assert.equal(await isDark(page), false);
        await go("guides/a.html");
        assert.equal(await isDark(page), false);
        await go("other.html");
        assert.equal(await isDark(page), true, "another site beside it has a choice of its own");
      },
      dark,
    );
  });

  it("remembers the choice from file:// too", async () => {
    await withPage("index.html", async (page, go) => {
      // Once more where one of the two has a storage that the other does not see, which no script can mend.
      let isKept = false;
      for (let tries = 0; tries < 20 && !isKept; tries += 1) {
        await go("index.html");
        if (!(await isDark(page))) await page.click("#header .scheme-toggle");
        await go("guides/a.html");
        isKept = (await page.evaluate("localStorage.length")) !== 0;
      }
      assert.ok(isKept);
      assert.equal(await isDark(page), true);
    });
  });

  it("has set the scheme before anything is painted", async () => {
    await withServedPage("index.html", async (page, go) => {
      await page.click("#header .scheme-toggle");
      await page.addInitScript(`
        new MutationObserver(() => {
          if (document.body) window.schemeAtBody ??= document.documentElement.className;
        }).observe(document, { childList: true, subtree: true });
      `);
      await go("guides/a.html");
      assert.equal(await page.evaluate("schemeAtBody"), "js dark");
    });
  });

  it("follows the system and other windows while the page is open", async () => {
    await withServedPage("index.html", async (page, go) => {
      await page.emulateMedia({ colorScheme: "dark" });
      await page.locator("html.dark").waitFor();
      const other = await page.context().newPage();
      await other.goto(page.url());
      // The other window is light by the system's setting: the second click chooses the same scheme.
      await other.click("#header .scheme-toggle");
      await other.click("#header .scheme-toggle");
      await page.locator("html:not(.dark)").waitFor();
      await go("guides/a.html");
      assert.equal(await isDark(page), false);
    });
  });
});
