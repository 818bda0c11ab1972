import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { SitePage } from "../../site/index.ts";
import { bytesOfPages, pagesOf } from "./page-bytes.ts";

function pageWith(extra: Record<string, unknown>): SitePage {
  return {
    path: "a/b",
    file: "a/b.md",
    format: "md",
    frontmatter: { title: "Ä \ud800 \u0000", extra },
    title: "Ä \ud800 \u0000",
    navTitle: "A",
    places: [{ divisions: [], entries: [1, 2] }],
    hidden: false,
    indexed: true,
    searchable: true,
  };
}

function readBack(pages: readonly SitePage[]): readonly SitePage[] {
  return pagesOf(Uint8Array.from(bytesOfPages(pages))) as readonly SitePage[];
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
  }
  it("give back no pages", () => {
    assert.deepEqual(readBack([]), []);
  });
  it("are those that the pages came from", () => {
    const bytes = bytesOfPages([pageWith({})]);
    assert.equal(bytesOfPages(pagesOf(bytes)), bytes);
  });
});
