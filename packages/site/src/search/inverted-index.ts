import { TermDictionary } from "./term-dictionary.ts";
import { sectionStep } from "./postings-builder.ts";
import type { PageTerms } from "./terms.ts";

/**
 * The terms of an index, accessed by ordinal: their position in the sorted list. Lists, not objects: a large site
 * has half a million terms.
 */
export interface Terms {
  readonly texts: readonly string[];
  /** The number of sections that contain the term. */
  countOf(ordinal: number): number;
  /** `section * sectionStep + weight` for each section that contains it, ascending; sections are numbered across pages. */
  postingsOf(ordinal: number): Uint32Array;
  /** Its ordinal in the cached index; undefined if it has changed. */
  cachedOrdinalOf(ordinal: number): number | undefined;
}

/** The terms of a page whose first section has this number. */
export interface PlacedTerms {
  readonly terms: PageTerms;
  readonly firstSection: number;
}

/** Sorted terms, all postings, and where the postings of each term start; the last start is the number of postings. */
export interface InvertedIndex {
  readonly texts: readonly string[];
  readonly starts: Uint32Array;
  readonly postings: Uint32Array;
}

/**
 * Inverts the terms of each page into the sections of each term, sorted by term. Counts first, then fills one
 * array: lists that grow would cost several times the memory and the time.
 */
export function invertTerms(pages: readonly PlacedTerms[]): InvertedIndex {
  const dictionary = new TermDictionary();
  const interned = pages.map((page) => internPage(page, dictionary));
  const texts = dictionary.texts();
  const sorted = sortedIds(texts);
  const ordinals = new Uint32Array(sorted.length);
  for (const [ordinal, id] of sorted.entries()) ordinals[id] = ordinal;
  const starts = startsOf(interned, ordinals);
  const ends = starts.slice();
  const all = new Uint32Array(starts.at(-1) ?? 0);
  for (const { base, ids, postings } of interned) {
    let at = 0;
    for (const id of ids) {
      const ordinal = ordinals[id] ?? 0;
      const last = at + (postings[at] ?? 0);
      let end = ends[ordinal] ?? 0;
      for (at += 1; at <= last; at += 1) all[end++] = (postings[at] ?? 0) + base;
      ends[ordinal] = end;
    }
  }
  return { texts: sorted.map((id) => texts[id] ?? ""), starts, postings: all };
}

export function termsOf({ texts, starts, postings }: InvertedIndex): Terms {
  return {
    texts,
    countOf: (ordinal) => (starts[ordinal + 1] ?? 0) - (starts[ordinal] ?? 0),
    postingsOf: (ordinal) => postings.subarray(starts[ordinal], starts[ordinal + 1]),
    cachedOrdinalOf: () => undefined,
  };
}

/** The IDs of the terms in the order of their texts. */
function sortedIds(texts: readonly string[]): number[] {
  // Numbers sort in a fraction of the time of texts, and few texts share a prefix.
  const groups = Map.groupBy(texts.keys(), (id) => prefixKey(texts[id] ?? ""));
  const sorted: number[] = [];
  for (const prefix of Float64Array.from(groups.keys()).toSorted()) {
    const group = groups.get(prefix) ?? [];
    const inOrder = group.toSorted((a, b) => compareTexts(texts[a] ?? "", texts[b] ?? ""));
    for (const id of inOrder) sorted.push(id);
  }
  return sorted;
}

/** The first three code units as one number, which sorts as they do. */
function prefixKey(text: string): number {
  return codeAt(text, 0) * 2 ** 32 + codeAt(text, 1) * 2 ** 16 + codeAt(text, 2);
}

/** 0 after the end, which sorts before all characters of terms. */
function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

/** Compares by code units, the order in which the reader's browser looks lines up. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

interface InternedPage {
  /** Added to its postings, whose sections are numbered from 0. */
  readonly base: number;
  /** The IDs of its terms, in their order. */
  readonly ids: Uint32Array;
  readonly postings: Uint32Array;
}

/** Reads each list of a page only once: it may come from a file. */
function internPage(
  { terms, firstSection }: PlacedTerms,
  dictionary: TermDictionary,
): InternedPage {
  const { texts, postings } = terms;
  return { base: firstSection * sectionStep, ids: dictionary.idsOf(texts), postings };
}

/** Where the postings of each term start; `ordinals` holds the ordinal of each ID. */
function startsOf(pages: readonly InternedPage[], ordinals: Uint32Array): Uint32Array {
  const starts = new Uint32Array(ordinals.length + 1);
  for (const { ids, postings } of pages) {
    let at = 0;
    for (const id of ids) {
      const count = postings[at] ?? 0;
      const next = (ordinals[id] ?? 0) + 1;
      starts[next] = (starts[next] ?? 0) + count;
      at += count + 1;
    }
  }
  for (let ordinal = 1; ordinal < starts.length; ordinal += 1) {
    starts[ordinal] = (starts[ordinal] ?? 0) + (starts[ordinal - 1] ?? 0);
  }
  return starts;
}
