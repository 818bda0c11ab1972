import type { CachedChunk, CachedGroup, CachedIndex, CachedLines } from "./cached-index.ts";
import type { IndexedPage } from "./indexed-page.ts";
import type { InvertedIndex } from "./inverted-index.ts";
import type { LineList } from "./line-list.ts";
import type { TermChunk } from "./term-chunks.ts";

/** A new index as the cache stores it. */
export function toCachedIndex(made: {
  readonly pages: readonly IndexedPage[];
  readonly shownBytes: Uint32Array;
  readonly inverted: InvertedIndex;
  readonly lines: LineList;
  readonly groups: ReadonlyMap<string, CachedGroup>;
  readonly termChunks: readonly TermChunk[];
}): CachedIndex {
  const { pages, shownBytes, inverted, lines, groups, termChunks } = made;
  const { texts, starts, postings } = inverted;
  return {
    pages: pages.map(({ fingerprint = "" }) => fingerprint),
    sectionCounts: Uint32Array.from(pages, (page) => page.terms.sectionCount),
    shownBytes,
    terms: texts.join("\n"),
    starts,
    postings,
    lines: toCachedLines(lines, texts.length),
    groups,
    chunks: toCachedChunks(termChunks),
  };
}

function toCachedLines(lines: LineList, termCount: number): CachedLines {
  const ends = new Uint32Array(lines.count);
  const lengths = new Uint32Array(lines.count);
  const ofTerms = new Uint32Array(termCount);
  const ofSummaries = new Map<string, number>();
  let end = 0;
  for (let line = 0; line < lines.count; line += 1) {
    ends[line] = end += Buffer.byteLength(lines.textOf(line));
    lengths[line] = lines.lengthOf(line);
    const term = lines.termOf(line);
    if (term === undefined) ofSummaries.set(lines.keyOf(line), line);
    else ofTerms[term] = line;
  }
  const bytes = Buffer.allocUnsafe(end);
  let start = 0;
  for (let line = 0; line < lines.count; line += 1) {
    start += bytes.write(lines.textOf(line), start);
  }
  return { bytes, ends, lengths, termLines: ofTerms, summaryLines: ofSummaries };
}

function toCachedChunks(chunks: readonly TermChunk[]): CachedChunk[] {
  return chunks.map(({ from, to, file }) => ({
    firstLine: from,
    lineCount: to - from,
    fingerprint: file.fingerprint ?? "",
  }));
}
