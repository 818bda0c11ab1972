import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { allWords } from "../markup/testing.ts";
import { launchChromium } from "../../../../test/support/chromium.ts";
import { parseDocument, documentText } from "../../../../test/support/document.ts";
import {
  division,
  group,
  sampleContent,
  sampleSite,
} from "../../../../test/support/sample-site.ts";
import {
  temporaryFolder,
  type TemporaryFolder,
} from "../../../../test/support/temporary-folder.ts";
import type { ContextualMenu } from "../site/index.ts";
import { createThemeFiles } from "./assets.ts";
import { readFirstScript, type FirstScript } from "./head/first-script.ts";
import { sampleFirstScript } from "./head/first-script.test-support.ts";
import { createLayout } from "./layout.ts";

type Options = ContextualMenu["options"];

const report = { title: "Report", description: "Tell us", href: "https://x.example/", query: [] };

function siteWith(options: Options, display: ContextualMenu["display"] = "header") {
  return sampleSite({
    navigation: division("root", "", { entries: [group("Start", ["index"])] }),
    config: { contextual: { options, display } },
  });
}

interface Parts {
  readonly baseUrl?: string;
  readonly display?: ContextualMenu["display"];
  readonly html?: string;
  /** For pages that are opened: browsers refuse another. */
  readonly firstScript?: FirstScript;
}

function written(
  options: Options,
  { display, html = "<p>Text</p>", firstScript = sampleFirstScript, ...parts }: Parts = {},
): string {
  const site = siteWith(options, display);
  const [page] = site.pages;
  assert(page);
  const layout = createLayout(site, {
    generator: "Octavo 0.0.0",
    words: allWords,
    firstScript,
    ...parts,
  });
  return layout.renderPage(page, sampleContent(html));
}

describe("what a reader can do with a page", () => {
  it("is a button for the first and a menu of the others, in the author's order", () => {
    const cases: readonly (readonly [Options, first: string[], others: string[]])[] = [
      [[], [], []],
      [["copy"], ["Copy page"], []],
      [["view", "copy"], ["View as Markdown"], ["Copy page"]],
      [[report, "copy"], ["Report"], ["Copy page"]],
      [["copy", report, "chatgpt"], ["Copy page"], ["ReportTell us", "Open in ChatGPT"]],
      [["mcp", "chatgpt", "unknown"], ["Open in ChatGPT"], []],
    ];
    for (const [options, first, others] of cases) {
      const document = parseDocument(written(options, { baseUrl: "https://docs.example.com" }));
      assert.deepEqual(document.errors, []);
      assert.deepEqual(document.byClass("page-action").map(documentText), first);
      assert.deepEqual(document.byClass("nav-dropdown-item").map(documentText), others);
      assert.equal(document.byClass("page-menu").length, others.length === 0 ? 0 : 1);
    }
  });

  it("stands below the table of contents where it is wished there, all of it", () => {
    const document = parseDocument(written(["copy", report], { display: "toc" }));
    assert.deepEqual(document.errors, []);
    assert.deepEqual(document.byTag("aside").map(documentText), ["Copy pageReport"]);
    assert.equal(document.byClass("page-action").length, 2);
    const panel = '<aside class="panel" data-panel>Beside</aside>';
    const without = parseDocument(written(["copy", report], { display: "toc", html: panel }));
    assert.deepEqual(without.byClass("page-actions").map(documentText), ["Copy pageReportTell us"]);
  });

  it("asks an assistant about the page's Markdown, at an escaped address", () => {
    const html = written(["chatgpt"], { baseUrl: "https://docs.example.com" });
    assert(
      html.includes(' href="https://chatgpt.com/?hints=search&amp;q=Read%20https%3A%2F%2Fdocs.'),
    );
  });

  it("leads to no assistant where nobody knows the page's address", () => {
    assert.doesNotMatch(written(["chatgpt"]), /page-context-menu|chatgpt\.com/);
  });
});

describe("the menu of a page, from file://", () => {
  let folder: TemporaryFolder;
  let browser: Browser;
  before(async () => {
    folder = await temporaryFolder();
    const firstScript = await readFirstScript();
    const styles = {
      iconCss: "",
      codeCss: "",
      classNames: new Set<string>(),
      words: allWords,
      maxTagCount: 0,
    };
    const files = [
      { path: "index.html", content: written(["copy", "view", report], { firstScript }) },
      { path: "copy.html", content: written(["copy"], { firstScript }) },
      ...(await createThemeFiles(siteWith([]), styles)),
    ];
    for (const { path, content } of files) {
      await mkdir(dirname(join(folder.path, path)), { recursive: true });
      await writeFile(join(folder.path, path), content);
    }
    browser = await launchChromium();
  });
  after(async () => {
    await browser?.close();
    await folder?.[Symbol.asyncDispose]();
  });

  async function withPage(
    path: string,
    options: BrowserContextOptions,
    use: (page: Page) => Promise<void>,
  ): Promise<void> {
    await using context = await browser.newContext(options);
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(folder.path, path)).href);
    await use(page);
  }

  it("opens by key, closes by Escape and when the focus leaves it", () =>
    withPage("index.html", {}, async (page) => {
      const items = page.locator(".page-menu .nav-dropdown-item");
      const focused = () => page.evaluate("document.activeElement.textContent");
      await page.locator(".page-menu > summary").focus();
      await page.keyboard.press("Enter");
      await items.first().waitFor();
      await page.keyboard.press("Tab");
      assert.equal(await focused(), "View as Markdown");
      await page.keyboard.press("Escape");
      await items.first().waitFor({ state: "hidden" });
      assert.equal(await page.evaluate("document.activeElement.localName"), "summary");
      await page.keyboard.press("Enter");
      await page.keyboard.press("Shift+Tab");
      assert.equal(await focused(), "Copy page");
      await items.first().waitFor({ state: "hidden" });
    }));

  for (const width of [320, 390, 768, 1280]) {
    it(`stays in a window of ${width} pixels`, () =>
      withPage("index.html", { viewport: { width, height: 800 } }, async (page) => {
        await page.click(".page-menu > summary");
        const box = await page.locator(".page-menu .menu-list").boundingBox();
        assert(box && box.x >= 0 && box.x + box.width <= width, JSON.stringify(box));
        assert.equal(await page.evaluate("document.documentElement.scrollWidth"), width);
      }));
  }

  it("is of use without scripts, which alone can copy", async () => {
    const noScripts = { javaScriptEnabled: false };
    await withPage("index.html", noScripts, async (page) => {
      assert.equal(await page.locator(".copy-page").isVisible(), false);
      await page.click(".page-menu > summary");
      assert.equal(
        await page.innerText(".page-menu .nav-dropdown-item >> nth=0"),
        "View as Markdown",
      );
    });
    await withPage("copy.html", noScripts, async (page) => {
      assert.equal(await page.locator(".page-actions").isVisible(), false);
    });
  });
});
