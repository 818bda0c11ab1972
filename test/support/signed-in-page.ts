import type { Browser, BrowserContextOptions, Page } from "playwright-core";

export interface SignIn {
  readonly browser: Browser;
  /** The address of the dashboard. */
  readonly url: string;
  readonly key: string;
}

/** Calls `work` with a page of the dashboard, signed in by a key, in a browser context of its own. */
export async function withSignedInPage(
  { browser, url, key }: SignIn,
  work: (page: Page) => Promise<void>,
  options: BrowserContextOptions = {},
): Promise<void> {
  const context = await browser.newContext(options);
  try {
    const page = await context.newPage();
    await page.goto(url);
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.getByRole("heading", { name: "Projects" }).waitFor();
    await work(page);
  } finally {
    await context.close();
  }
}
