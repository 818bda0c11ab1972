import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { describe, test } from "node:test";
import { renderSite } from "../packages/site/src/export/index.ts";
import { sharedChildren } from "./support/shared-children.ts";
import { temporaryFolder } from "./support/temporary-folder.ts";

const children = sharedChildren();
const bases = ["https://docs.example.com", "https://example.com/some/manual/"];

function all(text: string, pattern: RegExp): string[] {
  return Array.from(text.matchAll(pattern), ([, found = ""]) => found);
}

/** Returns the addresses that the head of a page gives for the page itself. */
function ownAddresses(html: string): string[] {
  const [, json = "{}"] = /<script type="application\/ld\+json">(.*?)<\/script>/s.exec(html) ?? [];
  const { "@graph": graph = [] } = JSON.parse(json) as { "@graph"?: readonly Entity[] };
  const entities = graph.filter((entity) => entity["@type"] === "WebPage");
  return [
    ...all(html, /<link rel="canonical" href="([^"]*)"/g),
    ...all(html, /<meta property="og:url" content="([^"]*)"/g),
    ...entities.flatMap(({ url = "" }) => [url]),
  ];
}

interface Entity {
  readonly "@type": string;
  readonly url?: string;
}

describe("with a base URL, a page has one address", () => {
  for (const site of ["nav-languages", "changelog", "nav-versions"]) {
    for (const baseUrl of bases) {
      test(`${site} at ${baseUrl}`, async () => {
        await using out = await temporaryFolder();
        const siteDir = join(import.meta.dirname, "sites", site, "docs");
        const { site: read } = await renderSite({
          siteDir,
          outDir: out.path,
          workers: 1,
          children,
          baseUrl,
        });
        const sitemap = await readFile(join(out.path, "sitemap.xml"), "utf8");
        const locations = new Set(all(sitemap, /<loc>([^<]*)<\/loc>/g));
        const named = new Set(all(sitemap, /hreflang="[^"]*" href="([^"]*)"/g));
        const addresses = new Set<string>();
        for (const { path, indexed } of read.pages) {
          const html = await readFile(join(out.path, `${path}.html`), "utf8");
          const own = ownAddresses(html);
          const [address = ""] = own;
          assert.equal(new Set(own).size, 1, own.join(" "));
          assert.equal(own.length >= 2, true, path);
          assert.equal(address.startsWith(baseUrl.replace(/\/$/, "")), true, address);
          assert.equal(locations.has(address), indexed, address);
          const versions = all(html, /hreflang="(?!x-default)[^"]*" href="([^"]*)"/g);
          assert.ok(versions.length === 0 || versions.includes(address), address);
          for (const version of versions) if (indexed) assert.ok(named.has(version), version);
          const feed = all(html, /type="application\/rss\+xml" [^>]*href="([^"]*)"/g)[0];
          if (feed !== undefined) {
            const xml = await readFile(join(out.path, dirname(path), feed), "utf8");
            assert.equal(all(xml, /<link>([^<]*)<\/link>/g)[0], address);
          }
          addresses.add(address);
        }
        assert.equal(addresses.size, read.pages.length);
        for (const version of named) assert.ok(addresses.has(version), version);
      });
    }
  }
});
