import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { searchFilesOf, searchPage } from "../../../../test/support/search-in-bundle.ts";
import { createMemoryStore } from "./byte-store.ts";
import type { SearchedPage } from "./search-files.ts";
import type { CachedIndex, SearchIndexCache } from "./cached-index.ts";

/** Returns many words with common prefixes, so that prefixes have summaries and there are many files. */
function wordsOf(page: number, section: number): string {
  const words: string[] = [];
  for (let at = 0; at < 300; at += 1) {
    const number = (page * 7_919 + section * 104_729 + at * 1_299_709) % 9_000;
    words.push(`b${number.toString(36)}`);
  }
  return `the ${words.join(" ")} größe`;
}

type Sections = Parameters<typeof searchPage>[2];

function sectionsOf(page: number): Sections {
  return [
    ["", `Page ${page}`, wordsOf(page, 0)],
    ["more", "More", wordsOf(page, 1)],
  ];
}

/** Creates 200 pages, some with different sections; a page that could not be rendered has no fingerprint. */
function site(others: Readonly<Record<number, Sections>> = {}, unknown: readonly number[] = []) {
  return Array.from({ length: 200 }, (_, number): SearchedPage => {
    const sections = others[number] ?? sectionsOf(number);
    const page = searchPage(`pages/${number}`, `Page ${number}`, sections);
    return unknown.includes(number) ? page : { ...page, fingerprint: JSON.stringify(sections) };
  });
}

function memory(): SearchIndexCache & { readonly written: CachedIndex[] } {
  const indexes = new Map<string, CachedIndex>();
  const written: CachedIndex[] = [];
  return {
    written,
    read: (name) => indexes.get(name),
    createStore: createMemoryStore,
    write(name, index) {
      const { postings, pageTerms, lines, ...others } = index;
      const { bytes, ...about } = lines;
      // As if read from a file.
      const read = structuredClone({ ...others, lines: about });
      indexes.set(name, { ...read, postings, pageTerms, lines: { ...read.lines, bytes } });
      written.push(index);
    },
  };
}

async function contentsOf(pages: readonly SearchedPage[], indexes?: SearchIndexCache) {
  const files = await searchFilesOf(pages, indexes);
  return new Map(files.map((file) => [file.path, { ...file, content: String(file.content) }]));
}

const withText = (page: number, text: string): Sections => [
  ["", `Page ${page}`, `${wordsOf(page, 0)} ${text}`],
  ["more", "More", wordsOf(page, 1)],
];

const edits: [what: string, others: Readonly<Record<number, Sections>>, isPatched: boolean][] = [
  ["nothing", {}, true],
  ["a sentence", { 100: withText(100, "with another word for it") }, true],
  ["a word that no page had", { 0: withText(0, "aardvark zyzzyva b b0 bzzz ökö") }, true],
  ["many words with one prefix", { 50: withText(50, wordsOf(3_000, 4)) }, true],
  [
    "most words gone",
    {
      199: [
        ["", "Page 199", "the"],
        ["more", "More", ""],
      ],
    },
    true,
  ],
  [
    "several pages",
    { 3: withText(3, "three"), 4: withText(4, "four"), 150: withText(150, "the") },
    true,
  ],
  [
    "the words of a section gone",
    { 20: [...sectionsOf(20).slice(0, 1), ["more", "More", ""]] },
    true,
  ],
  ["a heading more", { 20: [...sectionsOf(20), ["new", "New", "words"]] }, true],
  ["a heading less", { 20: sectionsOf(20).slice(0, 1) }, true],
  [
    "more headings than the page has numbers for",
    { 20: [...sectionsOf(20), ...sectionsOf(21), ["new", "New", "words"]] },
    false,
  ],
  [
    "more pages than are worth patching",
    Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, withText(at, "x")])),
    false,
  ],
];

describe("an index that was patched", async () => {
  for (const [what, others, isPatched] of edits) {
    it(`has the files of a new one: ${what}`, async () => {
      const indexes = memory();
      const before = await contentsOf(site(), indexes);
      const termFiles = [...before.keys()].filter((path) => path.includes("/terms-"));
      assert.ok(termFiles.length > 5, "there are too few words for several files");
      const index = before.get("_octavo/search/all/index.js")?.content ?? "";
      assert.match(index, /"summaries":"b/, "no prefix has a summary");
      const patched = await contentsOf(site(others), indexes);
      assert.equal(indexes.written.length, isPatched ? 1 : 2);
      const anew = await contentsOf(site(others), memory());
      for (const [path, file] of anew) {
        assert.equal(patched.get(path)?.content, file.content, path);
        const was = before.get(path);
        if (was?.fingerprint === patched.get(path)?.fingerprint)
          assert.equal(was?.content, file.content);
      }
      assert.deepEqual([...patched.keys()], [...anew.keys()]);
    });
  }

  it("has the files of a new one: a page changed twice and back again", async () => {
    const indexes = memory();
    await contentsOf(site(), indexes);
    for (const others of [{ 7: withText(7, "one") }, { 7: withText(7, "two") }, {}]) {
      const patched = await contentsOf(site(others), indexes);
      const anew = await contentsOf(site(others));
      for (const [path, { content }] of anew) assert.equal(patched.get(path)?.content, content);
    }
    assert.equal(indexes.written.length, 1);
  });

  it("has the files of a new one: a page that could not be rendered", async () => {
    const indexes = memory();
    await contentsOf(site({}, [30]), indexes);
    const others = { 30: withText(30, "rendered now") };
    const patched = await contentsOf(site(others, [30]), indexes);
    const anew = await contentsOf(site(others, [30]));
    for (const [path, { content }] of anew) assert.equal(patched.get(path)?.content, content);
    assert.equal(indexes.written.length, 1);
  });

  it("keeps nearly all files after one edit, even if it adds words before all others", async () => {
    const indexes = memory();
    const before = await contentsOf(site(), indexes);
    const words = Array.from({ length: 20 }, (_, at) => `aardvark${at.toString(36)}`).join(" ");
    const after = await contentsOf(site({ 100: withText(100, words) }), indexes);
    const changed = [...after].flatMap(([path, { fingerprint }]) =>
      before.get(path)?.fingerprint === fingerprint ? [] : path,
    );
    const ofTerms = changed.filter((path) => path.includes("/terms-"));
    assert.ok(ofTerms.length <= 2, ofTerms.join());
    assert.ok(changed.length <= ofTerms.length + 3, changed.join());
  });
});
