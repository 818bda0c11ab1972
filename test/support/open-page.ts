import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { launchChromium } from "./chromium.ts";
import { exportedSite } from "./exported-site.ts";

export interface SiteInBrowser extends AsyncDisposable {
  /** Opens a page as a file and closes it afterwards; nothing is asked of other hosts. */
  withPage(
    path: string,
    options: BrowserContextOptions,
    use: (page: Page) => Promise<void>,
  ): Promise<void>;
}

/** Opens the export of the site in a folder, relative to the repository's root, in a browser of its own. */
export async function openSite(siteDir: string): Promise<SiteInBrowser> {
  const { folder } = await exportedSite(siteDir);
  const browser: Browser = await launchChromium();
  return {
    async withPage(path, options, use) {
      await using context = await browser.newContext(options);
      await context.route(/^https?:/, (route) => route.abort());
      const page = await context.newPage();
      await page.goto(pathToFileURL(join(folder, `${path}.html`)).href);
      await use(page);
    },
    [Symbol.asyncDispose]: () => browser.close(),
  };
}
