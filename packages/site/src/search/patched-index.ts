import type { IndexedPage } from "./indexed-page.ts";
import { compareTexts, invertTerms, termsOf } from "./inverted-index.ts";
import type { InvertedIndex, Terms } from "./inverted-index.ts";
import { keptTerms } from "./kept-index.ts";
import type { KeptIndex } from "./kept-index.ts";
import { sectionStep } from "./page-words.ts";

/** Beyond these an index made anew, which the next one is patched from, costs less in the long run. */
const mostChanged = 16;

/** A kept index and the numbers of the pages that are others now. */
export interface Patch {
  readonly index: KeptIndex;
  readonly changed: readonly number[];
}

/** Undefined where many pages are others, or where sections of the rest are numbered otherwise because of them. */
export function unlessTooDifferent(
  pages: readonly IndexedPage[],
  index: KeptIndex,
): Patch | undefined {
  if (pages.length !== index.pages.length) return undefined;
  const changed: number[] = [];
  for (const [number, { identity, terms }] of pages.entries()) {
    if (identity !== undefined && identity === index.pages[number]) continue;
    changed.push(number);
    const isMoved = terms.sectionCount !== index.sectionCounts[number];
    if (isMoved || changed.length > mostChanged) return undefined;
  }
  return { index, changed };
}

/**
 * The terms of all pages, made from those of the kept index: what changed of them are some hundreds for each page.
 * Both are sorted, and so is what comes of them.
 */
export function patchTerms(pages: readonly IndexedPage[], { index, changed }: Patch): Terms {
  const fresh = changed.flatMap((number) => pages[number] ?? []);
  const ranges = fresh.map(({ firstSection, terms }) => ({
    from: firstSection * sectionStep,
    to: (firstSection + terms.sectionCount) * sectionStep,
  }));
  const own = termsOf(invertTerms(fresh));
  const known = keptTerms(index);
  const patch = new PatchedTerms(known, known.texts.length + own.texts.length);
  let next = 0;
  const ownBefore = (text: string) => compareTexts(own.texts[next] ?? text, text) < 0;
  for (const [place, text] of known.texts.entries()) {
    for (; ownBefore(text); next += 1) patch.add(own.texts[next] ?? "", own.postingsOf(next));
    const hasOwn = own.texts[next] === text;
    if (!hasOwn && !standsIn(ranges, known, place)) {
      patch.keep(text, place);
      continue;
    }
    const before = known.postings.subarray(known.starts[place], known.starts[place + 1]);
    const postings = patched(before, hasOwn ? own.postingsOf(next++) : nothing, ranges);
    if (postings === undefined) patch.keep(text, place);
    else if (postings.length > 0) patch.add(text, postings);
  }
  for (; next < own.texts.length; next += 1) patch.add(own.texts[next] ?? "", own.postingsOf(next));
  return patch;
}

/** Terms of a kept index, and others, in the order in which they come. */
class PatchedTerms implements Terms {
  readonly texts: string[] = [];
  readonly #known: InvertedIndex;
  /** The place of each in the kept index, -1 of the others, which have their postings here. */
  readonly #kept: Int32Array;
  readonly #own = new Map<number, Uint32Array>();

  /** Of `most` terms or fewer. */
  constructor(known: InvertedIndex, most: number) {
    this.#known = known;
    this.#kept = new Int32Array(most).fill(-1);
  }

  keep(text: string, place: number): void {
    this.#kept[this.texts.length] = place;
    this.texts.push(text);
  }

  add(text: string, postings: Uint32Array): void {
    this.#own.set(this.texts.length, postings);
    this.texts.push(text);
  }

  countOf(place: number): number {
    const { starts } = this.#known;
    const kept = this.#kept[place] ?? -1;
    if (kept === -1) return this.postingsOf(place).length;
    return (starts[kept + 1] ?? 0) - (starts[kept] ?? 0);
  }

  postingsOf(place: number): Uint32Array {
    const { starts, postings } = this.#known;
    const kept = this.#kept[place] ?? -1;
    if (kept === -1) return this.#own.get(place) ?? nothing;
    return postings.subarray(starts[kept], starts[kept + 1]);
  }

  keptOf(place: number): number | undefined {
    const kept = this.#kept[place] ?? -1;
    return kept === -1 ? undefined : kept;
  }
}

/** Whether a term has a section in one of the ranges. Makes nothing: it is asked of every term. */
function standsIn(
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

/** The postings with those of `fresh` in place of their own in each range; undefined where they are the same. */
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

/** Of the first number of a rising list, or of a part of one, that is not below `limit`. */
function placeOf(list: Uint32Array, limit: number, part = { low: 0, high: list.length }): number {
  let { low, high } = part;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
