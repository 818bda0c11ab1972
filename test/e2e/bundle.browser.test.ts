import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readFile, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { parse } from "parse5";
import type { DefaultTreeAdapterTypes } from "parse5";
import type { Browser, Page } from "playwright-core";
import { components } from "../../packages/site/src/components/index.ts";
import type { RenderResult } from "../../packages/site/src/export/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { exportedSite } from "../support/exported-site.ts";
import { realSites, whyNoRealSites } from "../support/real-sites.ts";
import { serveFolder } from "../support/serve-folder.ts";

/** Pages opened in the browser for each site and way of opening. */
const samples = 12;

/**
 * Every text below `pages` and `root` in a site's navigation, read from its files without the product's own
 * reader: what the bundle must hold is said by the site alone.
 */
function navigationTexts(dir: string, value: unknown, isPage = false): string[] {
  if (typeof value === "string") return isPage ? [value] : [];
  if (typeof value !== "object" || value === null) return [];
  if (Array.isArray(value)) return value.flatMap((item) => navigationTexts(dir, item, isPage));
  return Object.entries(value).flatMap(([key, inner]) => {
    if (key !== "$ref") return navigationTexts(dir, inner, key === "pages" || key === "root");
    const file = join(dir, String(inner));
    return navigationTexts(dirname(file), JSON.parse(readFileSync(file, "utf8")), isPage);
  });
}

/** The words a reader sees, code left out. */
function proseOf(node: DefaultTreeAdapterTypes.Node): string {
  if ("value" in node) return node.value;
  if (["pre", "code", "script", "style", "svg"].includes(node.nodeName)) return "";
  return "childNodes" in node ? node.childNodes.map(proseOf).join(" ") : "";
}

/** A component of the format, or an attribute of any, left in the text. */
const rawTag = new RegExp(
  `</?(?:${components.flatMap((component) => component.names).join("|")})(?=[\\s/>])|</?[A-Z][A-Za-z.]*\\s+[a-zA-Z]+=["{]`,
);

interface Visit {
  readonly url: string;
  /** Everything but media must come from below it. */
  readonly base: string;
  /**
   * Pictures and films that were asked for. They may fail to load: there is no network for those that the
   * author placed elsewhere, and some are not in the site, as the report says.
   */
  readonly media: Set<string>;
}

/** Opens a page and tells what went wrong in it. */
async function troublesOf(page: Page, { url, base, media }: Visit): Promise<string[]> {
  const troubles: string[] = [];
  const onRequest = (request: { url(): string; resourceType(): string }) => {
    if (["image", "media"].includes(request.resourceType())) media.add(request.url());
    else if (!request.url().startsWith("data:") && !request.url().startsWith(base)) {
      troubles.push(`request to ${request.url()}`);
    }
  };
  const onConsole = (message: { type(): string; text(): string; location(): { url: string } }) => {
    if (message.type() === "error" && !media.has(message.location().url)) {
      troubles.push(`console: ${message.text()} ${message.location().url}`);
    }
  };
  const onError = (error: Error) => troubles.push(`exception: ${error.message}`);
  page.on("request", onRequest).on("console", onConsole).on("pageerror", onError);
  await page.goto(url, { waitUntil: "load" });
  page.off("request", onRequest).off("console", onConsole).off("pageerror", onError);
  return troubles.map((trouble) => `${url}: ${trouble}`);
}

test("real sites", { skip: whyNoRealSites() ?? false }, () => {});

for (const site of realSites()) {
  describe(`bundle of ${site.name}`, () => {
    let browser: Browser;
    let result: RenderResult;
    let outDir: string;
    before(async () => {
      ({ folder: outDir, result } = await exportedSite(site.dir));
      browser = await launchChromium();
    });
    after(() => browser.close());

    test("has every page of the navigation", async () => {
      const files = new Set(await readdir(outDir, { recursive: true }));
      const config = JSON.parse(await readFile(join(site.dir, "docs.json"), "utf8")) as {
        navigation: unknown;
      };
      const wanted = new Set(
        navigationTexts(site.dir, config.navigation).map((text) => text.replace(/^\/+/, "")),
      );
      assert.ok(wanted.size > 10);
      const missing = [...wanted].filter((path) => !files.has(`${path}.html`));
      assert.deepEqual(missing, []);
    });

    test("shows no raw JSX and no stack trace", async () => {
      const raw: string[] = [];
      for (const page of result.site.pages) {
        const html = await readFile(join(outDir, `${page.path}.html`), "utf8");
        const prose = proseOf(parse(html));
        const found = rawTag.exec(prose) ?? /\n\s+at .+:\d+:\d+|\[object Object\]/.exec(prose);
        if (found) raw.push(`${page.path}: ${found[0].slice(0, 120)}`);
      }
      assert.deepEqual(raw, []);
    });

    test("opens from file:// and over HTTP, asking nobody else for anything", async () => {
      await using server = await serveFolder(outDir);
      const page = await browser.newPage();
      const media = new Set<string>();
      const pages = result.site.pages;
      const step = Math.max(1, Math.floor(pages.length / samples));
      const chosen = pages.filter((_, index) => index % step === 0);
      for (const base of [`${pathToFileURL(outDir).href}/`, server.url]) {
        for (const { path } of chosen) {
          const url = `${base}${encodeURI(path)}.html`;
          assert.deepEqual(await troublesOf(page, { url, base, media }), []);
        }
      }
      await page.close();
    });

    test("finds a word of a page from file://", async () => {
      const target = result.site.pages.find((page) => page.searchable && page.path !== "index");
      assert.ok(target);
      const page = await browser.newPage();
      await page.goto(pathToFileURL(join(outDir, `${target.path}.html`)).href);
      await page.keyboard.press("/");
      await page.keyboard.type(target.title);
      // Results of what was typed so far come first.
      const file = encodeURI(`${target.path}.html`);
      const found = page.locator(`dialog[open] a[role=option][href*="${file}"]`).first();
      await found.waitFor();
      await page.close();
    });
  });
}
