import { join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { schemes, windows, type Scene } from "./scenes.ts";

export interface Photograph {
  /** `guide-light-desktop` */
  readonly name: string;
  /** A PNG of the window. */
  readonly file: Buffer;
}

/** Photographs scenes of the bundle in `folder`, opened as files, in each window and color scheme. */
export async function* photograph(
  browser: Browser,
  folder: string,
  scenes: readonly Scene[],
): AsyncGenerator<Photograph> {
  for (const { name: window, ...viewport } of windows) {
    for (const colorScheme of schemes) {
      await using context = await browser.newContext({ viewport, colorScheme, locale: "en-US" });
      // Pictures on other hosts would be another day's, or not there.
      await context.route(/^https?:/, (route) => route.abort());
      for (const scene of scenes) {
        const file = await photographScene(context, folder, scene);
        yield { name: `${scene.name}-${colorScheme}-${window}`, file };
      }
    }
  }
}

async function photographScene(
  context: BrowserContext,
  folder: string,
  { page: path, search }: Scene,
): Promise<Buffer> {
  const page = await context.newPage();
  await page.goto(pathToFileURL(join(folder, `${path}.html`)).href);
  if (search !== undefined) await openSearch(page, search);
  await page.evaluate(settled);
  const file = await page.screenshot({ animations: "disabled", caret: "hide" });
  await page.close();
  return file;
}

async function openSearch(page: Page, text: string): Promise<void> {
  await page.keyboard.press("/");
  // At once, as from a clipboard: while it is typed, what its first letters find is shown.
  await page.keyboard.insertText(text);
  // Before there are results, the dialog lists pages to start with; only results bear this id.
  await page.locator("dialog[open] #search-result-0").waitFor();
}

/** Fonts are there, pictures in the window are decoded, and what scripts planned is done. */
const settled = `(async () => {
  await document.fonts.ready;
  const seen = [...document.images].filter((image) => {
    const { top, bottom } = image.getBoundingClientRect();
    return top < innerHeight && bottom > 0;
  });
  await Promise.all(seen.map((image) => image.decode().catch(() => undefined)));
  await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)));
})()`;
