import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Request } from "playwright-core";
import { OctavoError } from "../../packages/site/src/core/error.ts";
import { renderSite } from "../../packages/site/src/export/render-site.ts";
import type { FetchRemote } from "../../packages/site/src/load/fetch-remote.ts";
import type {
  ExportSettings,
  RenderResult,
} from "../../packages/site/src/export/export-settings.ts";
import { launchChromium } from "../support/chromium.ts";
import { realSites, whyNoRealSites } from "../support/real-sites.ts";
import { serveFolder } from "../support/serve-folder.ts";
import { sharedChildren } from "../support/shared-children.ts";
import { temporaryFolder, writeFiles } from "../support/temporary-folder.ts";

/** Pages opened in the browser for each site, mode and way of opening. */
const samples = 8;

const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"></svg>');

/** Has every second file: what is there and what is not must both ask nobody. */
const halfOfIt: FetchRemote = async (url) => {
  if (url.length % 2 === 0) return { bytes: drawing, mediaType: "image/svg+xml" };
  throw new OctavoError("unavailable", "The host does not answer.");
};

type Options = Pick<ExportSettings, "remoteMedia" | "fetchRemote">;
const modes: readonly Options[] = [
  { remoteMedia: "link" },
  { remoteMedia: "vendor", fetchRemote: halfOfIt },
];

/**
 * Everything that pages of the bundle ask for outside of it, opened as files and over HTTP. What the browser
 * refuses by the page's own policy never leaves it.
 */
async function requestsOutside(
  browser: Browser,
  outDir: string,
  { site }: RenderResult,
): Promise<string[]> {
  await using server = await serveFolder(outDir);
  const pages = await chosenPages(
    outDir,
    site.pages.map(({ path }) => `${path}.html`),
  );
  const outside = new Set<Request>();
  const context = await browser.newContext();
  for (const base of [`${pathToFileURL(outDir).href}/`, server.url]) {
    const page = await context.newPage();
    page.on("request", (request) => {
      const url = request.url();
      if (!url.startsWith(base) && !/^(?:data|blob):/.test(url)) outside.add(request);
    });
    page.on("requestfailed", (request) => {
      if (/csp/i.test(request.failure()?.errorText ?? "")) outside.delete(request);
    });
    for (const path of pages) await page.goto(base + encodeURI(path), { waitUntil: "load" });
    await page.close();
  }
  await context.close();
  return Array.from(outside, (request) => request.url());
}

/** Some pages from everywhere, and as many that name media of other hosts. */
async function chosenPages(outDir: string, pages: readonly string[]): Promise<string[]> {
  const step = Math.max(1, Math.floor(pages.length / samples));
  const chosen = new Set(pages.filter((_, index) => index % step === 0));
  const most = chosen.size + samples;
  for (const path of pages) {
    if (chosen.size >= most) break;
    const html = await readFile(join(outDir, path), "utf8");
    if (/class="missing-media|_octavo\/media\//.test(html)) chosen.add(path);
  }
  return [...chosen];
}

const children = sharedChildren();

/** Every golden site and the real ones take minutes: `npm run test:media` looks at all of them. */
const isAll = process.env["OCTAVO_TEST_ALL"] === "1";
const few = new Set(["chrome", "media", "openapi-remote", "remote-media", "remote-media-link"]);

test("real sites", { skip: isAll ? (whyNoRealSites() ?? false) : "npm run test:media" }, () => {});

describe(
  "a bundle that shows nothing from other hosts",
  { timeout: isAll ? 900_000 : 290_000 },
  () => {
    let browser: Browser;
    before(async () => void (browser = await launchChromium()));
    after(() => browser.close());

    const golden = resolve(import.meta.dirname, "../sites");
    const goldenSites = readdirSync(golden)
      .filter((name) => existsSync(join(golden, name, "expected")) && (isAll || few.has(name)))
      .map((name) => ({ name, dir: join(golden, name, "docs") }));
    const others = realSites().filter(({ name }) => isAll || name === "manual");
    for (const { name, dir } of [...goldenSites, ...others]) {
      for (const mode of modes) {
        test(`${name}, ${mode.remoteMedia}: asks nobody for anything`, async () => {
          await using out = await temporaryFolder();
          const result = await renderSite({ siteDir: dir, outDir: out.path, children, ...mode });
          assert.deepEqual(await requestsOutside(browser, out.path, result), []);
        });
      }
    }

    const careless = {
      "docs.json": JSON.stringify({
        name: "Careless",
        theme: "mint",
        colors: { primary: "#112233" },
        logo: "https://elsewhere.example/logo.png",
        favicon: "https://elsewhere.example/favicon.png",
        background: { image: "https://elsewhere.example/wall.png" },
        fonts: { family: "Far", source: "https://elsewhere.example/far.woff2" },
        navigation: { pages: ["index"] },
      }),
      "index.mdx": [
        '<style>{`@\\\\69mport "https://elsewhere.example/a.css"; p { background: image-set("https://elsewhere.example/b.png" 1x) }`}</style>',
        '<img srcSet="https://elsewhere.example/c.png 1x, //elsewhere.example/d.png 2x" />',
        '<svg width="8" height="8"><image href="https://elsewhere.example/e.png" /></svg>',
        '<input type="image" src="https://elsewhere.example/f.png" />',
        '<video poster="https://elsewhere.example/g.png"><track src="https://elsewhere.example/h.vtt" default /></video>',
        '<iframe src="https://elsewhere.example/i" />',
        '<table background="https://elsewhere.example/j.png"><tbody><tr><td>x</td></tr></tbody></table>',
      ].join("\n\n"),
      "custom.css":
        '@import "https://elsewhere.example/k.css"; body { background: url("https://elsewhere.example/l.png") }',
      "custom.js":
        'fetch("https://elsewhere.example/m").catch(() => {}); const s = document.createElement("script"); s.src = "https://elsewhere.example/n.js"; document.head.append(s); new Image().src = "https://elsewhere.example/o.png";',
    };

    for (const mode of [{ remoteMedia: "keep" } as const, ...modes]) {
      test(`a careless site, ${mode.remoteMedia}`, async () => {
        await using folder = await temporaryFolder();
        const [siteDir, outDir] = [join(folder.path, "site"), join(folder.path, "out")];
        await writeFiles(siteDir, careless);
        const result = await renderSite({ siteDir, outDir, children, ...mode });
        const outside = await requestsOutside(browser, outDir, result);
        // Without a promise there are requests: this test would see them.
        if (mode.remoteMedia === "keep") assert.ok(outside.length > 5, outside.join(" "));
        else assert.deepEqual(outside, []);
      });
    }
  },
);
