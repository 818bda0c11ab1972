import { compareTexts } from "./inverted-index.ts";
import type { Term } from "./inverted-index.ts";
import { keptLine } from "./kept-index.ts";
import type { KeptGroup, KeptIndex, KeptLines } from "./kept-index.ts";
import { mostWeight, summaryMark, totalMark } from "./postings.ts";
import { sectionStep } from "./page-words.ts";
import { createPostingWriter } from "./write-postings.ts";

/**
 * The terms of one index as the reader's browser takes them: sorted lines `term:postings`.
 *
 * What a search loads may not grow with the site, so two kinds of lines stand for more than they hold.
 * `be*:postings` are the best sections of all terms that begin with `be`, where these fill a chunk and more.
 * `the:~n~postings` are the best of the `n` sections (in base 36) with a term that stands nearly everywhere.
 */
export interface TermLines {
  readonly lines: readonly Line[];
  /** Beginnings that have a line of their own; the reader's browser loads no other terms for them. */
  readonly summaries: readonly string[];
  /** Those that typing errors are led to, the most used first. */
  readonly vocabulary: readonly string[];
  /** Of beginnings whose best sections were worked out. */
  readonly groups: ReadonlyMap<string, KeptGroup>;
}

/** A line of a term or, where `term` is undefined, of a beginning. */
export interface Line {
  /** What stands before the postings. */
  readonly key: string;
  /** Characters of the whole line. */
  readonly length: number;
  readonly term: number | undefined;
  /** Its number among the kept lines, where it is one of them. */
  readonly kept: number | undefined;
  text(): string;
}

/** Characters of terms and postings that one beginning may bring along. */
const summaryLength = 48 * 1024;
const summarySections = 100;
/** Sections that a term names, about 50 KB. */
const mostSections = 16_384;
/** About 200 KB, which are loaded at the first word that is not found. */
const vocabularySize = 25_000;

/** Takes sorted terms. Of those that are in `kept` neither lines nor best sections are made again. */
export function termLines(terms: readonly Term[], kept?: KeptIndex): TermLines {
  const write = createPostingWriter();
  const own = terms.map((term, number) => termLine(term, number, { write, kept: kept?.lines }));
  const { summaries, groups } = new Summarizer(terms, own, kept);
  const summaryLines = Array.from(summaries, ([beginning, best]) => {
    const key = beginning + summaryMark;
    return madeLine(key, `${key}:${write(best)}`, kept?.lines);
  });
  return {
    lines: mergeLines(
      own,
      summaryLines.toSorted((a, b) => compareTexts(a.key, b.key)),
    ),
    summaries: [...summaries.keys()],
    vocabulary: vocabularyOf(terms),
    groups,
  };
}

type Write = (postings: Uint32Array) => string;

function termLine(
  term: Term,
  number: number,
  { write, kept }: { readonly write: Write; readonly kept: KeptLines | undefined },
): Line {
  const line = term.kept === undefined ? undefined : kept?.ofTerms[term.kept];
  if (kept !== undefined && line !== undefined)
    return lineAt(kept, line, { key: term.text, term: number });
  const text = lineOf(term, write);
  return { key: term.text, length: text.length, term: number, kept: undefined, text: () => text };
}

/** A line of a beginning is made each time; most come out as they were. */
function madeLine(key: string, text: string, kept: KeptLines | undefined): Line {
  const line = kept?.ofSummaries.get(key);
  const isSame = kept && line !== undefined && keptLine(kept, line) === text;
  return {
    key,
    length: text.length,
    term: undefined,
    kept: isSame ? line : undefined,
    text: () => text,
  };
}

function lineAt(
  kept: KeptLines,
  line: number,
  about: { readonly key: string; readonly term: number },
): Line {
  return {
    ...about,
    length: kept.lengths[line] ?? 0,
    kept: line,
    text: () => keptLine(kept, line),
  };
}

/** Two sorted lists as one. The marks of beginnings sort before what terms are made of. */
function mergeLines(terms: readonly Line[], summaries: readonly Line[]): Line[] {
  const lines: Line[] = [];
  let start = 0;
  for (const summary of summaries) {
    let end = start;
    for (let after = terms.length; end < after;) {
      const middle = (end + after) >>> 1;
      if (compareTexts(terms[middle]?.key ?? "", summary.key) < 0) end = middle + 1;
      else after = middle;
    }
    for (const line of terms.slice(start, end)) lines.push(line);
    lines.push(summary);
    start = end;
  }
  for (const line of terms.slice(start)) lines.push(line);
  return lines;
}

function lineOf({ text, postings }: Term, write: (postings: Uint32Array) => string): string {
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
  readonly #terms: readonly Term[];
  readonly #kept: KeptIndex | undefined;
  /** Characters of the lines before each. */
  readonly #sizes: Float64Array;

  constructor(terms: readonly Term[], lines: readonly Line[], kept: KeptIndex | undefined) {
    this.#terms = terms;
    this.#kept = kept;
    this.#sizes = new Float64Array(lines.length + 1);
    for (const [number, line] of lines.entries()) {
      this.#sizes[number + 1] = (this.#sizes[number] ?? 0) + line.length;
    }
    if (terms.length > 0) this.#summarize({ from: 0, to: terms.length }, 0);
  }

  /** The best sections of terms that share their first `length` characters; notes those of each beginning that needs it. */
  #summarize(range: Range, length: number): Uint32Array {
    const beginning = this.#terms[range.from]?.text.slice(0, length) ?? "";
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
      const isEnd = this.#terms[part.from]?.text.length === length;
      if (!isEnd) lists.push(this.#summarize(part, length + 1));
      else if (known === undefined) lists.push(this.#bestOfTerms(part));
    }
    return known ?? bestOf(lists);
  }

  #byNextCharacter({ from, to }: Range, length: number): Range[] {
    const parts: Range[] = [];
    let start = from;
    const codeAt = (number: number) => this.#terms[number]?.text.charCodeAt(length);
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
    const terms = this.#terms.slice(from, to);
    return bestOf(terms.map(({ postings }) => heaviest(postings, summarySections)));
  }

  #sizeOf({ from, to }: Range): number {
    return (this.#sizes[to] ?? 0) - (this.#sizes[from] ?? 0);
  }

  /** Where the terms are those of the kept index, so is what is best of them. */
  #keptBest(beginning: string, { from, to }: Range): Uint32Array | undefined {
    const known = this.#kept?.groups.get(beginning);
    if (known === undefined || known.to - known.from !== to - from) return undefined;
    // Kept numbers rise, so between the right ones at both ends there are no others.
    const isFirst = this.#terms[from]?.kept === known.from;
    return isFirst && this.#terms[to - 1]?.kept === known.to - 1 ? known.best : undefined;
  }
}

const latinWord = /^[a-z]{4,20}$/;
const plainWord = /^\p{L}{4,20}$/u;
/** Scripts that are cut into pairs have no letters to miss. */
const pairs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function vocabularyOf(terms: readonly Term[]): string[] {
  return terms
    .filter(({ text }) => isPlainWord(text))
    .toSorted((a, b) => b.postings.length - a.postings.length)
    .slice(0, vocabularySize)
    .map(({ text }) => text);
}

/** Most words are told by the first expression, which costs a tenth of the others. */
function isPlainWord(text: string): boolean {
  return latinWord.test(text) || (plainWord.test(text) && !pairs.test(text));
}
