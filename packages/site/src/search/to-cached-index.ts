import type {
  CachedChunk,
  CachedDocs,
  CachedGroup,
  CachedIndex,
  CachedLines,
  CachedSummary,
} from "./cached-index.ts";
import type { IndexedPage } from "./indexed-page.ts";
import type { InvertedIndex } from "./inverted-index.ts";
import type { LineList, WrittenLines } from "./line-list.ts";
import type { TermChunk } from "./term-chunks.ts";

/** A new index as the cache stores it. */
export function toCachedIndex(made: {
  readonly pages: readonly IndexedPage[];
  readonly shownBytes: Uint32Array;
  readonly inverted: InvertedIndex;
  readonly lines: LineList;
  readonly written: WrittenLines;
  readonly groups: ReadonlyMap<string, CachedGroup>;
  readonly termChunks: readonly TermChunk[];
  readonly docs: CachedDocs;
}): CachedIndex {
  const { pages, shownBytes, inverted, lines, written, groups, termChunks, docs } = made;
  const { texts, ...terms } = inverted;
  return {
    pages: pages.map(({ fingerprint = "" }) => fingerprint),
    sectionCounts: Uint32Array.from(pages, (page) => page.terms.sectionCount),
    shownBytes,
    ...terms,
    terms: texts.join("\n"),
    lines: toCachedLines(lines, written),
    groups,
    chunks: toCachedChunks(termChunks),
    docs,
  };
}

function toCachedLines(lines: LineList, written: WrittenLines): CachedLines {
  const numbers = new Uint32Array(written.ends.length);
  const summaries = new Map<string, CachedSummary>();
  for (let number = 0; number < lines.count; number += 1) {
    const term = lines.termOf(number);
    if (term === undefined)
      summaries.set(lines.keyOf(number), { number, text: lines.textOf(number) });
    else numbers[term] = number;
  }
  return { ...written, numbers, summaries };
}

function toCachedChunks(chunks: readonly TermChunk[]): CachedChunk[] {
  return chunks.map(({ from, to, fingerprint }) => ({
    firstLine: from,
    lineCount: to - from,
    fingerprint,
  }));
}
