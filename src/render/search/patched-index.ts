import { compareTexts, invertTerms } from "./inverted-index.ts";
import type { IndexedPage } from "./indexed-page.ts";
import type { Term } from "./inverted-index.ts";
import { keptTerms } from "./kept-index.ts";
import type { KeptIndex } from "./kept-index.ts";
import { sectionStep } from "./terms.ts";

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
  const added = new Map(invertTerms(fresh).map((term) => [term.text, term.postings]));
  const terms: Term[] = [];
  for (const term of keptTerms(index)) {
    const isTouched = ranges.some(({ from, to }) => hasBetween(term.postings, from, to));
    const more = added.get(term.text);
    added.delete(term.text);
    if (!isTouched && more === undefined) terms.push(term);
    else terms.push(...patched(term, ranges, more));
  }
  // What is left of them are new words.
  const words = Array.from(added, ([text, postings]): Term => ({ text, postings }));
  return words.length === 0
    ? terms
    : [...terms, ...words].sort((a, b) => compareTexts(a.text, b.text));
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** The term with other postings, as it is where they come out the same, or none where it has none any more. */
function patched(
  term: Term,
  ranges: readonly Range[],
  more: Uint32Array = new Uint32Array(),
): Term[] {
  const { text, postings } = term;
  const rest = postings.filter((posting) =>
    ranges.every(({ from, to }) => posting < from || posting >= to),
  );
  const all = new Uint32Array(rest.length + more.length);
  all.set(rest);
  all.set(more, rest.length);
  all.sort();
  if (all.length === 0) return [];
  const isSame =
    all.length === postings.length && all.every((posting, at) => posting === postings[at]);
  return [isSame ? term : { text, postings: all }];
}

/** Whether a rising list has a number from `from` on and below `to`. */
function hasBetween(list: Uint32Array, from: number, to: number): boolean {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low < list.length && (list[low] ?? 0) < to;
}
