import assert from "node:assert/strict";
import { after, before, suite, test } from "node:test";
import type { Page } from "playwright-core";
import { openSite, type SiteInBrowser } from "../support/open-page.ts";

/** How pages suit readers: from right to left, on paper, and without motion. */

interface Box {
  readonly left: number;
  readonly right: number;
}

function boxOf(page: Page, selector: string): Promise<Box> {
  return page
    .locator(selector)
    .first()
    .evaluate((element): Box => {
      const { left, right } = element.getBoundingClientRect();
      return { left, right };
    });
}

/** Elements that stand out of the window, apart from those in a box that scrolls or cuts. */
const outsideScript = `[...document.body.querySelectorAll("*")].filter((element) => {
  if (!element.checkVisibility({ visibilityProperty: true })) return false;
  const { left, right, width } = element.getBoundingClientRect();
  if (width === 0 || (left >= -1 && right <= document.documentElement.clientWidth + 1)) return false;
  for (let box = element.parentElement; box; box = box.parentElement) {
    if (getComputedStyle(box).overflowX !== "visible") return false;
    if (getComputedStyle(element).position === "fixed") return false;
  }
  return true;
}).map((element) => element.outerHTML.slice(0, 120))`;

suite("from right to left", () => {
  let site: SiteInBrowser;
  before(async () => {
    site = await openSite("test/sites/right-to-left/docs");
  });
  after(() => site[Symbol.asyncDispose]());

  const desktop = { viewport: { width: 1440, height: 900 } };

  test("the frame is mirrored, code is not", () =>
    site.withPage("ar/index", desktop, async (page) => {
      assert.equal(await page.getAttribute("html", "dir"), "rtl");
      const content = await boxOf(page, "#content-area");
      const sidebar = await boxOf(page, "#sidebar-content");
      const contents = await boxOf(page, "#table-of-contents-content");
      assert.ok(sidebar.left >= content.right, "the sidebar is on the right");
      assert.ok(contents.right <= content.left, "the contents are on the left");
      const logo = await boxOf(page, ".nav-logo");
      const search = await boxOf(page, ".search-button");
      const toggle = await boxOf(page, ".scheme-toggle");
      assert.ok(
        logo.left > search.right && search.left > toggle.right,
        "the header runs leftwards",
      );
      const direction = (selector: string) =>
        page.evaluate(`getComputedStyle(document.querySelector("${selector}")).direction`);
      assert.equal(await direction("#pagination a"), "rtl");
      assert.equal(await direction("#content pre"), "ltr");
    }));

  test("pages in other languages of the site are not mirrored", () =>
    site.withPage("index", desktop, async (page) => {
      const content = await boxOf(page, "#content-area");
      assert.ok((await boxOf(page, "#sidebar-content")).right <= content.left);
    }));

  test("nothing stands out of the window, however wide", async () => {
    for (const width of [360, 390, 768, 1024, 1280, 1920]) {
      await site.withPage("ar/index", { viewport: { width, height: 800 } }, async (page) => {
        assert.deepEqual(await page.evaluate(outsideScript), [], `${width} pixels`);
        const wide = await page.evaluate("document.documentElement.scrollWidth");
        assert.equal(wide, width);
      });
    }
  });

  test("the menu of a phone comes from the right", () =>
    site.withPage(
      "ar/index",
      { viewport: { width: 390, height: 844 }, reducedMotion: "reduce" },
      async (page) => {
        await page.click(".menu-button");
        const { left, right } = await boxOf(page, "#sidebar-content");
        assert.equal(right, 390);
        assert.ok(left > 20, "the page is seen beside it");
      },
    ));
});

/** The part of an A4 page between margins of a centimetre, in CSS pixels. */
const paper = { viewport: { width: 718, height: 1047 } };

const printed: readonly (readonly [site: string, page: string])[] = [
  ["docs", "quickstart"],
  ["test/sites/api-page/docs", "api-reference/stations/order-a-reading"],
  ["test/sites/code-blocks/docs", "index"],
  ["test/sites/tabs/docs", "index"],
  ["test/sites/accordions/docs", "index"],
  ["test/sites/right-to-left/docs", "ar/index"],
];

suite("on paper", () => {
  for (const [folder, path] of printed) {
    test(`${folder}, ${path}`, async () => {
      await using site = await openSite(folder);
      for (const colorScheme of ["light", "dark"] as const) {
        await site.withPage(path, { ...paper, colorScheme }, examinePrint);
      }
    });
  }
});

/** Code of which paper would not show all, as nobody can scroll there. */
const cutCodeScript = `[...document.querySelectorAll("#content-container pre")]
  .filter((pre) => pre.checkVisibility() &&
    (pre.scrollWidth > pre.clientWidth + 1 || pre.scrollHeight > pre.clientHeight + 1))
  .map((pre) => pre.textContent.slice(0, 80))`;

/** Sections in tabs and folded parts that paper would not show, or of which it would not show the title. */
const foldedScript = `[...document.querySelectorAll("#content-area .tab-panel, #content-area details > *")]
  .filter((part) => part.offsetHeight === 0 ||
    (part.matches(".tab-panel") && !part.querySelector(":scope > .tab-title")?.offsetHeight))
  .map((part) => part.outerHTML.slice(0, 80))`;

const colorsScript = `({
  ink: getComputedStyle(document.querySelector("#content")).color,
  ground: getComputedStyle(document.body).backgroundColor,
})`;

function lightnessOf(color: string): number {
  const channels = color.match(/[\d.]+/g)?.map(Number) ?? [];
  return Math.max(...channels.slice(0, 3));
}

async function examinePrint(page: Page): Promise<void> {
  await page.emulateMedia({ media: "print" });
  for (const part of ["#header", "#sidebar", "#table-of-contents", "#pagination"]) {
    const seen = await page.locator(`${part}:visible`).count();
    assert.equal(seen, 0, `${part} is of no use on paper`);
  }
  assert.equal(await page.locator("#page-title").isVisible(), true);
  assert.equal(await page.locator("#content").isVisible(), true);
  assert.deepEqual(await page.evaluate(cutCodeScript), []);
  assert.deepEqual(await page.evaluate(foldedScript), []);
  assert.deepEqual(await page.evaluate(outsideScript), []);
  const { ink, ground } = await page.evaluate<{ ink: string; ground: string }>(colorsScript);
  assert.ok(lightnessOf(ink) < 90, `text is ${ink}`);
  assert.ok(lightnessOf(ground) > 240, `the ground is ${ground}`);
}

suite("without motion", () => {
  /** Elements and their pseudo-elements that take longer than a hundredth of a second to change. */
  const movingScript = `[...document.querySelectorAll("*")].flatMap((element) =>
    [undefined, "::before", "::after", "::backdrop"].flatMap((pseudo) => {
      const style = getComputedStyle(element, pseudo);
      const durations = [style.transitionDuration, style.animationName === "none" ? "0s" : style.animationDuration];
      const longest = Math.max(...durations.join(",").split(",").map((text) => Number.parseFloat(text) || 0));
      return longest > 0.01 ? [element.outerHTML.slice(0, 80) + (pseudo ?? "")] : [];
    }))`;
  const runningScript = `document.getAnimations().filter(({ effect }) =>
    effect.getComputedTiming().endTime > 10).length`;

  const pages: readonly (readonly [site: string, pages: readonly string[]])[] = [
    ["docs", ["quickstart", "reference/components"]],
    ["test/sites/accordions/docs", ["index"]],
    ["test/sites/cards/docs", ["index"]],
    ["test/sites/media/docs", ["index"]],
    ["test/sites/tabs/docs", ["index"]],
  ];
  for (const [folder, paths] of pages) {
    test(folder, async () => {
      await using site = await openSite(folder);
      for (const path of paths) {
        const window = { viewport: { width: 390, height: 844 } };
        await site.withPage(path, { ...window, reducedMotion: "no-preference" }, async (page) => {
          const moving = await page.evaluate<string[]>(movingScript);
          assert.ok(moving.length > 0, "the script finds what moves");
        });
        await site.withPage(path, { ...window, reducedMotion: "reduce" }, async (page) => {
          await page.keyboard.press("/");
          await page.locator("dialog[open]").waitFor();
          assert.equal(await page.evaluate(runningScript), 0, "with the search open");
          assert.deepEqual(await page.evaluate(movingScript), [], path);
          await page.keyboard.press("Escape");
          await page.click(".menu-button");
          assert.equal(await page.evaluate(runningScript), 0, "with the menu open");
          const scrolling = await page.evaluate(
            "getComputedStyle(document.documentElement).scrollBehavior",
          );
          assert.equal(scrolling, "auto");
        });
      }
    });
  }
});

/** Columns that a block of code has room for before it scrolls; letters of most fonts for code are 0.6 of their size wide. */
const columnsScript = `(() => {
  const pre = document.querySelector("#content > .code pre");
  const { paddingLeft, paddingRight, fontSize } = getComputedStyle(pre);
  const [left, right, size] = [paddingLeft, paddingRight, fontSize].map(Number.parseFloat);
  return Math.floor((pre.clientWidth - left - right) / (0.6 * size));
})()`;

suite("code", () => {
  let site: SiteInBrowser;
  before(async () => {
    site = await openSite("test/sites/code-blocks/docs");
  });
  after(() => site[Symbol.asyncDispose]());

  for (const width of [1024, 1280, 1343, 1344, 1440, 1920]) {
    test(`of 80 columns is seen whole at ${width} pixels`, () =>
      site.withPage("index", { viewport: { width, height: 800 } }, async (page) => {
        const columns = await page.evaluate<number>(columnsScript);
        assert.ok(columns >= 80, `there is room for ${columns}`);
      }));
  }

  test("has its button for copying before anything points at it", () =>
    site.withPage("index", { viewport: { width: 1280, height: 800 } }, async (page) => {
      const opacity = "getComputedStyle(document.querySelector('#content .copy-code')).opacity";
      assert.equal(await page.evaluate(opacity), "1");
    }));
});
