import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { after, before, suite, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { AxeResults } from "axe-core";
import type { Browser, Page } from "playwright-core";
import { renderSite } from "../../packages/site/src/export/render-site.ts";
import { launchChromium } from "../support/chromium.ts";
import { realPages } from "../support/real-pages.ts";
import { whyNoRealSites } from "../support/real-sites.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { TemporaryFolder } from "../support/temporary-folder.ts";

/** Pages of each kind: the manual, and golden sites that show every component. */
const places: readonly (readonly [site: string, pages: readonly string[]])[] = [
  [
    "../../docs",
    ["index", "quickstart", "reference/markdown", "reference/format", "export/bundle"],
  ],
  ["../sites/accordions/docs", ["index"]],
  ["../sites/api-page/docs", ["api-reference/stations/order-a-reading"]],
  ["../sites/callouts/docs", ["index"]],
  ["../sites/cards/docs", ["index"]],
  ["../sites/changelog/docs", ["changelog"]],
  ["../sites/code-blocks/docs", ["index"]],
  ["../sites/color/docs", ["index"]],
  ["../sites/fields/docs", ["params", "responses", "examples"]],
  ["../sites/math/docs", ["index"]],
  ["../sites/media/docs", ["index"]],
  ["../sites/mermaid/docs", ["index"]],
  ["../sites/nav-languages/docs", ["index"]],
  ["../sites/openapi-x-mint/docs", ["api-reference/paper/list-paper", "orders/paper"]],
  ["../sites/right-to-left/docs", ["ar/index"]],
  ["../sites/steps/docs", ["index"]],
  ["../sites/tabs/docs", ["index"]],
  ["../sites/tree/docs", ["components", "list"]],
];

const desktop = { width: 1280, height: 720 };
const phone = { width: 390, height: 844 };

/** What a reader has open, with the page on which it is looked at. */
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
    site: "../../docs",
    page: "quickstart",
    viewport: phone,
    open: stay,
  },
  {
    name: "nothing, on a phone, of an API",
    site: "../sites/api-page/docs",
    page: "api-reference/stations/order-a-reading",
    viewport: phone,
    open: stay,
  },
  {
    name: "nothing, on a phone, from right to left",
    site: "../sites/right-to-left/docs",
    page: "ar/index",
    viewport: phone,
    open: stay,
  },
  ...[desktop, phone].map((viewport) => ({
    name: `the search, ${viewport.width} pixels wide`,
    site: "../../docs",
    page: "quickstart",
    viewport,
    async open(page: Page) {
      await page.keyboard.press("/");
      await page.keyboard.type("export");
      await page.locator("dialog[open] [role=option]").first().waitFor();
    },
  })),
  {
    name: "the search, nothing found",
    site: "../../docs",
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
    site: "../../docs",
    page: "quickstart",
    viewport: phone,
    async open(page) {
      await page.click(".menu-button");
      await page.locator("html[data-menu-open]").waitFor();
    },
  },
  {
    name: "a picture in full",
    site: "../sites/media/docs",
    page: "index",
    viewport: phone,
    async open(page) {
      await page.locator("img.zoomable").first().click();
      await page.locator("dialog.zoom[open]").waitFor();
    },
  },
];

/** Between the schemes of a page only colours differ. */
const options = {
  light: '{ resultTypes: ["violations"] }',
  dark: '{ resultTypes: ["violations"], runOnly: ["color-contrast"] }',
};

async function stay(): Promise<void> {}

suite("axe finds nothing serious", { timeout: 280_000 }, () => {
  let browser: Browser;
  let axe: string;
  const bundles = new Map<string, TemporaryFolder>();
  before(async () => {
    browser = await launchChromium();
    axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  });
  after(async () => {
    await browser.close();
    for (const bundle of bundles.values()) await bundle[Symbol.asyncDispose]();
  });

  async function bundleOf(folder: string): Promise<string> {
    const known = bundles.get(folder);
    if (known !== undefined) return known.path;
    const made = await temporaryFolder();
    bundles.set(folder, made);
    const siteDir = resolve(import.meta.dirname, folder);
    await renderSite({ siteDir, outDir: made.path, workers: 1 });
    return made.path;
  }

  for (const [folder, pages] of places) {
    test(folder, async () => {
      for (const path of pages) await examine(await bundleOf(folder), path, {});
    });
  }

  for (const { name, site, page, viewport, open } of opened) {
    test(`open: ${name}`, async () => {
      await examine(await bundleOf(site), page, { viewport, open });
    });
  }

  for (const { site, guide, api, changelog } of realPages) {
    test(site, { skip: whyNotReal(site) ?? false }, async () => {
      await using out = await temporaryFolder();
      const siteDir = join(process.env["OCTAVO_SITES"] ?? "", site);
      const paths = [guide, api, changelog];
      await renderSite({ siteDir, outDir: out.path, paths });
      for (const path of paths) await examine(out.path, path, {});
      await examine(out.path, api, { viewport: phone });
    });
  }

  async function examine(
    folder: string,
    path: string,
    { viewport = desktop, open = stay }: Partial<Pick<Opened, "viewport" | "open">>,
  ): Promise<void> {
    for (const colorScheme of ["light", "dark"] as const) {
      // Without motion, what is opened stands at once.
      const settings = { colorScheme, viewport, reducedMotion: "reduce" as const };
      await using context = await browser.newContext(settings);
      // What lies on other hosts is not there, and nobody waits for it.
      await context.route(/^https?:/, (route) => route.abort());
      const page = await context.newPage();
      await page.goto(pathToFileURL(join(folder, `${path}.html`)).href);
      await open(page);
      await page.evaluate(axe);
      const { violations } = await page.evaluate<AxeResults>(`axe.run(${options[colorScheme]})`);
      const serious = violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
      assert.deepEqual(serious.slice(0, 20), [], `${path}, ${colorScheme}`);
    }
  }
});

function whyNotReal(site: string): string | undefined {
  const reason = whyNoRealSites();
  if (reason !== undefined) return reason;
  const folder = join(process.env["OCTAVO_SITES"] ?? "", site);
  return existsSync(folder) ? undefined : `${folder} is not there`;
}
