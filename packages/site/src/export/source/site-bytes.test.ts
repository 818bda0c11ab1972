import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { NavDivision, SitePage } from "../../site/index.ts";
import {
  encodeNavigation,
  encodePages,
  createPageList,
  decodeNavigation,
  decodePages,
} from "./site-bytes.ts";
import type { PageBytes } from "./site-bytes.ts";

function pageWith(extra: Record<string, unknown>): SitePage {
  return {
    path: "a/b",
    file: "a/b.md",
    format: "md",
    frontmatter: { title: "Ä 😀 \ud800 \u0000", extra },
    title: "Ä 😀 \ud800 \u0000",
    navTitle: "A",
    positions: [{ divisions: [], entries: [1, 2] }],
    hidden: false,
    indexed: true,
    searchable: true,
  };
}

function copyBytes(pages: readonly SitePage[]): PageBytes {
  const { bytes, ends } = encodePages(pages);
  return { bytes: Uint8Array.from(bytes), ends };
}

function readBack(pages: readonly SitePage[]): readonly SitePage[] {
  return decodePages(copyBytes(pages)) as readonly SitePage[];
}

describe("bytes of pages", () => {
  const kinds: [what: string, extra: Record<string, unknown>][] = [
    ["nothing else", {}],
    ["what JSON has", { a: [1, -2.5, "x", true, null, { b: {} }], ["__proto__ "]: 1 }],
    ["numbers that JSON has not", { a: [Number.NaN, Infinity, -0] }],
    ["a value that is undefined", { a: { b: undefined } }],
    ["a date", { a: new Date(0) }],
    ["a map", { a: new Map([[1, 2]]) }],
  ];
  for (const [what, extra] of kinds) {
    it(`give pages back whose frontmatter has ${what}`, () => {
      const pages = [pageWith({}), pageWith(extra)];
      assert.deepStrictEqual(readBack(pages), pages);
    });
    it(`give each page back, also the last first, where one has ${what}`, () => {
      const pages = [pageWith({}), pageWith(extra), pageWith({ last: "é" })];
      const list = createPageList(copyBytes(pages));
      const lazy = list();
      assert.deepStrictEqual(lazy[2], pages[2]);
      assert.deepStrictEqual([...lazy], pages);
      assert.deepStrictEqual(lazy.toReversed(), pages.toReversed());
      assert.equal(lazy[3], undefined);
      for (let uses = 0; uses < 5_000; uses += 1) assert.equal(list().length, 3);
      assert.notEqual(list(), lazy);
      assert.deepStrictEqual(list(), pages);
    });
  }
  it("give back no pages", () => {
    assert.deepEqual(readBack([]), []);
  });
  it("are those that the pages came from", () => {
    const bytes = encodePages([pageWith({})]);
    assert.deepEqual(createPageList(encodePages([]))(), []);
    assert.equal(encodePages(decodePages(bytes)), bytes);
  });
});

describe("bytes of a navigation", () => {
  const navigation: NavDivision = {
    kind: "root",
    label: "",
    hidden: false,
    isDefault: false,
    divisions: [],
    entries: [{ type: "page", path: "ä" }],
  };
  const withHole = { ...navigation, tag: undefined } as unknown as NavDivision;
  for (const one of [navigation, withHole]) {
    it(`give back a navigation with ${Object.keys(one).length} keys`, () => {
      const bytes = encodeNavigation(one);
      const back = decodeNavigation(Uint8Array.from(bytes));
      assert.deepStrictEqual(back, one);
      assert.equal(encodeNavigation(one), bytes);
      const from = Uint8Array.from(bytes);
      assert.equal(encodeNavigation(decodeNavigation(from)), from);
    });
  }
});
