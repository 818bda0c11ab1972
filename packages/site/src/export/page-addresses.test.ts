import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import { join, posix } from "node:path";
import { after, before, describe, it } from "node:test";
import { sharedChildren } from "../../../../test/support/shared-children.ts";
import { temporaryFolder, writeFiles } from "../../../../test/support/temporary-folder.ts";
import { renderSite } from "./render-site.ts";

const children = sharedChildren();
const baseUrl = "https://docs.example.com/v2";
const site = {
  "docs.json": JSON.stringify({
    name: "Folders",
    theme: "mint",
    colors: { primary: "#112233" },
    navigation: { pages: ["index", "guides", "guides/index", "guides/start", "changes", "c@t"] },
    redirects: [
      { source: "/old", destination: "/guides/start#second" },
      { source: "/guides/start/index", destination: "/changes" },
      { source: "/home", destination: "/" },
    ],
  }),
  "index.mdx": "---\ntitle: Home\n---\n\n[Start](/guides/start#Second) [Nowhere](/gone)",
  "guides.mdx": "---\ntitle: Guides\n---\n\n[Start](guides/start)",
  "guides/index.mdx": "---\ntitle: Guides' index\n---\n\n[Start](./start)",
  "guides/start.mdx": "---\ntitle: Start\n---\n\n## Second\n\n[Home](/) ![Dot](../images/dot.svg)",
  "changes.mdx": '---\ntitle: Changes\n---\n\n<Update label="May">\n\nNew.\n\n</Update>',
  "c@t.mdx": "---\ntitle: Cat\n---\n\nText",
  "images/dot.svg": '<svg xmlns="http://www.w3.org/2000/svg"/>',
};

describe("a bundle whose pages are folders", () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>;
  let out: string;
  let files: ReadonlySet<string>;
  const read = (file: string) => readFile(join(out, file), "utf8");
  before(async () => {
    folder = await temporaryFolder();
    const siteDir = join(folder.path, "site");
    out = join(folder.path, "out");
    await writeFiles(siteDir, site);
    await renderSite({ siteDir, outDir: out, addresses: "folder", baseUrl, workers: 1, children });
    const entries = await readdir(out, { recursive: true, withFileTypes: true });
    files = new Set(
      entries
        .filter((entry) => entry.isFile())
        .map(({ parentPath, name }) => posix.relative(out, posix.join(parentPath, name))),
    );
  });
  after(() => folder[Symbol.asyncDispose]());

  it("has the index of a folder for each page, and loses none that has another's folder", () => {
    const pages = [...files].filter((file) => file.endsWith(".html")).toSorted();
    assert.deepEqual(pages, [
      "404.html",
      "c@t/index.html",
      "changes/index.html",
      "guides.html",
      "guides/index.html",
      "guides/start/index.html",
      "home/index.html",
      "index.html",
      "old/index.html",
    ]);
  });

  it("has relative links to files that are there", async () => {
    let count = 0;
    for (const file of files) {
      if (!file.endsWith(".html") || file === "404.html") continue;
      const markup = (await read(file)).replaceAll(/<noscript>.*?<\/noscript>/gs, "");
      for (const [, address = ""] of markup.matchAll(/ (?:href|src)="([^"#][^"]*)"/g)) {
        if (/^[a-z]+:/.test(address) || address.includes("gone")) continue;
        const path = decodeURI(address.replace(/[?#].*$/s, ""));
        const target = posix.join(posix.dirname(file), path);
        assert.ok(files.has(target), `${address} in ${file}`);
        count++;
      }
    }
    assert.ok(count > 50, String(count));
  });

  it("has one public address for each page everywhere", async () => {
    const addresses = ["", "changes/", "c%40t/", "guides.html", "guides/", "guides/start/"];
    const sitemap = [...(await read("sitemap.xml")).matchAll(/<loc>([^<]*)/g)];
    assert.deepEqual(
      sitemap.map(([, address = ""]) => address).toSorted(),
      addresses.map((address) => `${baseUrl}/${address}`).toSorted(),
    );
    const start = await read("guides/start/index.html");
    const own = `${baseUrl}/guides/start/`;
    assert.ok(start.includes(`<link rel="canonical" href="${own}">`));
    assert.ok(start.includes(`"@id":"${own}#breadcrumb"`));
    assert.match(start, new RegExp(`property="og:url" content="${own}"`));
    assert.match(await read("changes/rss.xml"), new RegExp(`<link>${baseUrl}/changes/</link>`));
    assert.match(await read("old/index.html"), new RegExp(`rel="canonical" href="${own}"`));
    assert.match(await read("_redirects"), /^\/v2\/old \/v2\/guides\/start\/#second 301$/m);
    assert.match(await read("_redirects"), /^\/v2\/home \/v2\/ 301$/m);
  });
});
