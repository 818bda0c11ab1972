import { compareTexts } from "./inverted-index.ts";
import type { Terms } from "./inverted-index.ts";
import { keptLine } from "./kept-index.ts";
import type { KeptGroup, KeptIndex, KeptLines } from "./kept-index.ts";
import { mergeLines, TermTexts } from "./line-list.ts";
import type { LineList, SummaryLine } from "./line-list.ts";
import { mostWeight, summaryMark, totalMark } from "./postings.ts";
import { sectionStep } from "./page-words.ts";
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
  /** Those that typing errors are led to, the most used first. */
  readonly vocabulary: readonly string[];
  /** Of beginnings whose best sections were worked out. */
  readonly groups: ReadonlyMap<string, KeptGroup>;
}

/** Characters of terms and postings that one beginning may bring along. */
const summaryLength = 48 * 1024;
const summarySections = 100;
/** Sections that a term names, about 50 KB. */
const mostSections = 16_384;
/** About 200 KB, which are loaded at the first word that is not found. */
const vocabularySize = 25_000;

/** Of the terms that are in `kept` neither lines nor best sections are made again. */
export function termLines(terms: Terms, kept?: KeptIndex): TermLines {
  const write = createPostingWriter();
  const own = new TermTexts(terms, (place) => lineOf(terms, place, write), kept?.lines);
  const { summaries, groups } = new Summarizer(terms, own, kept);
  const summaryLines = Array.from(summaries, ([beginning, best]) => {
    const key = beginning + summaryMark;
    return summaryLine(key, `${key}:${write(best)}`, kept?.lines);
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

/** Made each time; most come out as they were. */
function summaryLine(key: string, text: string, kept: KeptLines | undefined): SummaryLine {
  const line = kept?.ofSummaries.get(key);
  const isSame = kept && line !== undefined && keptLine(kept, line) === text;
  return { key, text, kept: isSame ? line : undefined };
}

function lineOf(terms: Terms, place: number, write: Write): string {
  const text = terms.texts[place] ?? "";
  const postings = terms.postingsOf(place);
  if (postings.length <= mostSections) return `${text}:${write(postings)}`;
  return `${text}:${totalMark(postings.length)}${write(heaviest(postings, mostSections))}`;
}

/** The `count` sections of greatest weight, in their order. */
function heaviest(postings: Uint32Array, count: number): Uint32Array {
  if (postings.length <= count) return postings;
  const having = new Uint32Array(mostWeight + 1);
  for (const posting of postings) {
    const weight = posting % sectionStep;
    having[weight] = (having[weight] ?? 0) + 1;
  }
  let least = mostWeight;
  let left = count;
  while (least > 1 && left > (having[least] ?? 0)) left -= having[least--] ?? 0;
  const kept = new Uint32Array(count);
  let end = 0;
  for (const posting of postings) {
    const weight = posting % sectionStep;
    if (weight < least || (weight === least && left-- <= 0)) continue;
    kept[end++] = posting;
  }
  return kept.subarray(0, end);
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

/** Works out the best sections of terms that begin alike: of few from their postings, of many from those of longer beginnings. */
class Summarizer {
  readonly summaries = new Map<string, Uint32Array>();
  readonly groups = new Map<string, KeptGroup>();
  readonly #terms: Terms;
  readonly #kept: KeptIndex | undefined;
  /** Characters of the lines before each. */
  readonly #sizes: Float64Array;

  constructor(terms: Terms, lines: TermTexts, kept: KeptIndex | undefined) {
    this.#terms = terms;
    this.#kept = kept;
    const { length } = terms.texts;
    this.#sizes = new Float64Array(length + 1);
    for (let place = 0; place < length; place += 1) {
      this.#sizes[place + 1] = (this.#sizes[place] ?? 0) + lines.lengthOf(place);
    }
    if (length > 0) this.#summarize({ from: 0, to: length }, 0);
  }

  /** The best sections of terms that share their first `length` characters; notes those of each beginning that needs it. */
  #summarize(range: Range, length: number): Uint32Array {
    const beginning = this.#terms.texts[range.from]?.slice(0, length) ?? "";
    const known = this.#keptBest(beginning, range);
    const isLong = range.to - range.from > 1 && this.#sizeOf(range) > summaryLength;
    const best = isLong
      ? this.#bestOfLonger(range, { length, known })
      : (known ?? this.#bestOfTerms(range));
    this.groups.set(beginning, { ...range, best });
    if (isLong && length > 0 && beginning.isWellFormed()) this.summaries.set(beginning, best);
    return best;
  }

  /** Goes on to longer beginnings also where the best sections are known: those have lines as well. */
  #bestOfLonger(
    range: Range,
    { length, known }: { readonly length: number; readonly known: Uint32Array | undefined },
  ): Uint32Array {
    const lists: Uint32Array[] = [];
    for (const part of this.#byNextCharacter(range, length)) {
      // The term that ends here is no beginning of others.
      const isEnd = this.#terms.texts[part.from]?.length === length;
      if (!isEnd) lists.push(this.#summarize(part, length + 1));
      else if (known === undefined) lists.push(this.#bestOfTerms(part));
    }
    return known ?? bestOf(lists);
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

  /** Where the terms are those of the kept index, so is what is best of them. */
  #keptBest(beginning: string, { from, to }: Range): Uint32Array | undefined {
    const known = this.#kept?.groups.get(beginning);
    if (known === undefined || known.to - known.from !== to - from) return undefined;
    // Kept numbers rise, so between the right ones at both ends there are no others.
    const isFirst = this.#terms.keptOf(from) === known.from;
    return isFirst && this.#terms.keptOf(to - 1) === known.to - 1 ? known.best : undefined;
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

/** Half a million are looked at: most are told by their characters, for a fifth of what the expressions cost. */
function isPlainWord(text: string): boolean {
  let at = 0;
  while (at < text.length && isLowerCase(text.charCodeAt(at))) at += 1;
  if (at === text.length) return at >= 4 && at <= 20;
  return text.charCodeAt(at) > 127 && plainWord.test(text) && !pairs.test(text);
}
