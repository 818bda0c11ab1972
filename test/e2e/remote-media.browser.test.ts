import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { existsSync, readdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import type { Browser, Request } from "playwright-core";
import { OctavoError } from "../../packages/site/src/core/index.ts";
import { renderSite } from "../../packages/site/src/export/index.ts";
import type { FetchRemote } from "../../packages/site/src/load/index.ts";
import type { ExportSettings } from "../../packages/site/src/export/index.ts";
import { launchChromium } from "../support/chromium.ts";
import { realSites, whyNoRealSites } from "../support/real-sites.ts";
import { startRecordingProxy, type RecordingProxy } from "../support/recording-proxy.ts";
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

type Options = Pick<ExportSettings, "remoteMedia" | "fetchRemote" | "remoteScripts">;
/** `keep` is the default. */
const modes: readonly Options[] = [
  {},
  { remoteMedia: "link" },
  { remoteMedia: "vendor", fetchRemote: halfOfIt },
];

interface Asked {
  /** Addresses and types of requests that the browser made; those it refused by the page's policy never leave it. */
  readonly requests: readonly { readonly url: string; readonly type: string }[];
  /** Hosts that its proxy was asked for. */
  readonly hosts: readonly string[];
}

/** The browser that opens the bundles, and what stands between it and other hosts. */
interface Reader {
  readonly browser: Browser;
  readonly proxy: RecordingProxy;
}

/** Everything that pages of the bundle ask for outside of it, opened as files and over HTTP. */
async function requestsOutside(
  { browser, proxy }: Reader,
  outDir: string,
  { pages, file }: { readonly pages: readonly string[]; readonly file: readonly string[] },
): Promise<Asked> {
  await using server = await serveFolder(outDir);
  const outside = new Set<Request>();
  proxy.takeHosts();
  const context = await browser.newContext();
  const openings: readonly (readonly [base: string, paths: readonly string[]])[] = [
    [`${pathToFileURL(outDir).href}/`, file],
    [server.url, pages],
  ];
  for (const [base, paths] of openings) {
    const page = await context.newPage();
    page.on("request", (request) => {
      const { host } = new URL(request.url());
      if (host !== "" && host !== new URL(base).host) outside.add(request);
    });
    page.on("requestfailed", (request) => {
      if (/csp/i.test(request.failure()?.errorText ?? "")) outside.delete(request);
    });
    for (const path of paths) await page.goto(base + encodeURI(path), { waitUntil: "load" });
    await page.close();
  }
  await context.close();
  const requests = Array.from(outside, (request) => ({
    url: request.url(),
    type: request.resourceType(),
  }));
  return { requests, hosts: proxy.takeHosts() };
}

/** Returns the requests without the pictures, sounds and videos that the report lists as shown from their hosts. */
async function unannounced(outDir: string, { requests, hosts }: Asked): Promise<string[]> {
  const text = await readFile(join(outDir, "_octavo/report.json"), "utf8");
  const { remoteMedia, remoteRequests } = JSON.parse(text) as Report;
  const shown = remoteMedia.mode === "keep" ? remoteMedia.files : [];
  const ofStyles = remoteRequests.requests.filter(
    ({ kind, blocked }) => kind === "picture" && !blocked,
  );
  const addresses = [...shown, ...ofStyles].flatMap(
    ({ address }) => URL.parse(address, "https://localhost") ?? [],
  );
  const announced = new Set(addresses.map(({ href }) => href));
  const announcedHosts = new Set(addresses.map(({ host }) => host));
  return [
    ...requests
      .filter(({ url, type }) => !/^(?:image|media|texttrack)$/.test(type) || !announced.has(url))
      .map(({ url, type }) => `${type} ${url}`),
    ...hosts.filter((host) => !announcedHosts.has(host)).map((host) => `proxy: ${host}`),
  ];
}

/** The last parts of what was asked for, each once. */
function namesOf({ requests }: Asked): string[] {
  return [...new Set(requests.map(({ url }) => new URL(url).pathname.slice(1)))].toSorted();
}

interface Report {
  readonly remoteMedia: { readonly mode: string; readonly files: readonly { address: string }[] };
  readonly remoteRequests: {
    readonly requests: readonly { kind: string; address: string; blocked: boolean }[];
  };
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

describe("a bundle and other hosts", () => {
  let reader: Reader;
  before(async () => {
    const proxy = await startRecordingProxy();
    reader = { proxy, browser: await launchChromium({ proxy: proxy.url }) };
  });
  after(async () => {
    await reader.browser.close();
    await reader.proxy[Symbol.asyncDispose]();
  });

  const golden = resolve(import.meta.dirname, "../sites");
  const goldenSites = readdirSync(golden)
    .filter((name) => existsSync(join(golden, name, "expected")) && (isAll || few.has(name)))
    .map((name) => ({ name, dir: join(golden, name, "docs") }));
  const others = realSites().filter(({ name }) => isAll || name === "manual");
  for (const { name, dir } of [...goldenSites, ...others]) {
    for (const mode of modes) {
      test(`${name}, ${mode.remoteMedia ?? "by default"}: asks nobody for anything`, async () => {
        await using out = await temporaryFolder();
        const result = await renderSite({ siteDir: dir, outDir: out.path, children, ...mode });
        const pages = result.site.pages.map(({ path }) => `${path}.html`);
        const chosen = await chosenPages(out.path, pages);
        const opened = {
          pages: isAll && mode.remoteMedia === undefined ? pages : chosen,
          file: chosen,
        };
        const asked = await requestsOutside(reader, out.path, opened);
        assert.deepEqual(await unannounced(out.path, asked), []);
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

  /** The page of a careless site as `change` leaves it, opened in both ways. */
  async function askedByCareless(
    mode: Options,
    change = (html: string): string => html,
  ): Promise<{ readonly asked: Asked; readonly left: readonly string[] }> {
    await using folder = await temporaryFolder();
    const [siteDir, outDir] = [join(folder.path, "site"), join(folder.path, "out")];
    await writeFiles(siteDir, careless);
    await renderSite({ siteDir, outDir, children, ...mode });
    const index = join(outDir, "index.html");
    await writeFile(index, change(await readFile(index, "utf8")));
    const pages = ["index.html"];
    const asked = await requestsOutside(reader, outDir, { pages, file: pages });
    return { asked, left: await unannounced(outDir, asked) };
  }
  for (const mode of modes) {
    test(`a careless site, ${mode.remoteMedia ?? "by default"}`, async () => {
      const { asked, left } = await askedByCareless(mode);
      assert.deepEqual(
        left.filter((line) => !line.endsWith("o.png")),
        [],
      );
      if (mode.remoteMedia !== undefined) assert.deepEqual(asked, { requests: [], hosts: [] });
    });
  }

  test("a careless site without its policy asks for everything: this test would see it", async () => {
    const { asked } = await askedByCareless({}, (html) =>
      html.replace(/<meta http-equiv="Content-Security-Policy"[^>]*>/, ""),
    );
    for (const name of ["k.css", "m", "n.js", "o.png"])
      assert.ok(namesOf(asked).includes(name), name);
    assert.deepEqual(asked.hosts, ["elsewhere.example"]);
  });

  test("a careless site whose owner allows the host asks for what it wants there", async () => {
    const { asked } = await askedByCareless({
      remoteMedia: "link",
      remoteScripts: ["elsewhere.example"],
    });
    assert.deepEqual(namesOf(asked), ["k.css", "l.png", "m", "n.js", "o.png"]);
    const other = await askedByCareless({ remoteMedia: "link", remoteScripts: ["*.example.com"] });
    assert.deepEqual(other.asked, { requests: [], hosts: [] });
  });

  test("a frame that the reader asks for is loaded, and none from another host", async () => {
    await using out = await temporaryFolder();
    const siteDir = join(golden, "remote-media/docs");
    await renderSite({ siteDir, outDir: out.path, children });
    await using context = await reader.browser.newContext();
    const page = await context.newPage();
    await page.goto(pathToFileURL(join(out.path, "index.html")).href);
    reader.proxy.takeHosts();
    // Pictures come into view meanwhile, and fail as well.
    const frame = "https://player.example/embed/7";
    const failed = page.waitForEvent("requestfailed", (request) => request.url() === frame);
    await page.locator("a.frame-consent").first().click();
    await failed;
    assert.ok(reader.proxy.takeHosts().includes("player.example"));
    const refused = page.waitForEvent("console", (said) => said.text().includes("frame-src"));
    await page.evaluate(
      'document.body.append(Object.assign(document.createElement("iframe"), { src: "https://elsewhere.example/" }))',
    );
    await refused;
    assert.ok(!reader.proxy.takeHosts().includes("elsewhere.example"));
  });
});
