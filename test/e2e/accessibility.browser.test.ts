import { existsSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { assertAccessible } from "../support/axe.ts";
import { launchChromium } from "../support/chromium.ts";
import { exportedSite } from "../support/exported-site.ts";
import { realPages } from "../support/real-pages.ts";
import { whyNoRealSites } from "../support/real-sites.ts";

/** Pages of each kind: the manual, and golden sites that show every component. */
const places: readonly (readonly [site: string, pages: readonly string[]])[] = [
  ["docs", ["index", "quickstart", "reference/markdown", "reference/format", "export/bundle"]],
  ["test/sites/accordions/docs", ["index"]],
  ["test/sites/api-page/docs", ["api-reference/stations/order-a-reading"]],
  ["test/sites/callouts/docs", ["index"]],
  ["test/sites/cards/docs", ["index"]],
  ["test/sites/changelog/docs", ["changelog"]],
  ["test/sites/code-blocks/docs", ["index"]],
  ["test/sites/color/docs", ["index"]],
  ["test/sites/fields/docs", ["params", "responses", "examples"]],
  ["test/sites/math/docs", ["index"]],
  ["test/sites/media/docs", ["index"]],
  ["test/sites/mermaid/docs", ["index"]],
  ["test/sites/nav-languages/docs", ["index"]],
  ["test/sites/openapi-x-mint/docs", ["api-reference/paper/list-paper", "orders/paper"]],
  ["test/sites/right-to-left/docs", ["ar/index"]],
  ["test/sites/steps/docs", ["index"]],
  ["test/sites/tabs/docs", ["index"]],
  ["test/sites/tree/docs", ["components", "list"]],
];

const desktop = { width: 1280, height: 720 };
const phone = { width: 390, height: 844 };

/** A state that a reader can open, with the page to inspect it on. */
interface Opened {
  readonly name: string;
  readonly site: string;
  readonly page: string;
  readonly viewport: { readonly width: number; readonly height: number };
  readonly open: (page: Page) => Promise<void>;
}

const opened: readonly Opened[] = [
  {
    name: "nothing, on a phone",
    site: "docs",
    page: "quickstart",
    viewport: phone,
    open: stay,
  },
  {
    name: "nothing, on a phone, of an API",
    site: "test/sites/api-page/docs",
    page: "api-reference/stations/order-a-reading",
    viewport: phone,
    open: stay,
  },
  {
    name: "nothing, on a phone, from right to left",
    site: "test/sites/right-to-left/docs",
    page: "ar/index",
    viewport: phone,
    open: stay,
  },
  ...[desktop, phone].map((viewport) => ({
    name: `the search, ${viewport.width} pixels wide`,
    site: "docs",
    page: "quickstart",
    viewport,
    async open(page: Page) {
      await page.keyboard.press("/");
      await page.keyboard.type("export");
      await page.locator("dialog[open] #search-result-0").waitFor();
    },
  })),
  {
    name: "the search, nothing found",
    site: "docs",
    page: "quickstart",
    viewport: desktop,
    async open(page) {
      await page.keyboard.press("/");
      await page.keyboard.type("qqxxzzyy");
      await page.locator("dialog[open] .search-status[data-empty]").waitFor();
    },
  },
  {
    name: "the menu of a phone",
    site: "docs",
    page: "quickstart",
    viewport: phone,
    async open(page) {
      await page.click(".menu-button");
      await page.locator("html[data-menu-open]").waitFor();
    },
  },
  {
    name: "a picture in full",
    site: "test/sites/media/docs",
    page: "index",
    viewport: phone,
    async open(page) {
      await page.locator("img.zoomable").first().click();
      await page.locator("dialog.zoom[open]").waitFor();
    },
  },
];

async function stay(): Promise<void> {}

suite("axe finds nothing serious", () => {
  let browser: Browser;
  before(async () => {
    browser = await launchChromium();
  });
  after(() => browser.close());

  for (const [site, pages] of places) {
    test(site, async () => {
      const { folder } = await exportedSite(site);
      for (const path of pages) await examine(folder, path, {});
    });
  }

  for (const { name, site, page, viewport, open } of opened) {
    test(`open: ${name}`, async () => {
      const { folder } = await exportedSite(site);
      await examine(folder, page, { viewport, open });
    });
  }

  for (const { site, guide, api, changelog } of realPages) {
    test(site, { skip: whyNotReal(site) ?? false }, async () => {
      const { folder } = await exportedSite(join(process.env["OCTAVO_SITES"] ?? "", site));
      for (const path of [guide, api, changelog]) await examine(folder, path, {});
      await examine(folder, api, { viewport: phone });
    });
  }

  async function examine(
    folder: string,
    path: string,
    { viewport = desktop, open = stay }: Partial<Pick<Opened, "viewport" | "open">>,
  ): Promise<void> {
    // Without motion, what is opened stands at once.
    const settings = { colorScheme: "light", viewport, reducedMotion: "reduce" } as const;
    await using context = await browser.newContext(settings);
    // What lies on other hosts is not there, and nobody waits for it.
    await context.route(/^https?:/, (route) => route.abort());
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder, `${path}.html`)).href);
    await open(page);
    await assertAccessible(page, path);
  }
});

function whyNotReal(site: string): string | undefined {
  const reason = whyNoRealSites();
  if (reason !== undefined) return reason;
  const folder = join(process.env["OCTAVO_SITES"] ?? "", site);
  return existsSync(folder) ? undefined : `${folder} is not there`;
}
