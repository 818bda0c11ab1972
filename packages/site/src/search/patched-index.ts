import type { IndexedPage } from "./indexed-page.ts";
import { compareTexts, invertTerms, termsOf } from "./inverted-index.ts";
import type { InvertedIndex, Terms } from "./inverted-index.ts";
import { cachedTerms } from "./cached-index.ts";
import type { CachedIndex } from "./cached-index.ts";
import { sectionStep } from "./word-weigher.ts";

/** With more changed pages a new index, from which the next ones are patched, costs less in the long run. */
const maxChanged = 16;

/** A cached index, and the numbers of the pages that have changed since. */
export interface Patch {
  readonly index: CachedIndex;
  readonly changed: readonly number[];
}

/** Undefined where many pages have changed, or where changed pages shift the section numbers of others. */
export function findPatch(pages: readonly IndexedPage[], index: CachedIndex): Patch | undefined {
  if (pages.length !== index.pages.length) return undefined;
  const changed: number[] = [];
  for (const [number, { fingerprint, terms }] of pages.entries()) {
    if (fingerprint !== undefined && fingerprint === index.pages[number]) continue;
    changed.push(number);
    const isMoved = terms.sectionCount !== index.sectionCounts[number];
    if (isMoved || changed.length > maxChanged) return undefined;
  }
  return { index, changed };
}

/**
 * The terms of all pages, made from those of the cached index: a changed page changes some hundreds of them. Both
 * lists are sorted, and so is the result.
 */
export function patchTerms(pages: readonly IndexedPage[], { index, changed }: Patch): Terms {
  const fresh = changed.flatMap((number) => pages[number] ?? []);
  const ranges = fresh.map(({ firstSection, terms }) => ({
    from: firstSection * sectionStep,
    to: (firstSection + terms.sectionCount) * sectionStep,
  }));
  const own = termsOf(invertTerms(fresh));
  const cached = cachedTerms(index);
  const patch = new PatchedTerms(cached, cached.texts.length + own.texts.length);
  let next = 0;
  const ownBefore = (text: string) => compareTexts(own.texts[next] ?? text, text) < 0;
  for (const [place, text] of cached.texts.entries()) {
    for (; ownBefore(text); next += 1) patch.add(own.texts[next] ?? "", own.postingsOf(next));
    const hasOwn = own.texts[next] === text;
    if (!hasOwn && !isInRanges(ranges, cached, place)) {
      patch.addCached(text, place);
      continue;
    }
    const before = cached.postings.subarray(cached.starts[place], cached.starts[place + 1]);
    const postings = patched(before, hasOwn ? own.postingsOf(next++) : nothing, ranges);
    if (postings === undefined) patch.addCached(text, place);
    else if (postings.length > 0) patch.add(text, postings);
  }
  for (; next < own.texts.length; next += 1) patch.add(own.texts[next] ?? "", own.postingsOf(next));
  return patch;
}

/** Terms of a cached index and new ones, in the order in which they are added. */
class PatchedTerms implements Terms {
  readonly texts: string[] = [];
  readonly #cached: InvertedIndex;
  /** The place of each in the cached index; -1 of the others, whose postings are in `#own`. */
  readonly #cachedPlaces: Int32Array;
  readonly #own = new Map<number, Uint32Array>();

  constructor(cached: InvertedIndex, maxTerms: number) {
    this.#cached = cached;
    this.#cachedPlaces = new Int32Array(maxTerms).fill(-1);
  }

  addCached(text: string, place: number): void {
    this.#cachedPlaces[this.texts.length] = place;
    this.texts.push(text);
  }

  add(text: string, postings: Uint32Array): void {
    this.#own.set(this.texts.length, postings);
    this.texts.push(text);
  }

  countOf(place: number): number {
    const { starts } = this.#cached;
    const cached = this.#cachedPlaces[place] ?? -1;
    if (cached === -1) return this.postingsOf(place).length;
    return (starts[cached + 1] ?? 0) - (starts[cached] ?? 0);
  }

  postingsOf(place: number): Uint32Array {
    const { starts, postings } = this.#cached;
    const cached = this.#cachedPlaces[place] ?? -1;
    if (cached === -1) return this.#own.get(place) ?? nothing;
    return postings.subarray(starts[cached], starts[cached + 1]);
  }

  cachedPlaceOf(place: number): number | undefined {
    const cached = this.#cachedPlaces[place] ?? -1;
    return cached === -1 ? undefined : cached;
  }
}

/** Whether a term has a section in one of the ranges. Allocates nothing: it is asked of every term. */
function isInRanges(
  ranges: readonly Range[],
  { starts, postings }: InvertedIndex,
  place: number,
): boolean {
  const part = { low: starts[place] ?? 0, high: starts[place + 1] ?? 0 };
  for (const { from, to } of ranges) {
    const at = placeOf(postings, from, part);
    if (at < part.high && (postings[at] ?? 0) < to) return true;
  }
  return false;
}

interface Range {
  readonly from: number;
  readonly to: number;
}

const nothing = new Uint32Array();

/** The postings with those of `fresh` instead of their own in each range; undefined where nothing changes. */
function patched(
  own: Uint32Array,
  fresh: Uint32Array,
  ranges: readonly Range[],
): Uint32Array | undefined {
  const parts: Uint32Array[] = [];
  let isSame = true;
  let end = 0;
  for (const { from, to } of ranges) {
    const [start, freshStart] = [placeOf(own, from), placeOf(fresh, from)];
    parts.push(own.subarray(end, start));
    end = placeOf(own, to);
    const part = fresh.subarray(freshStart, placeOf(fresh, to));
    parts.push(part);
    isSame &&= areSame(part, own.subarray(start, end));
  }
  return isSame ? undefined : joined([...parts, own.subarray(end)]);
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const part of parts) {
    all.set(part, end);
    end += part.length;
  }
  return all;
}

function areSame(a: Uint32Array, b: Uint32Array): boolean {
  return a.length === b.length && a.every((number, at) => number === b[at]);
}

/** Place of the first number of a rising list, or of a part of one, that is not below `limit`. */
function placeOf(list: Uint32Array, limit: number, part = { low: 0, high: list.length }): number {
  let { low, high } = part;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
