import assert from "node:assert/strict";
import { cp, readFile, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Page } from "playwright-core";
import { renderSite } from "../../packages/site/src/export/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { sharedChildren } from "../support/shared-children.ts";
import { temporaryFolder, type TemporaryFolder } from "../support/temporary-folder.ts";

/** Pages of every kind in one site: their text, and the logo, begin at the same place. */

const siteDir = resolve(import.meta.dirname, "../sites/themes/docs");

/** Pages of kinds that the site lacks. */
const added: Readonly<Record<string, string>> = {
  changes: '---\ntitle: Changes\n---\n<Update label="May" tags={["Lamp"]}>\nNew wicks.\n</Update>\n<Update label="June" tags={["Boat"]}>\nNew oars.\n</Update>',
  panel: "---\ntitle: With a panel\n---\n<Panel>\nBeside the text.\n</Panel>\n\nText.",
  short: "---\ntitle: Without headings\n---\nText.",
  hidden: "---\ntitle: Outside of the navigation\n---\n## Part\n\nText.",
}; // prettier-ignore

const kinds: Readonly<Record<string, string>> = {
  article: "index",
  "article without a table of contents": "short",
  "page with a panel": "panel",
  "page of an API": "signals",
  changelog: "changes",
  "wide page": "wide",
  "centered page": "center",
  "page outside of the navigation": "hidden",
  "page of a tab without groups": "logbook",
  "missing page": "404",
};

/** Pages that their authors lay out. */
const plainKinds = ["custom", "frame"];

const widths = [1920, 1440, 1280, 1024, 820, 390];

const children = sharedChildren();

describe("the edge of the text", () => {
  let browser: Browser;
  let root: TemporaryFolder;
  before(async () => {
    root = await temporaryFolder();
    for (const theme of ["mint", "luma", "almond"]) await exportAs(theme, root.path);
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await root?.[Symbol.asyncDispose]();
  });

  async function open(theme: string, path: string) {
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(root.path, theme, `${path}.html`)).href);
    return Object.assign(page, { [Symbol.asyncDispose]: () => context.close() });
  }

  for (const theme of ["mint", "luma", "almond"]) {
    test(`${theme} has one for all kinds of pages`, async () => {
      const edges: Record<string, Record<string, number>> = {};
      for (const [kind, path] of Object.entries(kinds)) {
        await using page = await open(theme, path);
        edges[kind] = await measureEdges(page, "#page-title");
      }
      const { article } = edges;
      for (const [kind, edge] of Object.entries(edges)) {
        // Between the widths of a sidebar and of three columns, a page without both is in the middle of the window.
        const but = kind === "centered page" ? { ...article, 1024: 152 } : article;
        assert.deepEqual(edge, but, kind);
      }
    });

    test(`${theme} has one for all logos`, async () => {
      const edges: Record<string, Record<string, number>> = {};
      for (const path of [...Object.values(kinds), ...plainKinds]) {
        await using page = await open(theme, path);
        edges[path] = await measureEdges(page, ".nav-logo");
      }
      for (const [path, edge] of Object.entries(edges))
        assert.deepEqual(edge, edges["index"], path);
    });
  }

  test("has the search above its middle on large screens", async () => {
    for (const path of ["index", "wide", "center", "404", "ar/index"]) {
      await using page = await open("mint", path);
      for (const width of [1920, 1440, 1280]) {
        await page.setViewportSize({ width, height: 900 });
        const box = await page.locator(".search-button").boundingBox();
        assert(box !== null);
        assert(Math.abs(box.x + box.width / 2 - width / 2) <= 1, `${path} at ${width}`);
      }
    }
  });
});

async function measureEdges(page: Page, selector: string): Promise<Record<string, number>> {
  const edges: Record<string, number> = {};
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    const box = await page.locator(selector).first().boundingBox();
    assert(box !== null, `${page.url()} at ${width}`);
    edges[width] = box.x;
  }
  return edges;
}

async function exportAs(theme: string, folder: string): Promise<void> {
  const copy = join(folder, `${theme}-site`);
  await cp(siteDir, copy, { recursive: true });
  for (const [name, text] of Object.entries(added))
    await writeFile(join(copy, `${name}.mdx`), text);
  const config = await readFile(join(copy, "docs.json"), "utf8");
  const pages = '"wide", "changes", "panel", "short"';
  await writeFile(
    join(copy, "docs.json"),
    config.replace('"wide"', pages).replace('"luma"', JSON.stringify(theme)),
  );
  await renderSite({ siteDir: copy, outDir: join(folder, theme), workers: 1, children });
}
