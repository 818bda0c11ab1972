import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { AxeResults } from "axe-core";
import type { Page } from "playwright-core";

/** Between the schemes of a page only colors differ. */
const options = {
  light: '{ resultTypes: ["violations"] }',
  dark: '{ resultTypes: ["violations"], runOnly: ["color-contrast"] }',
};

const roots = { light: "html:not(.dark)", dark: "html.dark, html:has(meta[name=color-scheme])" };

/**
 * Fails where axe finds something serious or critical in what the page shows, in the light scheme or in the dark
 * one. The page follows the system's scheme, and nothing of it moves.
 */
export async function assertAccessible(page: Page, name: string): Promise<void> {
  const axe = createRequire(import.meta.url).resolve("axe-core/axe.min.js");
  await page.evaluate(await readFile(axe, "utf8"));
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.locator(roots[scheme]).waitFor({ state: "attached" });
    const { violations } = await page.evaluate<AxeResults>(`axe.run(${options[scheme]})`);
    const serious = violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 200)}`));
    assert.deepEqual(serious.slice(0, 20), [], `${name}, ${scheme}`);
  }
}
