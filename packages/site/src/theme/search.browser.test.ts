import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import type { Page } from "playwright-core";
import { patienceMs } from "../../../../test/support/patience.ts";
import { openSampleBundle } from "./browser.test-support.ts";

const bundle = await openSampleBundle();
after(() => bundle[Symbol.asyncDispose]());
const { withPage, withServedPage } = bundle;

/** Asks the browser itself: on a busy machine Playwright misses windows that pages open. */
async function untilWindowShows(address: string): Promise<void> {
  const url = `${pathToFileURL(bundle.folder).href}/${address}`;
  const devtools = await bundle.browser.newBrowserCDPSession();
  const addresses = async () =>
    (await devtools.send("Target.getTargets")).targetInfos.map((target) => target.url);
  const end = Date.now() + patienceMs;
  while (!(await addresses()).includes(url)) {
    assert(Date.now() < end, `no window shows ${address}`);
    await sleep(50);
  }
  await devtools.detach();
}

/** The text comes at once: while one is typed, what its first letters find is shown. */
async function searchFor({ keyboard }: Page, text: string): Promise<void> {
  await keyboard.press("/");
  await keyboard.insertText(text);
}

describe("the search dialog, from file://", () => {
  it("searches by keyboard alone", async () => {
    await withPage("guides/a.html", async (page) => {
      await searchFor(page, "rain");
      const results = page.locator("#search [role=option]");
      await results.nth(1).waitFor();
      assert.equal(await results.nth(0).getAttribute("aria-selected"), "true");
      assert.match(await results.nth(0).innerText(), /all\s+rain1\s+<b>4/);
      assert.equal(await page.locator("#search mark").first().innerText(), "4");
      assert.equal(await page.innerText("#search [role=status]"), "Results: 2");
      await page.keyboard.press("ArrowDown");
      assert.equal(await results.nth(1).getAttribute("aria-selected"), "true");
      assert.equal(
        await page.getAttribute("#search-input", "aria-activedescendant"),
        await results.nth(1).getAttribute("id"),
      );
      await page.fill("#search-input", "nothing");
      await page.locator("#search [role=status]:has-text('No results: nothing')").waitFor();
      await page.fill("#search-input", "snow");
      await results.nth(1).waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(/guides\/a\.html#one$/);
      await page.focus("#header .scheme-toggle");
      await page.keyboard.press("Control+k");
      await page.locator("#search[open]").waitFor();
      for (let presses = 0; presses < 4; presses += 1) {
        await page.keyboard.press("Tab");
        const isInside =
          "!document.hasFocus() || !!document.activeElement.closest('#search, body:focus')";
        assert.equal(await page.evaluate(isInside), true, "the focus stays in the dialog");
      }
      await page.keyboard.press("Escape");
      await page.locator("#search").waitFor({ state: "hidden" });
      const focused = "document.activeElement.classList.contains('scheme-toggle')";
      assert.equal(await page.evaluate(focused), true, "the focus is given back");
    });
  });

  it("shows pages around this one before a word is typed, and those that were opened from it", async () => {
    await withServedPage("guides/a.html", async (page, go) => {
      const groups = page.locator("#search [role=listbox] > [role=group]");
      const options = page.locator("#search [role=option]");
      await page.keyboard.press("/");
      await options.first().waitFor();
      assert.equal(await groups.count(), 1);
      assert.equal(await page.getByRole("group", { name: "Suggested", exact: true }).count(), 1);
      assert.equal(await page.locator("#search [aria-selected=true]").count(), 0);
      const hrefs = await options.evaluateAll((found) => found.map(({ href }) => href));
      assert.equal(new Set(hrefs).size, hrefs.length);
      assert.equal(hrefs.includes(page.url()), false, "not the page itself");

      await page.keyboard.insertText("snow");
      await page.locator("#search mark").first().waitFor();
      await page.keyboard.press("Enter");
      await page.waitForURL(/#/);
      const [opened] = page.url().split("#");
      await go("index.html");
      // Another process of the browser may learn a moment later what the page before has stored.
      await page.waitForFunction("JSON.stringify(localStorage).includes('snow1')");
      await page.keyboard.press("/");
      const recent = page.getByRole("group", { name: "Recent", exact: true });
      await recent.waitFor();
      const links = await recent
        .locator("[role=option]")
        .evaluateAll((found) => found.map(({ href }) => href));
      assert.deepEqual(links, [opened]);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.waitForURL(opened ?? "");
    });
  });

  it("shows results under the titles of their pages, and begins at the best", async () => {
    await withPage("guides/a.html", async (page) => {
      await searchFor(page, "tide");
      const groups = page.locator("#search [role=listbox] > [role=group]");
      await groups.nth(2).waitFor();
      for (const name of ["A", "Index", "One"]) {
        assert.equal(await page.getByRole("group", { name, exact: true }).count(), 1, name);
      }
      assert.deepEqual(
        (await groups.allInnerTexts()).map((text) => text.split(/\s*\n\s*/)),
        [
          ["Way", "A", "Ebb", "In Ebb", "Flood", "In Flood"],
          ["Way", "Index", "In", "Neap", "In Neap"],
          ["Way", "One", "Tide", "In Tide"],
        ],
      );
      assert.equal(await page.innerText("#search [role=status]"), "Results: 7");
      const chosen = page.locator("#search [aria-selected=true] .search-title");
      const seen = [await chosen.innerText()];
      for (const key of ["ArrowUp", "ArrowDown", "ArrowDown", "ArrowDown", "ArrowDown"]) {
        await page.keyboard.press(key);
        seen.push(await chosen.innerText());
      }
      assert.deepEqual(seen, ["Ebb", "A", "Ebb", "Flood", "Index", "Neap"]);
      await page.locator("#search .search-title", { hasText: "One" }).click();
      await page.waitForURL(/many\/1\.html$/);
    });
  });

  it("leaves room for the keyboard of a phone, and closes it for who goes through the results", async () => {
    const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
    await withPage(
      "index.html",
      async (page) => {
        await page.tap(".search-button");
        await page.keyboard.type("rain");
        const result = page.locator("#search-result-0");
        await result.waitFor();
        assert.equal((await page.locator("#search").boundingBox())?.y, 12);
        assert.equal(await page.innerText(".search-close"), "", "there is no such key");
        const focused = "document.activeElement.id";
        assert.equal(await page.evaluate(focused), "search-input");
        await result.dispatchEvent("touchmove");
        assert.notEqual(await page.evaluate(focused), "search-input");
        await page.tap(".search-close");
        await page.locator("#search").waitFor({ state: "hidden" });
      },
      phone,
    );
  });

  it("is a slash in a field, and a letter with other keys held", async () => {
    await withPage("index.html", async (page) => {
      await page.keyboard.press("Alt+/");
      assert.equal(await page.locator("#search").count(), 0);
      await page.keyboard.press("/");
      await page.keyboard.type("a/b");
      assert.equal(await page.inputValue("#search-input"), "a/b");
    });
  });

  for (const { keys, opened } of [
    { keys: ["Enter"], opened: /guides\/a\.html#one$/ },
    { keys: ["ArrowDown", "ArrowUp", "Enter"], opened: /guides\/a\.html#one$/ },
    { keys: ["ArrowDown", "Enter"], opened: /guides\/a\.html#two$/ },
  ]) {
    it(`takes ${keys.join(", ")} pressed before there are results for those to come`, async () => {
      await withPage("index.html", async (page) => {
        await page.keyboard.press("/");
        await page.locator("#search[open]").waitFor();
        // At once, as no test could type.
        await page.evaluate(`{
          const field = document.getElementById("search-input");
          field.value = "tide";
          field.dispatchEvent(new Event("input", { bubbles: true }));
          for (const key of ${JSON.stringify(keys)}) {
            field.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
          }
        }`);
        await page.waitForURL(opened);
      });
    });
  }

  it("opens a result in a window of its own when asked to", async () => {
    await withPage("index.html", async (page) => {
      await page.keyboard.type("/rain");
      await page.locator("#search-result-0").waitFor();
      await page.keyboard.press("Control+Enter");
      await untilWindowShows("guides/a.html#one");
      assert.match(page.url(), /index\.html$/);
    });
  });
});
