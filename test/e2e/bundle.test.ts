import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { parse } from "parse5";
import type { DefaultTreeAdapterTypes } from "parse5";
import type { Browser, Page } from "playwright-core";
import { renderSite } from "../../src/render/index.ts";
import type { NavEntry, NavDivision, RenderResult } from "../../src/render/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { realSites, whyNoRealSites } from "../support/real-sites.ts";
import { serveFolder } from "../support/serve-folder.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import type { TemporaryFolder } from "../support/temporary-folder.ts";

/** Pages opened in the browser for each site and way of opening. */
const samples = 12;

function pathsOf(division: NavDivision): string[] {
  const ofEntries = (entries: readonly NavEntry[]): string[] =>
    entries.flatMap((entry) => {
      if (entry.type === "page") return [entry.path];
      if (entry.type === "link") return [];
      return [...(entry.root === undefined ? [] : [entry.root]), ...ofEntries(entry.entries)];
    });
  return [...ofEntries(division.entries), ...division.divisions.flatMap(pathsOf)];
}

/** The words a reader sees, code left out. */
function proseOf(node: DefaultTreeAdapterTypes.Node): string {
  if ("value" in node) return node.value;
  if (["pre", "code", "script", "style", "svg"].includes(node.nodeName)) return "";
  return "childNodes" in node ? node.childNodes.map(proseOf).join(" ") : "";
}

/** Opens a page and tells what went wrong in it. Media that the author placed elsewhere may fail: there is no network. */
async function troublesOf(page: Page, url: string, base: string): Promise<string[]> {
  const troubles: string[] = [];
  const media = new Set<string>();
  const onRequest = (request: { url(): string; resourceType(): string }) => {
    if (request.url().startsWith(base) || request.url().startsWith("data:")) return;
    if (["image", "media"].includes(request.resourceType())) media.add(request.url());
    else troubles.push(`request to ${request.url()}`);
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
  describe(`bundle of ${site.name}`, { timeout: 280_000 }, () => {
    let folder: TemporaryFolder;
    let browser: Browser;
    let result: RenderResult;
    let outDir: string;
    before(async () => {
      folder = await temporaryFolder();
      outDir = join(folder.path, "out");
      result = await renderSite({ siteDir: site.dir, outDir });
      browser = await launchChromium();
    });
    after(async () => {
      await browser.close();
      await folder[Symbol.asyncDispose]();
    });

    test("has every page of the navigation", async () => {
      const files = new Set(await readdir(outDir, { recursive: true }));
      const known = new Set(result.site.pages.map((page) => page.path));
      const wanted = [...new Set(pathsOf(result.site.navigation))].filter((path) =>
        known.has(path),
      );
      assert.ok(wanted.length > 0);
      assert.deepEqual(
        wanted.filter((path) => !files.has(`${path}.html`)),
        [],
      );
    });

    test("shows no raw JSX and no stack trace", async () => {
      const raw: string[] = [];
      for (const page of result.site.pages) {
        const html = await readFile(join(outDir, `${page.path}.html`), "utf8");
        const prose = proseOf(parse(html));
        const found =
          /<\/?[A-Z][A-Za-z.]*(?:\s[^<>]*)?\/?>|\n\s+at .+:\d+:\d+/.exec(prose) ??
          /\[object Object\]|\bundefined\b(?=<)/.exec(prose);
        if (found) raw.push(`${page.path}: ${found[0].slice(0, 120)}`);
      }
      assert.deepEqual(raw, []);
    });

    test("opens from file:// and over HTTP, asking nobody else for anything", async () => {
      await using server = await serveFolder(outDir);
      const page = await browser.newPage();
      const pages = result.site.pages;
      const step = Math.max(1, Math.floor(pages.length / samples));
      const chosen = pages.filter((_, index) => index % step === 0);
      for (const base of [`${pathToFileURL(outDir).href}/`, server.url]) {
        for (const { path } of chosen) {
          const url = `${base}${encodeURI(path)}.html`;
          assert.deepEqual(await troublesOf(page, url, base), []);
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
      const first = page.locator("dialog[open] [role=option]").first();
      await first.waitFor({ timeout: 10_000 });
      const links = await page
        .locator("dialog[open] [role=option]")
        .evaluateAll((options) =>
          options.map(
            (option) => option.querySelector("a")?.href ?? option.closest("a")?.href ?? "",
          ),
        );
      assert.ok(
        links.some((link) => decodeURI(link).includes(`${target.path}.html`)),
        `${target.title} is found: ${links.join(" ")}`,
      );
      await page.close();
    });
  });
}
