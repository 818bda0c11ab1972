import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { division, group, sampleSite } from "../../../../test/support/sample-site.ts";
import { limits } from "../core/index.ts";
import type { ChangelogEntry } from "../page/index.ts";
import type { SitePage } from "../site/index.ts";
import { sampleFirstScript } from "../theme/testing.ts";
import { createSiteOutputs } from "./index.ts";

interface Written {
  readonly label: string;
  readonly when?: readonly string[];
  readonly headings?: readonly string[];
}

function entry({ label, when = [label], headings = [label] }: Written): ChangelogEntry {
  return { label, tags: [], when, news: headings.map((title) => ({ title, id: title, text: "" })) };
}

function feedOf(
  entries: readonly Written[],
  options: { path?: string; language?: string; baseUrl?: string } = {},
): { path: string; xml: string } | undefined {
  const { path = "news", language, baseUrl } = options;
  const site = sampleSite({
    navigation: division("root", "", { entries: [group("News", ["news"])] }),
  });
  const page: SitePage = {
    ...(site.pages[0] as SitePage),
    path,
    ...(language === undefined ? {} : { language }),
  };
  const changes = entries.map(entry);
  const rendered = {
    markdown: new Uint8Array(),
    problems: [],
    ...(changes.length === 0 ? {} : { changes }),
  };
  const base = { firstScript: sampleFirstScript, baseUrl };
  const file = createSiteOutputs(site, [{ page, rendered }], base).find((file) =>
    file.path.endsWith("rss.xml"),
  );
  return file && { path: file.path, xml: String(file.content) };
}

function all(xml: string | undefined, name: string): string[] {
  return Array.from(
    (xml ?? "").matchAll(new RegExp(`<${name}[^>]*>([^<]*)<`, "g")),
    (hit) => hit[1] ?? "",
  );
}

describe("feeds", () => {
  test("lie below their page, and a folder's own page's in the folder", () => {
    for (const [path, file] of [
      ["news", "news/rss.xml"],
      ["index", "rss.xml"],
      ["a/index", "a/rss.xml"],
      ["a/indexes", "a/indexes/rss.xml"],
    ] as const)
      assert.equal(feedOf([{ label: "x" }], { path })?.path, file);
    assert.equal(feedOf([]), undefined);
  });

  test("without a base URL are relative, and say so", () => {
    const { xml } = feedOf([{ label: "One" }], { path: "a/news" }) ?? {};
    assert.deepEqual(all(xml, "link"), ["../news.html", "../news.html#One"]);
    assert.deepEqual(all(xml, "guid"), ["a/news#One"]);
    assert.match(xml ?? "", /without a base URL/);
  });

  test("know an entry again after others were put above it", () => {
    const old = [
      { label: "May", headings: ["Fixes", "Fixes"] },
      { label: "April", headings: ["Fixes"] },
      { label: "April", headings: ["Fixes"] },
    ];
    const before = all(feedOf(old)?.xml, "guid");
    const after = all(feedOf([{ label: "June", headings: ["Fixes"] }, ...old])?.xml, "guid");
    assert.deepEqual(after.slice(1), before);
    assert.equal(new Set(after).size, after.length);
  });

  test("hold what XML can hold, and no more entries than a reader can bear", () => {
    const { xml = "" } = feedOf([{ label: "a\0<b>\ud800&\u0008" }]) ?? {};
    assert.deepEqual(all(xml, "title").at(-1), "a&lt;b&gt;\ufffd&amp;");
    const many = Array.from({ length: limits.feedItems + 9 }, (_, at) => ({ label: `n${at}` }));
    assert.equal(all(feedOf(many)?.xml, "guid").length, limits.feedItems);
  });
});

describe("dates", () => {
  const table: readonly (readonly [
    texts: readonly string[],
    expected: string | undefined,
    language?: string,
  ])[] = [
    [["2025-03-05"], "2025-03-05"],
    [["2025-03-05T10:00:00Z"], "2025-03-05"],
    [["2025/3/5"], "2025-03-05"],
    [["2025.03.05"], "2025-03-05"],
    [["v2.1 (2025-03-05)"], "2025-03-05"],
    [["March 2025"], "2025-03-01"],
    [["March 5, 2025"], "2025-03-05"],
    [["Mar 5th 2025"], "2025-03-05"],
    [["Sept. 9, 2025"], "2025-09-09"],
    [["5 March 2025"], "2025-03-05"],
    [["Week of March 5 - 12, 2025"], "2025-03-05"],
    [["Version 3, March 2025"], "2025-03-01"],
    [["v2.0", "May 2025"], "2025-05-01"],
    [["5 mars 2025"], "2025-03-05", "fr"],
    [["5 de marzo de 2025"], "2025-03-05", "es"],
    [["5. März 2025"], "2025-03-05", "de"],
    [["5 марта 2025"], "2025-03-05", "ru"],
    [["2025年3月5日"], "2025-03-05", "zh"],
    [["2025年3月"], "2025-03-01", "jp"],
    [["2025년 3월 5일"], "2025-03-05", "ko"],
    [["03/05/2025"], undefined],
    [["2025-13-40"], undefined],
    [["February 31, 2025"], undefined],
    [["v1.2.3"], undefined],
    [["Spring"], undefined],
    [[`In 2025 you may ${"x".repeat(100)}`], undefined],
    [["March 2025"], "2025-03-01", "zz-strange-language-code"],
  ];
  for (const [texts, expected, language] of table) {
    test(texts.join(" | ").slice(0, 60), () => {
      const options = language === undefined ? {} : { language };
      const { xml } = feedOf([{ label: "x", when: texts }], options) ?? {};
      const [date] = all(xml, "pubDate").map((text) => new Date(text).toISOString().slice(0, 10));
      assert.equal(date, expected);
      assert.equal(all(xml, "lastBuildDate").length, expected === undefined ? 0 : 1);
    });
  }
});
