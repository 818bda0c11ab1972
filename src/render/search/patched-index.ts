import { compareTexts, invertTerms, termsOf } from "./inverted-index.ts";
import type { IndexedPage } from "./indexed-page.ts";
import type { Term } from "./inverted-index.ts";
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

/** The terms of all pages, made from those of the kept index: what changed of them are some hundreds for each page. */
export function patchTerms(pages: readonly IndexedPage[], { index, changed }: Patch): Term[] {
  const fresh = changed.flatMap((number) => pages[number] ?? []);
  const ranges = fresh.map(({ firstSection, terms }) => ({
    from: firstSection * sectionStep,
    to: (firstSection + terms.sectionCount) * sectionStep,
  }));
  const added = new Map(termsOf(invertTerms(fresh)).map((term) => [term.text, term.postings]));
  const terms: Term[] = [];
  for (const term of keptTerms(index)) {
    const postings = patched(term.postings, added.get(term.text) ?? nothing, ranges);
    added.delete(term.text);
    if (postings === term.postings) terms.push(term);
    else if (postings.length > 0) terms.push({ text: term.text, postings });
  }
  // What is left of them are new words.
  const words = Array.from(added, ([text, postings]): Term => ({ text, postings }));
  if (words.length === 0) return terms;
  return [...terms, ...words].toSorted((a, b) => compareTexts(a.text, b.text));
}

interface Range {
  readonly from: number;
  readonly to: number;
}

const nothing = new Uint32Array();

/** The postings with those of `fresh` in place of their own in each range; the list itself where they are the same. */
function patched(own: Uint32Array, fresh: Uint32Array, ranges: readonly Range[]): Uint32Array {
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
  return isSame ? own : joined([...parts, own.subarray(end)]);
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

/** Of the first number of a rising list that is not below `limit`. */
function placeOf(list: Uint32Array, limit: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}
