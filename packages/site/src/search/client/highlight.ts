import { fold } from "../tokenize.ts";

/** A text in pieces, plain ones and ones that were found in turns; the first is plain. */
export type Marked = readonly string[];

type Span = readonly [from: number, to: number];

const maxMarks = 40;
const excerptLength = 180;
/** What stands before the first word found. */
const before = 50;
/** A beginning that is no longer is shown with it: a sentence is read from its start. */
const shortBeginning = 24;

/** The whole text, with the words marked that begin with one of `words`. */
export function markWords(text: string, words: readonly string[]): Marked {
  return cutAt(text, findSpans(text, words), [0, text.length]);
}

/** The part of the text with the most words found. */
export function excerptOf(text: string, words: readonly string[]): Marked {
  const spans = findSpans(text, words);
  const counts = spans.map(
    ([from]) => spans.filter(([at]) => at >= from && at < from + 120).length,
  );
  const first = spans[counts.indexOf(Math.max(...counts))]?.[0] ?? 0;
  const start = first <= before + shortBeginning ? 0 : wordStart(text, first - before);
  const end = wordEnd(text, start + excerptLength);
  const pieces = [...cutAt(text, spans, [start, end])];
  if (start > 0) pieces[0] = `…${pieces[0]}`;
  if (end < text.length) {
    if (pieces.length % 2 === 0) pieces.push("");
    pieces[pieces.length - 1] += "…";
  }
  return pieces;
}

function cutAt(text: string, spans: readonly Span[], [start, end]: Span): Marked {
  const pieces: string[] = [];
  let done = start;
  for (const [from, to] of spans) {
    if (from < done || to > end) continue;
    pieces.push(text.slice(done, from), text.slice(from, to));
    done = to;
  }
  pieces.push(text.slice(done, end));
  return pieces;
}

/** Where words of the text begin with one of `words`; spans that touch are one. */
function findSpans(text: string, words: readonly string[]): Span[] {
  const { folded, placeOf } = foldInPlace(text);
  const spans: Span[] = [];
  for (const word of words) {
    let at = folded.indexOf(word);
    for (; at >= 0 && spans.length < maxMarks; at = folded.indexOf(word, at + word.length)) {
      if (at > 0 && /[a-z0-9]/.test(folded[at - 1] ?? "") && /^[a-z0-9]/.test(word)) continue;
      spans.push([placeOf(at), placeOf(at + word.length)]);
    }
  }
  const merged: Span[] = [];
  for (const [from, to] of spans.toSorted((a, b) => a[0] - b[0])) {
    const last = merged.at(-1);
    if (last && from <= last[1]) merged[merged.length - 1] = [last[0], Math.max(last[1], to)];
    else merged.push([from, to]);
  }
  return merged;
}

/** A letter with its marks; those of half-width kana are characters of their own. */
const cluster = /[^][\p{M}\uff9e\uff9f]*/gu;

interface FoldedText {
  /** As terms are made of it. */
  readonly folded: string;
  /** Where a character of it stands in the text. */
  readonly placeOf: (at: number) => number;
}

function foldInPlace(text: string): FoldedText {
  if (!/[\u0080-\uffff]/.test(text)) return { folded: text.toLowerCase(), placeOf: (at) => at };
  let folded = "";
  const places: number[] = [];
  for (const { 0: letter, index } of text.matchAll(cluster)) {
    const plain = fold(letter);
    folded += plain;
    for (let at = 0; at < plain.length; at += 1) places.push(index);
  }
  return { folded, placeOf: (at) => places[at] ?? text.length };
}

/** Farther than this from a blank a text is cut within a word: some scripts have no blanks. */
const maxCutLength = 24;

function wordStart(text: string, near: number): number {
  if (near <= 0) return 0;
  const blank = text.indexOf(" ", near - 1);
  return blank === -1 || blank - near > maxCutLength ? near : blank + 1;
}

function wordEnd(text: string, near: number): number {
  if (near >= text.length) return text.length;
  const blank = text.lastIndexOf(" ", near);
  return near - blank > maxCutLength ? near : blank;
}
