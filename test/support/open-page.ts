import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { renderSite } from "../../packages/site/src/export/render-site.ts";
import { launchChromium } from "./chromium.ts";
import { temporaryFolder } from "./temporary-folder.ts";

export interface SiteInBrowser extends AsyncDisposable {
  /** Opens a page as a file and closes it afterwards; nothing is asked of other hosts. */
  withPage(
    path: string,
    options: BrowserContextOptions,
    use: (page: Page) => Promise<void>,
  ): Promise<void>;
}

/** Exports the site in a folder, relative to the repository's root, for a browser of its own. */
export async function openSite(folder: string): Promise<SiteInBrowser> {
  const out = await temporaryFolder();
  const siteDir = resolve(import.meta.dirname, "../..", folder);
  await renderSite({ siteDir, outDir: out.path, workers: 1 });
  const browser: Browser = await launchChromium();
  return {
    async withPage(path, options, use) {
      await using context = await browser.newContext(options);
      context.setDefaultTimeout(10_000);
      await context.route(/^https?:/, (route) => route.abort());
      const page = await context.newPage();
      await page.goto(pathToFileURL(join(out.path, `${path}.html`)).href);
      await use(page);
    },
    async [Symbol.asyncDispose]() {
      await browser.close();
      await out[Symbol.asyncDispose]();
    },
  };
}
