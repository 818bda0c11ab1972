import type { ByteStore, CreateStore } from "./byte-store.ts";
import type { InvertedIndex } from "./inverted-index.ts";

/**
 * The index of an earlier export, which the next export patches if few pages have changed. Consists of plain data and
 * stores.
 */
export interface CachedIndex {
  /** Fingerprints of the pages, in the order of their sections; an empty string if unknown. */
  readonly pages: readonly string[];
  /** For each page: its number of sections, and the size in bytes of the data that results show for it. */
  readonly sectionCounts: Uint32Array;
  readonly shownBytes: Uint32Array;
  /** The sorted terms, one per line; they and the next four fields are an `InvertedIndex`. */
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

/** The files of documents, by number. */
export interface CachedDocs {
  /** The number of the first page in each file. */
  readonly firstPages: Uint32Array;
  /** The files' fingerprints; empty for files without one. */
  readonly fingerprints: readonly string[];
}

/** The lines of terms and of summaries. All lines together are sorted and have numbers in this order. */
export interface CachedLines {
  /** The lines of terms, joined. */
  readonly bytes: ByteStore;
  /** For each term by ordinal: the end of its line in `bytes`, the line's length in characters, and its number. */
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

/** Caches the indexes of earlier exports, by name. They can be lost at any time. */
export interface SearchIndexCache {
  /** Reads an index. Reading its stores throws if they are damaged; the export is then repeated without them. */
  read(name: string): CachedIndex | undefined;
  /** Creates stores for building an index. */
  readonly createStore: CreateStore;
  /** Writes an index, whose stores must come from `createStore`. Never throws. */
  write(name: string, index: CachedIndex): void;
}

export function readCachedTerms({ terms, ...index }: CachedIndex): InvertedIndex {
  return { ...index, texts: terms === "" ? [] : terms.split("\n") };
}

const decoder = new TextDecoder();

/** Returns the line of a term. */
export function readCachedLine({ bytes, ends }: CachedLines, ordinal: number): string {
  return decoder.decode(
    bytes.read(ordinal === 0 ? 0 : (ends[ordinal - 1] ?? 0), ends[ordinal] ?? 0),
  );
}
