import type { ByteStore, CreateStore } from "./byte-store.ts";

/**
 * The index of an earlier export, which the next export patches if few pages have changed. It consists of plain data
 * and stores.
 */
export interface CachedIndex {
  /** Fingerprints of the pages, in the order of their sections; an empty string for each unknown fingerprint. */
  readonly pages: readonly string[];
  /** For each page, its number of sections and the size in bytes of the data that results show for it. */
  readonly sectionCounts: Uint32Array;
  readonly shownBytes: Uint32Array;
  /** The sorted terms, one per line. Together with the next four fields they form an `InvertedIndex`. */
  readonly terms: string;
  readonly starts: Uint32Array;
  readonly postings: ByteStore;
  readonly pageTerms: ByteStore;
  readonly pageStarts: Uint32Array;
  readonly lines: CachedLines;
  readonly groups: ReadonlyMap<string, CachedGroup>;
  readonly chunks: readonly CachedChunk[];
  readonly docs: CachedDocs;
}

/** The document files, in the order of their numbers. */
export interface CachedDocs {
  /** The number of the first page in each file. */
  readonly firstPages: Uint32Array;
  /** The fingerprints of the files; an empty string for each file without one. */
  readonly fingerprints: readonly string[];
}

/** The lines of terms and summaries. They are sorted together and numbered in this order. */
export interface CachedLines {
  /** The concatenated lines of terms. */
  readonly bytes: ByteStore;
  /** By the term's ordinal: the end of its line in `bytes`, the line's length in characters, and the line's number. */
  readonly ends: Uint32Array;
  readonly lengths: Uint32Array;
  readonly numbers: Uint32Array;
  /** The summary lines by key. */
  readonly summaries: ReadonlyMap<string, CachedSummary>;
}

export interface CachedSummary {
  readonly number: number;
  readonly text: string;
}

/** The terms that share a prefix, as a range of ordinals, and their best sections. */
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

/** Caches the indexes of earlier exports by name. They can be lost at any time. */
export interface SearchIndexCache {
  /**
   * Reads an index. Reading its stores throws if they are corrupt, in which case the export is repeated without them.
   */
  read(name: string): CachedIndex | undefined;
  /** Creates stores for building an index. */
  readonly createStore: CreateStore;
  /** Writes an index, whose stores must come from `createStore`. Never throws. */
  write(name: string, index: CachedIndex): void;
}
