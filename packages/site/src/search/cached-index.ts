import type { InvertedIndex } from "./inverted-index.ts";

/** The index of an earlier export, from which the next is made where few pages changed. Plain data, for a file. */
export interface CachedIndex {
  /** Fingerprints of the pages, in the order of their sections; empty where unknown. */
  readonly pages: readonly string[];
  /** Of each page: the number of its sections, and the bytes of what results show of it. */
  readonly sectionCounts: Uint32Array;
  readonly shownBytes: Uint32Array;
  /** Sorted texts, a line each, and where the postings of each begin in `postings`, at the end their number. */
  readonly terms: string;
  readonly starts: Uint32Array;
  readonly postings: Uint32Array;
  readonly lines: CachedLines;
  readonly groups: ReadonlyMap<string, CachedGroup>;
  readonly chunks: readonly CachedChunk[];
}

/** Lines of terms and summaries in their order. */
export interface CachedLines {
  readonly bytes: Uint8Array;
  /** Where each ends in `bytes`, and how many characters it has. */
  readonly ends: Uint32Array;
  readonly lengths: Uint32Array;
  /** The line of each term, and of each beginning that has one, by its key. */
  readonly ofTerms: Uint32Array;
  readonly ofSummaries: ReadonlyMap<string, number>;
}

/** Terms with the same beginning: from one of these numbers up to the other, and their best sections. */
export interface CachedGroup {
  readonly from: number;
  readonly to: number;
  readonly best: Uint32Array;
}

/** One file of lines. */
export interface CachedChunk {
  readonly firstLine: number;
  readonly lineCount: number;
  /** Of the file. */
  readonly fingerprint: string;
}

/** Indexes of earlier exports, by name. They can be lost at any time; no method throws. */
export interface SearchIndexCache {
  read(name: string): CachedIndex | undefined;
  write(name: string, index: CachedIndex): void;
}

export function cachedTerms({ terms, starts, postings }: CachedIndex): InvertedIndex {
  return { texts: terms === "" ? [] : terms.split("\n"), starts, postings };
}

const decoder = new TextDecoder();

export function cachedLine({ bytes, ends }: CachedLines, line: number): string {
  return decoder.decode(bytes.subarray(line === 0 ? 0 : ends[line - 1], ends[line]));
}
