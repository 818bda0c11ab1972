import { bisect } from "../core/index.ts";
import { compareTexts } from "./inverted-index.ts";
import type { Terms } from "./inverted-index.ts";
import { readCachedLine } from "./cached-index.ts";
import type { ByteStore } from "./byte-store.ts";
import type { CachedLines } from "./cached-index.ts";

/** The lines of an index, sorted by key and accessed by number. */
export interface LineList {
  readonly count: number;
  /** Returns the text before the postings. */
  keyOf(line: number): string;
  /** Returns the length of the whole line in characters. */
  lengthOf(line: number): number;
  textOf(line: number): string;
  /** Returns the lines from `from` up to, but not including, `to`, which costs less than one by one. */
  textsOf(from: number, to: number): readonly string[];
  /** Returns the ordinal of the line's term; undefined for a summary line. */
  termOf(line: number): number | undefined;
  /** Returns the number of the identical cached line, if any. */
  cachedLineOf(line: number): number | undefined;
}

/** Provides the line of each term. It comes from the cache if the term has not changed, otherwise from `write`. */
export class TermLineTexts {
  /** The lines that were written, which are all lines if none is cached. */
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
      const term = cached && terms.cachedOrdinalOf(ordinal);
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
  cachedLineOf(ordinal: number): number | undefined {
    const term = this.#cachedOrdinals[ordinal] ?? -1;
    return term === -1 ? undefined : this.#cached?.numbers[term];
  }

  lengthOf(ordinal: number): number {
    return this.written.lengths[ordinal] ?? 0;
  }

  textOf(ordinal: number): string {
    const term = this.#cachedOrdinals[ordinal] ?? -1;
    if (term !== -1 && this.#cached) return readCachedLine(this.#cached, term);
    const { bytes, ends } = this.written;
    const start = ordinal === 0 ? 0 : (ends[ordinal - 1] ?? 0);
    return decoder.decode(bytes.read(start, ends[ordinal] ?? 0));
  }

  /** Returns the lines of the terms from `from` up to, but not including, `to`. */
  textsOf(from: number, to: number): string[] {
    const ordinals = Array.from({ length: to - from }, (_, at) => from + at);
    if (this.#cached || from === to) return ordinals.map((ordinal) => this.textOf(ordinal));
    const { bytes, ends, lengths } = this.written;
    const text = decoder.decode(
      bytes.read(from === 0 ? 0 : (ends[from - 1] ?? 0), ends[to - 1] ?? 0),
    );
    let end = 0;
    return ordinals.map((ordinal) => text.slice(end, (end += lengths[ordinal] ?? 0)));
  }
}

/** Text is appended to a store in pieces of about this size, because a buffer for each line would cost more. */
const pieceBytes = 64 * 1024;

/** Creates a writer that appends texts to a store. `length` includes what is not flushed yet. */
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
export interface SummaryLine {
  readonly key: string;
  readonly text: string;
  /** The number of the identical cached line, if any. */
  readonly cachedLine: number | undefined;
}

/** Merges the summary lines, which are also sorted, with the lines of terms. */
export function mergeLines(
  terms: Terms,
  texts: TermLineTexts,
  summaries: readonly SummaryLine[],
): LineList {
  const order = computeMergedOrder(terms.texts, summaries);
  const ordinalOf = (line: number) => order[line] ?? 0;
  const summaryOf = (line: number) => summaries[-1 - ordinalOf(line)];
  const isTerm = (line: number) => ordinalOf(line) >= 0;
  return {
    count: order.length,
    keyOf: (line) => (isTerm(line) ? terms.texts[ordinalOf(line)] : summaryOf(line)?.key) ?? "",
    lengthOf: (line) =>
      isTerm(line) ? texts.lengthOf(ordinalOf(line)) : (summaryOf(line)?.text.length ?? 0),
    textOf: (line) =>
      isTerm(line) ? texts.textOf(ordinalOf(line)) : (summaryOf(line)?.text ?? ""),
    textsOf(from, to) {
      const found: string[] = [];
      for (let line = from; line < to;) {
        const start = line;
        while (line < to && isTerm(line)) line += 1;
        // The terms between two summaries are consecutive.
        if (line > start) found.push(...texts.textsOf(ordinalOf(start), ordinalOf(line - 1) + 1));
        else found.push(summaryOf(line++)?.text ?? "");
      }
      return found;
    },
    termOf: (line) => (isTerm(line) ? ordinalOf(line) : undefined),
    cachedLineOf: (line) =>
      isTerm(line) ? texts.cachedLineOf(ordinalOf(line)) : summaryOf(line)?.cachedLine,
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
