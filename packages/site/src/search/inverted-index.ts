import { WordNumbers } from "./word-numbers.ts";
import { sectionStep } from "./word-weigher.ts";
import type { PageTerms } from "./terms.ts";

/**
 * The terms of an index in the order of their texts, accessed by their place. Lists, not objects: a large site has
 * half a million terms.
 */
export interface Terms {
  readonly texts: readonly string[];
  /** How many sections have the term. */
  countOf(place: number): number;
  /** `section * sectionStep + weight` for each section that has it, rising; sections are counted through all pages. */
  postingsOf(place: number): Uint32Array;
  /** Its place in the cached index, where it is unchanged. */
  cachedPlaceOf(place: number): number | undefined;
}

/** The terms of a page whose first section has this number. */
export interface PlacedTerms {
  readonly terms: PageTerms;
  readonly firstSection: number;
}

/** Terms as lists: their sorted texts, all postings, and where those of each term begin, at the end their number. */
export interface InvertedIndex {
  readonly texts: readonly string[];
  readonly starts: Uint32Array;
  readonly postings: Uint32Array;
}

/**
 * Turns the words of each page into the sections of each word, sorted by the word. Counts first and fills
 * one array after that: lists that grow would cost several times the memory and the time.
 */
export function invertTerms(pages: readonly PlacedTerms[]): InvertedIndex {
  const words = new WordNumbers();
  const read = pages.map((page) => readPage(page, words));
  const texts = words.texts();
  const sorted = sortedNumbers(texts);
  const places = new Uint32Array(sorted.length);
  for (const [place, number] of sorted.entries()) places[number] = place;
  const starts = startsOf(read, places);
  const ends = starts.slice();
  const all = new Uint32Array(starts.at(-1) ?? 0);
  for (const { base, numbers, postings } of read) {
    let at = 0;
    for (const number of numbers) {
      const place = places[number] ?? 0;
      const last = at + (postings[at] ?? 0);
      let end = ends[place] ?? 0;
      for (at += 1; at <= last; at += 1) all[end++] = (postings[at] ?? 0) + base;
      ends[place] = end;
    }
  }
  return { texts: sorted.map((number) => texts[number] ?? ""), starts, postings: all };
}

export function termsOf({ texts, starts, postings }: InvertedIndex): Terms {
  return {
    texts,
    countOf: (place) => (starts[place + 1] ?? 0) - (starts[place] ?? 0),
    postingsOf: (place) => postings.subarray(starts[place], starts[place + 1]),
    cachedPlaceOf: () => undefined,
  };
}

/** The numbers of the texts in the order of the texts. */
function sortedNumbers(texts: readonly string[]): number[] {
  // Numbers sort in a fraction of the time of texts, and few texts begin alike.
  const groups = Map.groupBy(texts.keys(), (number) => beginningOf(texts[number] ?? ""));
  const sorted: number[] = [];
  for (const beginning of Float64Array.from(groups.keys()).toSorted()) {
    const group = groups.get(beginning) ?? [];
    const inOrder = group.toSorted((a, b) => compareTexts(texts[a] ?? "", texts[b] ?? ""));
    for (const number of inOrder) sorted.push(number);
  }
  return sorted;
}

/** Its first three code units as one number, which sorts as they do. */
function beginningOf(text: string): number {
  return codeAt(text, 0) * 2 ** 32 + codeAt(text, 1) * 2 ** 16 + codeAt(text, 2);
}

/** 0 after the end, which sorts before all characters of terms. */
function codeAt(text: string, at: number): number {
  return at < text.length ? text.charCodeAt(at) : 0;
}

/** The order of code units, in which the reader's browser looks lines up. */
export function compareTexts(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

interface ReadPage {
  /** What its postings are moved by. */
  readonly base: number;
  /** Of its words in turn. */
  readonly numbers: Uint32Array;
  readonly postings: Uint32Array;
}

/** Asks a page for each of its lists once: they may be read from a file then. */
function readPage({ terms, firstSection }: PlacedTerms, numberer: WordNumbers): ReadPage {
  const { words, postings } = terms;
  return { base: firstSection * sectionStep, numbers: numberer.numbersOf(words), postings };
}

/** `places` has the place of each number. */
function startsOf(pages: readonly ReadPage[], places: Uint32Array): Uint32Array {
  const starts = new Uint32Array(places.length + 1);
  for (const { numbers, postings } of pages) {
    let at = 0;
    for (const number of numbers) {
      const count = postings[at] ?? 0;
      const next = (places[number] ?? 0) + 1;
      starts[next] = (starts[next] ?? 0) + count;
      at += count + 1;
    }
  }
  for (let place = 1; place < starts.length; place += 1) {
    starts[place] = (starts[place] ?? 0) + (starts[place - 1] ?? 0);
  }
  return starts;
}
