import type { IndexedPage } from "./indexed-page.ts";
import type { InvertedIndex } from "./inverted-index.ts";
import type { TermChunk } from "./term-chunks.ts";
import type { LineList } from "./line-list.ts";

/**
 * The index of an earlier export, from which the next one is made where few pages changed. Plain data: it is
 * written to a file and read from there.
 */
export interface KeptIndex {
  /** What each page is made of, in the order of their sections; empty of a page of which nobody can say so. */
  readonly pages: readonly string[];
  /** Of each page: how many sections it has, and the bytes of what results show of it. */
  readonly sectionCounts: Uint32Array;
  readonly shownBytes: Uint32Array;
  /** Sorted texts, a line each, and where the postings of each begin in `postings`, at the end their number. */
  readonly terms: string;
  readonly starts: Uint32Array;
  readonly postings: Uint32Array;
  readonly lines: KeptLines;
  readonly groups: ReadonlyMap<string, KeptGroup>;
  readonly chunks: readonly KeptChunk[];
}

/** Lines of terms and summaries in their order. */
export interface KeptLines {
  readonly bytes: Uint8Array;
  /** Where each ends in `bytes`, and how many characters it has. */
  readonly ends: Uint32Array;
  readonly lengths: Uint32Array;
  /** The line of each term, and of each beginning that has one, by its key. */
  readonly ofTerms: Uint32Array;
  readonly ofSummaries: ReadonlyMap<string, number>;
}

/** Terms with the same beginning: from one of these numbers up to the other, and their best sections. */
export interface KeptGroup {
  readonly from: number;
  readonly to: number;
  readonly best: Uint32Array;
}

/** One file of lines. */
export interface KeptChunk {
  readonly firstLine: number;
  readonly lineCount: number;
  /** Of the file's bytes. */
  readonly identity: string;
}

/** Where indexes are kept between exports, by name. They can be lost at any time; no method throws. */
export interface KeptIndexes {
  read(name: string): KeptIndex | undefined;
  keep(name: string, index: KeptIndex): void;
}

export function keptTerms({ terms, starts, postings }: KeptIndex): InvertedIndex {
  return { texts: terms === "" ? [] : terms.split("\n"), starts, postings };
}

const decoder = new TextDecoder();

export function keptLine({ bytes, ends }: KeptLines, line: number): string {
  return decoder.decode(bytes.subarray(line === 0 ? 0 : ends[line - 1], ends[line]));
}

/** What is kept of an index that was made anew. */
export function indexToKeep(made: {
  readonly pages: readonly IndexedPage[];
  readonly shownBytes: Uint32Array;
  readonly inverted: InvertedIndex;
  readonly lines: LineList;
  readonly groups: ReadonlyMap<string, KeptGroup>;
  readonly termChunks: readonly TermChunk[];
}): KeptIndex {
  const { pages, shownBytes, inverted, lines, groups, termChunks } = made;
  const { texts, starts, postings } = inverted;
  return {
    pages: pages.map(({ identity = "" }) => identity),
    sectionCounts: Uint32Array.from(pages, (page) => page.terms.sectionCount),
    shownBytes,
    terms: texts.join("\n"),
    starts,
    postings,
    lines: linesToKeep(lines, texts.length),
    groups,
    chunks: chunksToKeep(termChunks),
  };
}

function linesToKeep(lines: LineList, termCount: number): KeptLines {
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
  return { bytes, ends, lengths, ofTerms, ofSummaries };
}

function chunksToKeep(chunks: readonly TermChunk[]): KeptChunk[] {
  return chunks.map(({ from, to, file }) => ({
    firstLine: from,
    lineCount: to - from,
    identity: file.identity ?? "",
  }));
}
