import { bisect } from "../core/index.ts";
import { compareTexts, type Terms } from "./inverted-index.ts";
import type { ByteStore } from "./byte-store.ts";
import type { CachedGroup, CachedIndex, CachedLines } from "./cached-index.ts";
import { maxWeight, summaryMark, formatTotalMark, capitalA } from "./postings.ts";
import { sectionStep } from "./terms.ts";
import { isLowerCase } from "./tokenize.ts";

/**
 * The terms of an index in the format that the reader's browser reads: sorted lines `term:postings`.
 *
 * The size of the data that a search loads must not grow with the site, so two kinds of lines contain only the best
 * sections. A summary, `be*:postings`, contains the best sections of all terms with the prefix `be`, if their lines
 * fill more than a chunk. `the:~n~postings` contains the best sections of a term that is in too many sections; `n` is
 * the number of these sections, in base 36.
 */
interface TermLines {
  readonly lines: LineList;
  /** The lines of terms that are not in the cached index. */
  readonly written: WrittenLines;
  /** Prefixes that have a summary. For these, the reader's browser loads only the summary. */
  readonly summaries: readonly string[];
  /** Words to which typos are corrected. The most frequent words come first. */
  readonly vocabulary: readonly string[];
  /** The groups of terms whose best sections were computed, by prefix. */
  readonly groups: ReadonlyMap<string, CachedGroup>;
}

/** A prefix whose terms have longer lines than this in total, in characters, gets a summary. */
const maxUnsummarizedLength = 48 * 1024;
const maxSummarySections = 100;
/** Maximum number of sections in the line of a term, which then takes about 50 KB. */
const maxTermSections = 16_384;
/** Maximum number of words, about 200 KB. They are loaded the first time that a word is not found. */
const maxVocabularySize = 25_000;

const digits = Buffer.from("0123456789abcdefghijklmnopqrstuvwxyz");

/** Maximum length of a posting: the largest gap in base 36 and a letter. */
const maxPostingLength = 8;

/**
 * Builds the lines. Takes the lines and best sections of unchanged terms from the cached index, and writes other lines
 * to `store`.
 */
export function createTermLines(
  terms: Terms,
  { cached, store }: { readonly cached: CachedIndex | undefined; readonly store: ByteStore },
): TermLines {
  const write = createPostingWriter();
  const texts = new TermLineTexts(terms, (ordinal) => formatTermLine(terms, ordinal, write), {
    cached: cached?.lines,
    store,
  });
  const { summaries, groups } = new Summarizer(terms, texts, cached);
  const summaryLines = Array.from(summaries, ([prefix, best]) => {
    const key = prefix + summaryMark;
    return createSummaryLine(key, `${key}:${write(best)}`, cached?.lines);
  });
  const sorted = summaryLines.toSorted((a, b) => compareTexts(a.key, b.key));
  return {
    lines: mergeLines(terms, texts, sorted),
    written: texts.written,
    summaries: [...summaries.keys()],
    vocabulary: collectVocabulary(terms),
    groups,
  };
}

type WritePostings = (postings: Uint32Array) => string;

/** Builds a summary line. Most summary lines equal the cached line, but they are built every time. */
function createSummaryLine(
  key: string,
  text: string,
  cached: CachedLines | undefined,
): SummaryLine {
  const cachedSummary = cached?.summaries.get(key);
  return { key, text, cachedLine: cachedSummary?.text === text ? cachedSummary.number : undefined };
}

function formatTermLine(terms: Terms, ordinal: number, write: WritePostings): string {
  const text = terms.texts[ordinal] ?? "";
  const postings = terms.getPostings(ordinal);
  if (postings.length <= maxTermSections) return `${text}:${write(postings)}`;
  return `${text}:${formatTotalMark(postings.length)}${write(selectHeaviest(postings, maxTermSections))}`;
}

/**
 * Returns the postings of the `count` sections with the greatest weights, in the order of sections. Loops over indexes,
 * because lists may have hundreds of thousands of postings, and an iterator creates an object for each posting until
 * the loop is compiled.
 */
function selectHeaviest(postings: Uint32Array, count: number): Uint32Array {
  const { length } = postings;
  if (length <= count) return postings;
  const counts = new Uint32Array(maxWeight + 1);
  for (let at = 0; at < length; at += 1) {
    const weight = getWeight(postings[at] ?? 0);
    counts[weight] = (counts[weight] ?? 0) + 1;
  }
  let minWeight = maxWeight;
  let remaining = count;
  while (minWeight > 1 && remaining > (counts[minWeight] ?? 0))
    remaining -= counts[minWeight--] ?? 0;
  const chosen = new Uint32Array(count);
  let end = 0;
  for (let at = 0; at < length; at += 1) {
    const posting = postings[at] ?? 0;
    const weight = getWeight(posting);
    if (weight < minWeight || (weight === minWeight && remaining-- <= 0)) continue;
    chosen[end++] = posting;
  }
  return chosen.subarray(0, end);
}

/** Returns the posting modulo `sectionStep`, a power of two. `%` would take longer until it is compiled. */
function getWeight(posting: number): number {
  return posting & (sectionStep - 1);
}

/** Returns the best sections of several terms. The weight of a section is its greatest weight among the terms. */
function selectBest(lists: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  all.sort();
  let distinctCount = 0;
  let last = -1;
  for (let at = 0; at < all.length; at += 1) {
    const posting = all[at] ?? 0;
    const section = Math.floor(posting / sectionStep);
    // A section's posting with the greatest weight comes last.
    if (section !== last) distinctCount += 1;
    all[distinctCount - 1] = posting;
    last = section;
  }
  return selectHeaviest(all.subarray(0, distinctCount), maxSummarySections);
}

interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * Finds the best sections of terms with a common prefix. A few terms are summarized from their postings; many terms are
 * summarized from the summaries of longer prefixes.
 */
class Summarizer {
  readonly summaries = new Map<string, Uint32Array>();
  readonly groups = new Map<string, CachedGroup>();
  readonly #terms: Terms;
  readonly #cached: CachedIndex | undefined;
  /** The offset in characters that each term's line would have if all lines were concatenated. */
  readonly #offsets: Float64Array;
  /** For each term, the number of terms before it that differ from the terms of the cached index. */
  readonly #changedBefore: Uint32Array;

  constructor(terms: Terms, lines: TermLineTexts, cached: CachedIndex | undefined) {
    this.#terms = terms;
    this.#cached = cached;
    const { length } = terms.texts;
    this.#offsets = new Float64Array(length + 1);
    this.#changedBefore = new Uint32Array(length + 1);
    for (let ordinal = 0; ordinal < length; ordinal += 1) {
      const isChanged = terms.findCachedOrdinal(ordinal) === undefined;
      this.#offsets[ordinal + 1] = (this.#offsets[ordinal] ?? 0) + lines.getLength(ordinal);
      this.#changedBefore[ordinal + 1] = (this.#changedBefore[ordinal] ?? 0) + Number(isChanged);
    }
    if (length > 0) this.#summarize({ from: 0, to: length }, 0);
  }

  /** Returns the best sections of terms that share their first `length` characters. */
  #summarize(range: Range, length: number): Uint32Array {
    const prefix = this.#terms.texts[range.from]?.slice(0, length) ?? "";
    const cached = this.#findCachedBest(prefix, range);
    const isLong = range.to - range.from > 1 && this.#measureLength(range) > maxUnsummarizedLength;
    const best = isLong
      ? this.#selectBestOfLongerPrefixes(range, { length, cached })
      : (cached ?? this.#selectBestOfTerms(range));
    this.groups.set(prefix, { ...range, best });
    if (isLong && length > 0 && prefix.isWellFormed()) this.summaries.set(prefix, best);
    return best;
  }

  /** Visits longer prefixes even if the best sections are cached, because those prefixes have summaries too. */
  #selectBestOfLongerPrefixes(
    range: Range,
    { length, cached }: { readonly length: number; readonly cached: Uint32Array | undefined },
  ): Uint32Array {
    const lists: Uint32Array[] = [];
    for (const part of this.#splitByNextCharacter(range, length)) {
      // A term that equals the prefix is not a group.
      const isEnd = this.#terms.texts[part.from]?.length === length;
      if (!isEnd) lists.push(this.#summarize(part, length + 1));
      else if (cached === undefined) lists.push(this.#selectBestOfTerms(part));
    }
    return cached ?? selectBest(lists);
  }

  #splitByNextCharacter({ from, to }: Range, length: number): Range[] {
    const parts: Range[] = [];
    let start = from;
    const getCode = (ordinal: number) => this.#terms.texts[ordinal]?.charCodeAt(length);
    let code = getCode(from);
    for (let ordinal = from + 1; ordinal <= to; ordinal += 1) {
      const next = ordinal < to ? getCode(ordinal) : undefined;
      if (next === code) continue;
      parts.push({ from: start, to: ordinal });
      start = ordinal;
      code = next;
    }
    return parts;
  }

  #selectBestOfTerms({ from, to }: Range): Uint32Array {
    const lists: Uint32Array[] = [];
    for (let ordinal = from; ordinal < to; ordinal += 1) {
      lists.push(selectHeaviest(this.#terms.getPostings(ordinal), maxSummarySections).slice());
    }
    return selectBest(lists);
  }

  #measureLength({ from, to }: Range): number {
    return (this.#offsets[to] ?? 0) - (this.#offsets[from] ?? 0);
  }

  /** Returns undefined if the range does not consist of the same terms as in the cached index. */
  #findCachedBest(prefix: string, { from, to }: Range): Uint32Array | undefined {
    const cached = this.#cached?.groups.get(prefix);
    if (cached === undefined || cached.to - cached.from !== to - from) return undefined;
    if (this.#changedBefore[from] !== this.#changedBefore[to]) return undefined;
    // All terms are cached, and cached ordinals ascend. If both ends match and the counts are equal, the terms are the
    // same.
    const isFirst = this.#terms.findCachedOrdinal(from) === cached.from;
    return isFirst && this.#terms.findCachedOrdinal(to - 1) === cached.to - 1
      ? cached.best
      : undefined;
  }
}

const plainWord = /^\p{L}{4,20}$/u;
/** Scripts that are split into bigrams, for which similarity is meaningless. */
const bigramScripts = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function collectVocabulary(terms: Terms): string[] {
  const words: number[] = [];
  for (let ordinal = 0; ordinal < terms.texts.length; ordinal += 1)
    if (isPlainWord(terms.texts[ordinal] ?? "")) words.push(ordinal);
  const byCount = Map.groupBy(words, (ordinal) => terms.countSections(ordinal));
  return Array.from(byCount.keys())
    .toSorted((a, b) => b - a)
    .flatMap((count) => byCount.get(count) ?? [])
    .slice(0, maxVocabularySize)
    .map((ordinal) => terms.texts[ordinal] ?? "");
}

/**
 * Reports whether a term is a plain word. It is called for half a million terms, so character codes decide most cases,
 * at a fifth of the cost of the regular expressions.
 */
function isPlainWord(text: string): boolean {
  let at = 0;
  while (at < text.length && isLowerCase(text.charCodeAt(at))) at += 1;
  if (at === text.length) return at >= 4 && at <= 20;
  return text.charCodeAt(at) > 127 && plainWord.test(text) && !bigramScripts.test(text);
}

/**
 * Creates a function that formats postings as described in `postings.ts`. An export formats millions of postings, so
 * they are written as bytes into one reused buffer rather than concatenated from strings.
 */
function createPostingWriter(): (postings: Uint32Array) => string {
  let bytes = Buffer.alloc(4096);
  return (postings) => {
    const maxBytes = postings.length * maxPostingLength;
    if (bytes.length < maxBytes) bytes = Buffer.alloc(maxBytes * 2);
    let length = 0;
    let lastSection = 0;
    for (let at = 0; at < postings.length; at += 1) {
      const posting = postings[at] ?? 0;
      const weight = posting % sectionStep;
      const section = (posting - weight) / sectionStep;
      const gap = section - lastSection;
      if (gap < 36) bytes[length++] = digits[gap] ?? 0;
      else length = writeBase36(bytes, length, gap);
      bytes[length++] = capitalA - 1 + weight;
      lastSection = section;
    }
    return bytes.toString("latin1", 0, length);
  };
}

/** Writes a number and returns the offset after it. */
function writeBase36(bytes: Uint8Array, start: number, value: number): number {
  let end = start + 1;
  for (let rest = value; rest >= 36; rest = Math.floor(rest / 36)) end += 1;
  let rest = value;
  for (let at = end - 1; at >= start; at -= 1) {
    bytes[at] = digits[rest % 36] ?? 0;
    rest = Math.floor(rest / 36);
  }
  return end;
}

/** The lines of an index, sorted by key and accessed by number. */
export interface LineList {
  readonly count: number;
  /** Returns the text before the postings. */
  getKey(line: number): string;
  /** Returns the length of the whole line in characters. */
  getLength(line: number): number;
  getText(line: number): string;
  /** Returns the lines from `from` up to, but not including, `to`, which costs less than getting them one by one. */
  getTexts(from: number, to: number): readonly string[];
  /** Returns the ordinal of the line's term, or undefined for a summary line. */
  findTerm(line: number): number | undefined;
  /** Returns the number of the identical cached line, if any. */
  findCachedLine(line: number): number | undefined;
}

/**
 * Provides the line of each term, which comes from the cache if the term has not changed, and from `write` if it has.
 */
class TermLineTexts {
  /** The lines that were written. If there are no cached lines, these are all lines. */
  readonly written: WrittenLines;
  readonly #cached: CachedLines | undefined;
  /** The ordinal of each term in the cached index; -1 if its line was written. */
  readonly #cachedOrdinals: Int32Array;

  constructor(
    terms: Terms,
    write: (ordinal: number) => string,
    { cached, store }: { readonly cached: CachedLines | undefined; readonly store: ByteStore },
  ) {
    const { length } = terms.texts;
    this.#cached = cached;
    this.#cachedOrdinals = new Int32Array(length).fill(-1);
    const [ends, lengths] = [new Uint32Array(length), new Uint32Array(length)];
    const writer = createTextWriter(store);
    for (let ordinal = 0; ordinal < length; ordinal += 1) {
      const term = cached && terms.findCachedOrdinal(ordinal);
      if (term === undefined) {
        const line = write(ordinal);
        writer.write(line);
        lengths[ordinal] = line.length;
      } else {
        this.#cachedOrdinals[ordinal] = term;
        lengths[ordinal] = cached?.lengths[term] ?? 0;
      }
      ends[ordinal] = writer.length();
    }
    writer.flush();
    this.written = { bytes: store, ends, lengths };
  }

  /** Returns the number of the identical cached line, if any. */
  findCachedLine(ordinal: number): number | undefined {
    const term = this.#cachedOrdinals[ordinal] ?? -1;
    return term === -1 ? undefined : this.#cached?.numbers[term];
  }

  getLength(ordinal: number): number {
    return this.written.lengths[ordinal] ?? 0;
  }

  readText(ordinal: number): string {
    const term = this.#cachedOrdinals[ordinal] ?? -1;
    if (term !== -1 && this.#cached) return readCachedLine(this.#cached, term);
    const { bytes, ends } = this.written;
    const start = ordinal === 0 ? 0 : (ends[ordinal - 1] ?? 0);
    return decoder.decode(bytes.read(start, ends[ordinal] ?? 0));
  }

  /** Returns the lines of the terms from `from` up to, but not including, `to`. */
  readTexts(from: number, to: number): string[] {
    const ordinals = Array.from({ length: to - from }, (_, at) => from + at);
    if (this.#cached || from === to) return ordinals.map((ordinal) => this.readText(ordinal));
    const { bytes, ends, lengths } = this.written;
    const text = decoder.decode(
      bytes.read(from === 0 ? 0 : (ends[from - 1] ?? 0), ends[to - 1] ?? 0),
    );
    let end = 0;
    return ordinals.map((ordinal) => text.slice(end, (end += lengths[ordinal] ?? 0)));
  }
}

/** The size of the chunks in which text is appended to a store, because a buffer for each line would cost more. */
const pieceBytes = 64 * 1024;

/** Creates a writer that appends text to a store. `length` includes text that has not been flushed yet. */
function createTextWriter(store: ByteStore): {
  readonly write: (text: string) => void;
  readonly length: () => number;
  readonly flush: () => void;
} {
  const piece = Buffer.allocUnsafe(pieceBytes);
  let size = 0;
  const flush = () => {
    store.append(piece.subarray(0, size));
    size = 0;
  };
  return {
    write(text) {
      // A character becomes at most three bytes.
      if (size + 3 * text.length > pieceBytes) flush();
      if (3 * text.length > pieceBytes) store.append(Buffer.from(text));
      else size += piece.write(text, size);
    },
    length: () => store.length + size,
    flush,
  };
}

const decoder = new TextDecoder();

/** The lines of terms in the format of `CachedLines`. */
export type WrittenLines = Pick<CachedLines, "bytes" | "ends" | "lengths">;

/** The line of a prefix: the best sections of all terms that begin with it. */
interface SummaryLine {
  readonly key: string;
  readonly text: string;
  /** The number of the identical cached line, if any. */
  readonly cachedLine: number | undefined;
}

/** Merges the summary lines, which are also sorted, with the lines of terms. */
function mergeLines(
  terms: Terms,
  texts: TermLineTexts,
  summaries: readonly SummaryLine[],
): LineList {
  const order = computeMergedOrder(terms.texts, summaries);
  const getOrdinal = (line: number) => order[line] ?? 0;
  const getSummary = (line: number) => summaries[-1 - getOrdinal(line)];
  const isTerm = (line: number) => getOrdinal(line) >= 0;
  return {
    count: order.length,
    getKey: (line) => (isTerm(line) ? terms.texts[getOrdinal(line)] : getSummary(line)?.key) ?? "",
    getLength: (line) =>
      isTerm(line) ? texts.getLength(getOrdinal(line)) : (getSummary(line)?.text.length ?? 0),
    getText: (line) =>
      isTerm(line) ? texts.readText(getOrdinal(line)) : (getSummary(line)?.text ?? ""),
    getTexts(from, to) {
      const found: string[] = [];
      for (let line = from; line < to;) {
        const start = line;
        while (line < to && isTerm(line)) line += 1;
        // The terms between two summaries are consecutive.
        if (line > start)
          found.push(...texts.readTexts(getOrdinal(start), getOrdinal(line - 1) + 1));
        else found.push(getSummary(line++)?.text ?? "");
      }
      return found;
    },
    findTerm: (line) => (isTerm(line) ? getOrdinal(line) : undefined),
    findCachedLine: (line) =>
      isTerm(line) ? texts.findCachedLine(getOrdinal(line)) : getSummary(line)?.cachedLine,
  };
}

/**
 * Returns the order of the lines. A line of a term is represented by the term's ordinal, a summary line by -1 minus its
 * number. The mark in a summary's key sorts before all characters of terms.
 */
function computeMergedOrder(
  texts: readonly string[],
  summaries: readonly SummaryLine[],
): Int32Array {
  const order = new Int32Array(texts.length + summaries.length);
  let ordinal = 0;
  let line = 0;
  for (const [number, { key }] of summaries.entries()) {
    const isBefore = (at: number) => compareTexts(texts[at] ?? "", key) < 0;
    for (const end = bisect(ordinal, texts.length, isBefore); ordinal < end; ordinal += 1)
      order[line++] = ordinal;
    order[line++] = -1 - number;
  }
  for (; ordinal < texts.length; ordinal += 1) order[line++] = ordinal;
  return order;
}

/** Returns the line of a term. */
function readCachedLine({ bytes, ends }: CachedLines, ordinal: number): string {
  return decoder.decode(
    bytes.read(ordinal === 0 ? 0 : (ends[ordinal - 1] ?? 0), ends[ordinal] ?? 0),
  );
}
