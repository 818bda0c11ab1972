import { compareTexts } from "./inverted-index.ts";
import type { Terms } from "./inverted-index.ts";
import { cachedLine } from "./cached-index.ts";
import type { CachedGroup, CachedIndex, CachedLines } from "./cached-index.ts";
import { mergeLines, TermTexts } from "./line-list.ts";
import type { LineList, SummaryLine } from "./line-list.ts";
import { maxWeight, summaryMark, totalMark } from "./postings.ts";
import { sectionStep } from "./word-weigher.ts";
import { isLowerCase } from "./tokenize.ts";
import { createPostingWriter } from "./write-postings.ts";

/**
 * The terms of one index as the reader's browser takes them: sorted lines `term:postings`.
 *
 * What a search loads may not grow with the site, so two kinds of lines stand for more than they hold.
 * `be*:postings` are the best sections of all terms that begin with `be`, where these fill a chunk and more.
 * `the:~n~postings` are the best of the `n` sections (in base 36) with a term that stands nearly everywhere.
 */
export interface TermLines {
  readonly lines: LineList;
  /** Beginnings that have a line of their own; the reader's browser loads no other terms for them. */
  readonly summaries: readonly string[];
  /** Words that typing errors are corrected to, the most used first. */
  readonly vocabulary: readonly string[];
  /** Groups whose best sections were computed, by beginning. */
  readonly groups: ReadonlyMap<string, CachedGroup>;
}

/** Max characters of terms and postings that one beginning may load. */
const summaryLength = 48 * 1024;
const summarySections = 100;
/** Sections that a line of a term names, about 50 KB. */
const maxSections = 16_384;
/** About 200 KB, loaded at the first word that is not found. */
const vocabularySize = 25_000;

/** Lines and best sections of terms that are in the cached index are taken from it. */
export function termLines(terms: Terms, cached?: CachedIndex): TermLines {
  const write = createPostingWriter();
  const own = new TermTexts(terms, (place) => lineOf(terms, place, write), cached?.lines);
  const { summaries, groups } = new Summarizer(terms, own, cached);
  const summaryLines = Array.from(summaries, ([beginning, best]) => {
    const key = beginning + summaryMark;
    return summaryLine(key, `${key}:${write(best)}`, cached?.lines);
  });
  const sorted = summaryLines.toSorted((a, b) => compareTexts(a.key, b.key));
  return {
    lines: mergeLines(terms, own, sorted),
    summaries: [...summaries.keys()],
    vocabulary: vocabularyOf(terms),
    groups,
  };
}

type Write = (postings: Uint32Array) => string;

/** Made each time; most are the same as the cached ones. */
function summaryLine(key: string, text: string, cached: CachedLines | undefined): SummaryLine {
  const line = cached?.ofSummaries.get(key);
  const isSame = cached && line !== undefined && cachedLine(cached, line) === text;
  return { key, text, cachedPlace: isSame ? line : undefined };
}

function lineOf(terms: Terms, place: number, write: Write): string {
  const text = terms.texts[place] ?? "";
  const postings = terms.postingsOf(place);
  if (postings.length <= maxSections) return `${text}:${write(postings)}`;
  return `${text}:${totalMark(postings.length)}${write(heaviest(postings, maxSections))}`;
}

/** The `count` sections of greatest weight, in their order. */
function heaviest(postings: Uint32Array, count: number): Uint32Array {
  if (postings.length <= count) return postings;
  const having = new Uint32Array(maxWeight + 1);
  for (const posting of postings) {
    const weight = posting % sectionStep;
    having[weight] = (having[weight] ?? 0) + 1;
  }
  let min = maxWeight;
  let left = count;
  while (min > 1 && left > (having[min] ?? 0)) left -= having[min--] ?? 0;
  const chosen = new Uint32Array(count);
  let end = 0;
  for (const posting of postings) {
    const weight = posting % sectionStep;
    if (weight < min || (weight === min && left-- <= 0)) continue;
    chosen[end++] = posting;
  }
  return chosen.subarray(0, end);
}

function sectionOf(posting: number): number {
  return Math.floor(posting / sectionStep);
}

/** Sections with the greatest weight that any of the terms has there. */
function bestOf(lists: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  all.sort();
  let distinct = 0;
  let last = -1;
  for (let at = 0; at < all.length; at += 1) {
    const posting = all[at] ?? 0;
    const section = sectionOf(posting);
    // The greatest weight of a section comes last of its postings.
    if (section !== last) distinct += 1;
    all[distinct - 1] = posting;
    last = section;
  }
  return heaviest(all.subarray(0, distinct), summarySections);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/** Finds the best sections of terms with a common beginning: of few from their postings, of many from longer beginnings. */
class Summarizer {
  readonly summaries = new Map<string, Uint32Array>();
  readonly groups = new Map<string, CachedGroup>();
  readonly #terms: Terms;
  readonly #cached: CachedIndex | undefined;
  /** Characters of the lines before each. */
  readonly #sizes: Float64Array;

  constructor(terms: Terms, lines: TermTexts, cached: CachedIndex | undefined) {
    this.#terms = terms;
    this.#cached = cached;
    const { length } = terms.texts;
    this.#sizes = new Float64Array(length + 1);
    for (let place = 0; place < length; place += 1) {
      this.#sizes[place + 1] = (this.#sizes[place] ?? 0) + lines.lengthOf(place);
    }
    if (length > 0) this.#summarize({ from: 0, to: length }, 0);
  }

  /** The best sections of terms that share their first `length` characters. */
  #summarize(range: Range, length: number): Uint32Array {
    const beginning = this.#terms.texts[range.from]?.slice(0, length) ?? "";
    const cached = this.#cachedBest(beginning, range);
    const isLong = range.to - range.from > 1 && this.#sizeOf(range) > summaryLength;
    const best = isLong
      ? this.#bestOfLonger(range, { length, cached })
      : (cached ?? this.#bestOfTerms(range));
    this.groups.set(beginning, { ...range, best });
    if (isLong && length > 0 && beginning.isWellFormed()) this.summaries.set(beginning, best);
    return best;
  }

  /** Goes on to longer beginnings even where the best sections are cached: those beginnings have lines too. */
  #bestOfLonger(
    range: Range,
    { length, cached }: { readonly length: number; readonly cached: Uint32Array | undefined },
  ): Uint32Array {
    const lists: Uint32Array[] = [];
    for (const part of this.#byNextCharacter(range, length)) {
      // The term that ends here is no beginning of others.
      const isEnd = this.#terms.texts[part.from]?.length === length;
      if (!isEnd) lists.push(this.#summarize(part, length + 1));
      else if (cached === undefined) lists.push(this.#bestOfTerms(part));
    }
    return cached ?? bestOf(lists);
  }

  #byNextCharacter({ from, to }: Range, length: number): Range[] {
    const parts: Range[] = [];
    let start = from;
    const codeAt = (number: number) => this.#terms.texts[number]?.charCodeAt(length);
    let code = codeAt(from);
    for (let number = from + 1; number <= to; number += 1) {
      const next = number < to ? codeAt(number) : undefined;
      if (next === code) continue;
      parts.push({ from: start, to: number });
      start = number;
      code = next;
    }
    return parts;
  }

  #bestOfTerms({ from, to }: Range): Uint32Array {
    const lists: Uint32Array[] = [];
    for (let place = from; place < to; place += 1) {
      lists.push(heaviest(this.#terms.postingsOf(place), summarySections));
    }
    return bestOf(lists);
  }

  #sizeOf({ from, to }: Range): number {
    return (this.#sizes[to] ?? 0) - (this.#sizes[from] ?? 0);
  }

  /** Undefined where the terms are not those of the cached index. */
  #cachedBest(beginning: string, { from, to }: Range): Uint32Array | undefined {
    const cached = this.#cached?.groups.get(beginning);
    if (cached === undefined || cached.to - cached.from !== to - from) return undefined;
    // Cached places rise, so where both ends are right there are no other terms between.
    const isFirst = this.#terms.cachedPlaceOf(from) === cached.from;
    return isFirst && this.#terms.cachedPlaceOf(to - 1) === cached.to - 1 ? cached.best : undefined;
  }
}

const plainWord = /^\p{L}{4,20}$/u;
/** Scripts that are cut into pairs have no letters to miss. */
const pairs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function vocabularyOf(terms: Terms): string[] {
  const words: number[] = [];
  for (const [place, text] of terms.texts.entries()) if (isPlainWord(text)) words.push(place);
  const byCount = Map.groupBy(words, (place) => terms.countOf(place));
  return Array.from(byCount.keys())
    .toSorted((a, b) => b - a)
    .flatMap((count) => byCount.get(count) ?? [])
    .slice(0, vocabularySize)
    .map((place) => terms.texts[place] ?? "");
}

/** Asked of half a million terms: most are decided by their characters, at a fifth of the cost of the expressions. */
function isPlainWord(text: string): boolean {
  let at = 0;
  while (at < text.length && isLowerCase(text.charCodeAt(at))) at += 1;
  if (at === text.length) return at >= 4 && at <= 20;
  return text.charCodeAt(at) > 127 && plainWord.test(text) && !pairs.test(text);
}
