import { bisect } from "../core/index.ts";
import type { SitePage } from "../site/index.ts";
import { computeReservedNumbers } from "./postings.ts";
import { createMemoryStore, readNumbers } from "./byte-store.ts";
import { compareTexts, invertTerms, readPostings, toTerms } from "./inverted-index.ts";
import type { InvertedIndex, Terms } from "./inverted-index.ts";
import { sectionStep } from "./terms.ts";
import type { PageTerms } from "./terms.ts";
import type { CachedIndex } from "./cached-index.ts";

/**
 * A page with its position in an index. Sections are numbered across pages. For each page, `computeReservedNumbers`
 * returns how many section numbers it reserves.
 */
export interface IndexedPage {
  readonly page: SitePage;
  readonly terms: PageTerms;
  readonly fingerprint: string | undefined;
  readonly firstSection: number;
}

/** Returns the first section number after those reserved for a page. */
function getNextSection({ firstSection, terms }: IndexedPage): number {
  return firstSection + computeReservedNumbers(terms.sectionCount);
}

/** If more pages have changed, rebuilding the index costs less, because later exports can then patch it again. */
const maxChangedPages = 16;

/** A cached index and the numbers of the pages that have changed since it was built. */
export interface Patch {
  readonly index: CachedIndex;
  readonly changedNumbers: readonly number[];
}

/** Returns undefined if too many pages have changed or a changed page shifts the section numbers of other pages. */
export function findPatch(pages: readonly IndexedPage[], index: CachedIndex): Patch | undefined {
  if (pages.length !== index.pages.length) return undefined;
  const changedNumbers: number[] = [];
  for (let number = 0; number < pages.length; number += 1) {
    const { fingerprint, terms } = pages[number] as IndexedPage;
    if (fingerprint !== undefined && fingerprint === index.pages[number]) continue;
    changedNumbers.push(number);
    const cachedCount = index.sectionCounts[number] ?? 0;
    const isResized =
      computeReservedNumbers(terms.sectionCount) !== computeReservedNumbers(cachedCount);
    if (isResized || changedNumbers.length > maxChangedPages) return undefined;
  }
  return { index, changedNumbers };
}

/**
 * Merges the terms of the changed pages, a few hundred per page, with those of the cached index. Both lists are sorted,
 * and so is the result.
 */
export function patchTerms(pages: readonly IndexedPage[], { index, changedNumbers }: Patch): Terms {
  const changedPages = changedNumbers.flatMap((number) => pages[number] ?? []);
  const ranges = changedPages.map((page) => ({
    from: page.firstSection * sectionStep,
    to: getNextSection(page) * sectionStep,
  }));
  const last = pages.at(-1);
  const end = last ? getNextSection(last) * sectionStep : 0;
  const freshTerms = toTerms(invertTerms(changedPages, createMemoryStore));
  const cached = readCachedTerms(index);
  const previousOrdinals = new Set(
    changedNumbers.flatMap((number) => [...readPageTerms(cached, number)]),
  );
  const patched = new PatchedTerms(cached, cached.texts.length + freshTerms.texts.length);
  let nextFresh = 0;
  const addNext = () =>
    patched.add(freshTerms.texts[nextFresh] ?? "", freshTerms.getPostings(nextFresh).slice());
  const isNextBefore = (text: string) =>
    compareTexts(freshTerms.texts[nextFresh] ?? text, text) < 0;
  for (let ordinal = 0; ordinal < cached.texts.length; ordinal += 1) {
    const text = cached.texts[ordinal] ?? "";
    for (; isNextBefore(text); nextFresh += 1) addNext();
    const isFresh = freshTerms.texts[nextFresh] === text;
    if (!isFresh && !previousOrdinals.has(ordinal)) {
      patched.addCached(text, ordinal);
      continue;
    }
    const changes = isFresh ? freshTerms.getPostings(nextFresh++) : noPostings;
    if (hasSameRanges(cached, ordinal, { fresh: changes, ranges, end })) {
      patched.addCached(text, ordinal);
      continue;
    }
    const postings = replaceRanges(readPostings(cached, ordinal), changes, ranges);
    if (postings.length > 0) patched.add(text, postings);
  }
  for (; nextFresh < freshTerms.texts.length; nextFresh += 1) addNext();
  return patched;
}

/** Terms of a cached index and terms with new postings, in the order in which they were added. */
class PatchedTerms implements Terms {
  readonly texts: string[] = [];
  readonly #cached: InvertedIndex;
  /** The ordinal of each term in the cached index; -1 if its postings are in `#newPostings`. */
  readonly #cachedOrdinals: Int32Array;
  readonly #newPostings = new Map<number, Uint32Array>();

  constructor(cached: InvertedIndex, maxTerms: number) {
    this.#cached = cached;
    this.#cachedOrdinals = new Int32Array(maxTerms).fill(-1);
  }

  addCached(text: string, ordinal: number): void {
    this.#cachedOrdinals[this.texts.length] = ordinal;
    this.texts.push(text);
  }

  add(text: string, postings: Uint32Array): void {
    this.#newPostings.set(this.texts.length, postings);
    this.texts.push(text);
  }

  countSections(ordinal: number): number {
    const { starts } = this.#cached;
    const cached = this.#cachedOrdinals[ordinal] ?? -1;
    if (cached === -1) return this.getPostings(ordinal).length;
    return (starts[cached + 1] ?? 0) - (starts[cached] ?? 0);
  }

  getPostings(ordinal: number): Uint32Array {
    const cached = this.#cachedOrdinals[ordinal] ?? -1;
    if (cached === -1) return this.#newPostings.get(ordinal) ?? noPostings;
    return readPostings(this.#cached, cached);
  }

  findCachedOrdinal(ordinal: number): number | undefined {
    const cached = this.#cachedOrdinals[ordinal] ?? -1;
    return cached === -1 ? undefined : cached;
  }
}

/** Returns the ordinals of the terms that a page had in the index. */
function readPageTerms({ pageTerms, pageStarts }: InvertedIndex, number: number): Uint32Array {
  return readNumbers(pageTerms, pageStarts[number] ?? 0, pageStarts[number + 1] ?? 0);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

const noPostings = new Uint32Array();

/**
 * Reports whether the postings of a term in each range are the same as in `fresh`. Reads few postings outside the
 * ranges, because most terms of an edited page are unchanged, and a frequent term has hundreds of thousands of
 * postings.
 */
function hasSameRanges(
  { starts, postings }: InvertedIndex,
  ordinal: number,
  changes: {
    readonly fresh: Uint32Array;
    readonly ranges: readonly Range[];
    /** A number that is greater than every posting. */
    readonly end: number;
  },
): boolean {
  const { fresh, ranges } = changes;
  const [first, end] = [starts[ordinal] ?? 0, starts[ordinal + 1] ?? 0];
  const readPosting = (at: number) => readNumbers(postings, at, at + 1)[0] ?? 0;
  return ranges.every(({ from, to }) => {
    const expected = fresh.subarray(findLowerBound(fresh, from), findLowerBound(fresh, to));
    const guess = first + Math.floor((from / changes.end) * (end - first));
    const start = searchNear(guess, { from: first, to: end }, (at) => readPosting(at) < from);
    // Reading one more than expected reveals postings that are missing from `fresh`.
    const actual = readNumbers(postings, start, Math.min(end, start + expected.length + 1));
    const isEnd = actual.length === expected.length || (actual.at(-1) ?? 0) >= to;
    return isEnd && areEqual(expected, actual.subarray(0, expected.length));
  });
}

/** Positions this close are usually read together. */
const initialStep = 8_192;

/**
 * Works like `bisect`, but starts from a guess and widens its steps. Each distant position costs a file read, and most
 * terms are spread evenly over a site, so the guess is usually close.
 */
function searchNear(guess: number, { from, to }: Range, isBelow: (at: number) => boolean): number {
  let [low, high] = [Math.min(guess, to), Math.min(guess, to)];
  for (let step = initialStep; low > from && !isBelow(low - 1); step *= 2) {
    high = low - 1;
    low = Math.max(from, low - step);
  }
  for (let step = initialStep; high < to && isBelow(high); step *= 2) {
    low = high + 1;
    high = Math.min(to, high + step);
  }
  return bisect(low, high, isBelow);
}

/** Replaces the postings in each range with the postings in `fresh`. */
function replaceRanges(
  postings: Uint32Array,
  fresh: Uint32Array,
  ranges: readonly Range[],
): Uint32Array {
  const parts: Uint32Array[] = [];
  let end = 0;
  for (const { from, to } of ranges) {
    parts.push(postings.subarray(end, findLowerBound(postings, from)));
    end = findLowerBound(postings, to);
    parts.push(fresh.subarray(findLowerBound(fresh, from), findLowerBound(fresh, to)));
  }
  return concat([...parts, postings.subarray(end)]);
}

function concat(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}

function areEqual(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((number, at) => number === b[at]);
}

/** Returns the index of the first number in an ascending list that is not less than `limit`. */
function findLowerBound(list: Uint32Array, limit: number): number {
  return bisect(0, list.length, (at) => (list[at] ?? 0) < limit);
}

function readCachedTerms({ terms, ...index }: CachedIndex): InvertedIndex {
  return { ...index, texts: terms === "" ? [] : terms.split("\n") };
}
