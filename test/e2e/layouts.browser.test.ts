import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { assertAccessible } from "../support/axe.ts";
import { launchChromium } from "../support/chromium.ts";
import { sharedChildren } from "../support/shared-children.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";

/** One site in the three arrangements that the format's theme names lead to, as a browser shows them. */

const siteDir = resolve(import.meta.dirname, "../sites/themes/docs");
const pages = ["index", "lens", "signals", "wide", "center", "custom", "frame", "ar/index", "404"];
const desktop = { width: 1440, height: 900 };
const phone = { width: 390, height: 844 };

interface Box {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Undefined where an element takes no room. */
async function boxOf(page: Page, selector: string): Promise<Box | undefined> {
  const box = await page.locator(selector).first().boundingBox();
  if (box === null) return undefined;
  const { x, y, width, height } = box;
  return { left: x, top: y, right: x + width, bottom: y + height };
}

async function boxesOf<Name extends string>(
  page: Page,
  selectors: Readonly<Record<Name, string>>,
): Promise<Record<Name, Box>> {
  const boxes: Partial<Record<Name, Box>> = {};
  for (const name of Object.keys(selectors) as Name[]) {
    const box = await boxOf(page, selectors[name]);
    assert(box, `${selectors[name]} is shown`);
    boxes[name] = box;
  }
  return boxes as Record<Name, Box>;
}

const parts = {
  logo: ".nav-logo",
  search: ".search-button",
  tabs: ".nav-tabs",
  navigation: "#navigation-items",
  scheme: ".topbar-right-container .scheme-toggle",
  article: "#content-area",
  container: "#content-container",
  contents: "#table-of-contents-content",
};

/** Assertions that only one arrangement fulfills on a wide screen. */
const arrangements: Readonly<Record<string, (at: Record<keyof typeof parts, Box>) => void>> = {
  mint({ logo, tabs, scheme, navigation, article }) {
    assert(tabs.top >= logo.bottom, "tabs below the bar");
    assert(scheme.left > 1000 && scheme.top < 100, "links at the bar's end");
    assert(navigation.top >= tabs.bottom && article.top >= tabs.bottom, "both below the bar");
  },
  luma({ logo, search, tabs, scheme, navigation, article }) {
    for (const part of [logo, search, tabs, navigation, scheme]) {
      assert(part.right <= article.left, "all in one column");
    }
    assert(search.top >= logo.bottom && tabs.top >= search.bottom, "one below the other");
    assert(navigation.top >= tabs.bottom && scheme.bottom > 800, "links at the column's foot");
    assert(article.top < search.bottom, "nothing above the article but the banner");
  },
  almond({ logo, tabs, scheme, search, navigation, container }) {
    assert(tabs.top < logo.bottom && tabs.left > logo.right, "tabs in the bar");
    assert(search.left >= tabs.right && scheme.left > search.right, "then search and links");
    assert(container.left > navigation.right && container.right < 1440, "a sheet with an edge");
  },
};

const children = sharedChildren();

describe("layouts", () => {
  let browser: Browser;
  let root: TemporaryFolder;
  before(async () => {
    root = await temporaryFolder();
    for (const theme of Object.keys(arrangements)) await exportAs(theme, root.path);
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await root?.[Symbol.asyncDispose]();
  });

  async function open(theme: string, path: string, options: BrowserContextOptions = {}) {
    const context = await browser.newContext({ viewport: desktop, ...options });
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(root.path, theme, `${path}.html`)).href);
    return Object.assign(page, { [Symbol.asyncDispose]: () => context.close() });
  }

  for (const [theme, check] of Object.entries(arrangements)) {
    test(`${theme} is told from the others`, async () => {
      await using page = await open(theme, "index");
      const boxes = await boxesOf(page, parts);
      check(boxes);
      for (const [other, theirs] of Object.entries(arrangements)) {
        if (other !== theme) assert.throws(() => theirs(boxes), `${theme} is not ${other}`);
      }
      assert(boxes.navigation.right <= boxes.article.left, "navigation before the article");
      assert(boxes.contents.left >= boxes.article.right, "contents after it");
    });

    test(`${theme} is mirrored where a language is written from right to left`, async () => {
      await using page = await open(theme, "ar/index");
      const { navigation, article, contents } = await boxesOf(page, parts);
      assert(navigation.left >= article.right, "navigation on the right");
      assert(contents.right <= article.left, "contents on the left");
    });

    test(`${theme} keeps the way to other pages where there is no sidebar`, async () => {
      for (const path of ["center", "custom"]) {
        await using page = await open(theme, path);
        assert.equal(await boxOf(page, "#navigation-items"), undefined, path);
        const shown = await boxesOf(page, {
          search: ".search-button",
          tabs: ".nav-tabs",
          version: ".menu-version",
          language: ".topbar-right-container .menu-language",
        });
        for (const box of Object.values<Box>(shown)) assert(box.bottom < 200, path);
      }
    });

    test(`${theme} is never wider than its window`, async () => {
      for (const path of pages) {
        await using page = await open(theme, path);
        for (const width of [320, 390, 768, 1024, 1280, 1440]) {
          await page.setViewportSize({ width, height: 800 });
          const wide = await page.evaluate("document.documentElement.scrollWidth");
          assert.equal(wide, width, `${path} at ${width}`);
        }
      }
    });

    test(`${theme} opens the table of contents on a phone`, async () => {
      for (const javaScriptEnabled of [true, false]) {
        await using page = await open(theme, "index", { viewport: phone, javaScriptEnabled });
        const list = page.locator("#table-of-contents-content");
        assert.equal(await list.isVisible(), false);
        await page.click(".contents-button");
        await list.waitFor({ state: "visible" });
        const { button, opened } = await boxesOf(page, {
          button: ".contents-button",
          opened: "#table-of-contents-content",
        });
        assert.equal(opened.top, button.bottom + 8, "below its button");
        await page.click('.toc-item:text-is("Watch")');
        assert.match(page.url(), /#watch$/);
        if (javaScriptEnabled) await list.waitFor({ state: "hidden" });
      }
    });

    test(`${theme} has nothing that axe finds serious`, async () => {
      for (const path of ["index", "signals", "center", "ar/index"]) {
        for (const viewport of [desktop, phone]) {
          await using page = await open(theme, path, { viewport, reducedMotion: "reduce" });
          await assertAccessible(page, `${path}, ${viewport.width}`);
        }
      }
    });

    test(`${theme} prints the text alone, in light colors`, async () => {
      await using page = await open(theme, "index", { colorScheme: "dark" });
      await page.emulateMedia({ media: "print" });
      for (const selector of ["#header", "#navigation-items", "#footer", "#banner", ".toc-item"]) {
        assert.equal(await boxOf(page, selector), undefined, selector);
      }
      const { article } = await boxesOf(page, { article: "#content-area" });
      assert.deepEqual([article.left, article.top, article.right], [0, 0, 1440]);
      assert(await page.getByText("Ring the bell").isVisible(), "what is folded");
      const colors = await page.evaluate<string[]>(
        "[...document.querySelectorAll('html, .code pre')].map((one) => getComputedStyle(one).backgroundColor)",
      );
      for (const color of colors) assert.match(color, /^rgb\(2[345]\d, 2[345]\d, 2[345]\d\)$/);
    });
  }
});

test("a long label of the search stays inside the sidebar", async () => {
  await using own = await temporaryFolder();
  await using browser = await launchChromium();
  const search = { prompt: "Search or ask anything about the lighthouse and its keepers" };
  await exportAs("luma", own.path, { search });
  const context = await browser.newContext({ viewport: desktop });
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(own.path, "luma/index.html")).href);
  const at = await boxesOf(page, {
    search: ".search-button",
    column: "#sidebar-column > #sidebar",
  });
  assert(at.search.right <= at.column.right && at.search.left >= at.column.left);
  await context.close();
});

async function exportAs(theme: string, folder: string, more: object = {}): Promise<void> {
  const copy = join(folder, `${theme}-site`);
  await cp(siteDir, copy, { recursive: true });
  const config: unknown = JSON.parse(await readFile(join(copy, "docs.json"), "utf8"));
  await writeFile(
    join(copy, "docs.json"),
    JSON.stringify({ ...(config as object), ...more, theme }),
  );
  await renderSite({ siteDir: copy, outDir: join(folder, theme), workers: 1, children });
}
