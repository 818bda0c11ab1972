import { compareTexts } from "./inverted-index.ts";
import type { Terms } from "./inverted-index.ts";
import { cachedLine } from "./cached-index.ts";
import type { CachedLines } from "./cached-index.ts";

/** The lines of an index, sorted by key, accessed by their number. */
export interface LineList {
  readonly count: number;
  /** The text before the postings. */
  keyOf(line: number): string;
  /** Characters of the whole line. */
  lengthOf(line: number): number;
  textOf(line: number): string;
  /** The place of its term; undefined for the line of a beginning. */
  termOf(line: number): number | undefined;
  /** Its number among the cached lines, where it is one of them. */
  cachedPlaceOf(line: number): number | undefined;
}

/** The line of each term: made by `write`, unless it is one of the cached lines. */
export class TermTexts {
  readonly #cached: CachedLines | undefined;
  /** The cached line of each term; -1 of the others, whose texts are in `#texts`. */
  readonly #cachedLines: Int32Array;
  readonly #texts: (string | undefined)[] = [];

  constructor(terms: Terms, write: (place: number) => string, cached: CachedLines | undefined) {
    this.#cached = cached;
    this.#cachedLines = new Int32Array(terms.texts.length).fill(-1);
    for (let place = 0; place < terms.texts.length; place += 1) {
      const term = terms.cachedPlaceOf(place);
      const line = term === undefined ? undefined : cached?.ofTerms[term];
      if (line === undefined) this.#texts[place] = write(place);
      else this.#cachedLines[place] = line;
    }
  }

  cachedPlaceOf(place: number): number | undefined {
    const line = this.#cachedLines[place] ?? -1;
    return line === -1 ? undefined : line;
  }

  lengthOf(place: number): number {
    const line = this.#cachedLines[place] ?? -1;
    return (line === -1 ? this.#texts[place]?.length : this.#cached?.lengths[line]) ?? 0;
  }

  textOf(place: number): string {
    const line = this.#cachedLines[place] ?? -1;
    if (line === -1 || !this.#cached) return this.#texts[place] ?? "";
    return cachedLine(this.#cached, line);
  }
}

/** The line of a beginning. */
export interface SummaryLine {
  readonly key: string;
  readonly text: string;
  /** Its number among the cached lines, where it is one of them. */
  readonly cachedPlace: number | undefined;
}

/** Puts the lines of beginnings, which are sorted too, between those of the terms. */
export function mergeLines(
  terms: Terms,
  own: TermTexts,
  summaries: readonly SummaryLine[],
): LineList {
  const order = mergedOrder(terms.texts, summaries);
  const placeOf = (line: number) => order[line] ?? 0;
  const summaryOf = (line: number) => summaries[-1 - placeOf(line)];
  const isTerm = (line: number) => placeOf(line) >= 0;
  return {
    count: order.length,
    keyOf: (line) => (isTerm(line) ? terms.texts[placeOf(line)] : summaryOf(line)?.key) ?? "",
    lengthOf: (line) =>
      isTerm(line) ? own.lengthOf(placeOf(line)) : (summaryOf(line)?.text.length ?? 0),
    textOf: (line) => (isTerm(line) ? own.textOf(placeOf(line)) : (summaryOf(line)?.text ?? "")),
    termOf: (line) => (isTerm(line) ? placeOf(line) : undefined),
    cachedPlaceOf: (line) =>
      isTerm(line) ? own.cachedPlaceOf(placeOf(line)) : summaryOf(line)?.cachedPlace,
  };
}

/**
 * For each line of a term its place, for each line of a beginning -1 minus its number. The marks of beginnings sort
 * before all characters of terms.
 */
function mergedOrder(texts: readonly string[], summaries: readonly SummaryLine[]): Int32Array {
  const order = new Int32Array(texts.length + summaries.length);
  let place = 0;
  let line = 0;
  for (const [number, { key }] of summaries.entries()) {
    for (const end = placeOfText(texts, key, place); place < end; place += 1) order[line++] = place;
    order[line++] = -1 - number;
  }
  for (; place < texts.length; place += 1) order[line++] = place;
  return order;
}

/** Of the first text, from `low` on, that does not sort before `text`. */
function placeOfText(texts: readonly string[], text: string, low: number): number {
  let start = low;
  for (let end = texts.length; start < end;) {
    const middle = (start + end) >>> 1;
    if (compareTexts(texts[middle] ?? "", text) < 0) start = middle + 1;
    else end = middle;
  }
  return start;
}
