import type { InvertedIndex } from "./inverted-index.ts";

/** The index of an earlier export, which the next export patches if few pages have changed. Plain data, for a file. */
export interface CachedIndex {
  /** Fingerprints of the pages, in the order of their sections; an empty string if unknown. */
  readonly pages: readonly string[];
  /** For each page: its number of sections, and the size in bytes of what results show of it. */
  readonly sectionCounts: Uint32Array;
  readonly shownBytes: Uint32Array;
  /** Sorted, one per line. `starts` says where the postings of each start; its last element is their number. */
  readonly terms: string;
  readonly starts: Uint32Array;
  readonly postings: Uint32Array;
  readonly lines: CachedLines;
  readonly groups: ReadonlyMap<string, CachedGroup>;
  readonly chunks: readonly CachedChunk[];
}

/** The lines of terms and of summaries, sorted. */
export interface CachedLines {
  readonly bytes: Uint8Array;
  /** Where each line ends in `bytes`, and its length in characters. */
  readonly ends: Uint32Array;
  readonly lengths: Uint32Array;
  /** The line of each term by ordinal, and of each summary by key. */
  readonly termLines: Uint32Array;
  readonly summaryLines: ReadonlyMap<string, number>;
}

/** Terms with the same prefix, as a range of ordinals, and their best sections. */
export interface CachedGroup {
  readonly from: number;
  readonly to: number;
  readonly best: Uint32Array;
}

/** A file of lines. */
export interface CachedChunk {
  readonly firstLine: number;
  readonly lineCount: number;
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

export function readCachedLine({ bytes, ends }: CachedLines, line: number): string {
  return decoder.decode(bytes.subarray(line === 0 ? 0 : ends[line - 1], ends[line]));
}
