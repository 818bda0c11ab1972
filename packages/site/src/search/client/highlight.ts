import { fold } from "../tokenize.ts";

/** A text in pieces, alternately plain and matched; the first is plain. */
export type Marked = readonly string[];

type Span = readonly [from: number, to: number];

const maxMarks = 40;
const excerptLength = 180;
/** Number of characters of context before the first match. */
const contextLength = 50;
/** If the excerpt would omit no more than this before the context, it starts at the beginning of the text. */
const maxLeadIn = 24;

/** Returns the whole text, with the words marked that begin with one of `words`. */
export function markWords(text: string, words: readonly string[]): Marked {
  return splitAtSpans(text, findSpans(text, words), [0, text.length]);
}

/** Returns the part of the text with the most matches. */
export function extractExcerpt(text: string, words: readonly string[]): Marked {
  const spans = findSpans(text, words);
  const counts = spans.map(
    ([from]) => spans.filter(([at]) => at >= from && at < from + 120).length,
  );
  const first = spans[counts.indexOf(Math.max(...counts))]?.[0] ?? 0;
  const start = first <= contextLength + maxLeadIn ? 0 : wordStart(text, first - contextLength);
  const end = wordEnd(text, start + excerptLength);
  const pieces = [...splitAtSpans(text, spans, [start, end])];
  if (start > 0) pieces[0] = `…${pieces[0]}`;
  if (end < text.length) {
    if (pieces.length % 2 === 0) pieces.push("");
    pieces[pieces.length - 1] += "…";
  }
  return pieces;
}

function splitAtSpans(text: string, spans: readonly Span[], [start, end]: Span): Marked {
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

/** Finds the spans where a word of the text begins with one of `words`; spans that touch are merged. */
function findSpans(text: string, words: readonly string[]): Span[] {
  const { folded, placeOf } = foldWithOffsets(text);
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

/** A letter with its marks; those of half-width kana are separate characters. */
const cluster = /[^][\p{M}\uff9e\uff9f]*/gu;

interface FoldedText {
  /** The text folded in the same way as terms. */
  readonly folded: string;
  /** Returns the offset in the text of a character of `folded`. */
  readonly placeOf: (at: number) => number;
}

function foldWithOffsets(text: string): FoldedText {
  if (!/[\u0080-\uffff]/.test(text)) return { folded: text.toLowerCase(), placeOf: (at) => at };
  let folded = "";
  const offsets: number[] = [];
  for (const { 0: letter, index } of text.matchAll(cluster)) {
    const plain = fold(letter);
    folded += plain;
    for (let at = 0; at < plain.length; at += 1) offsets.push(index);
  }
  return { folded, placeOf: (at) => offsets[at] ?? text.length };
}

/** A text is cut within a word if there is no space within this distance: some scripts do not use spaces. */
const maxSpaceDistance = 24;

function wordStart(text: string, near: number): number {
  if (near <= 0) return 0;
  const space = text.indexOf(" ", near - 1);
  return space === -1 || space - near > maxSpaceDistance ? near : space + 1;
}

function wordEnd(text: string, near: number): number {
  if (near >= text.length) return text.length;
  const space = text.lastIndexOf(" ", near);
  return near - space > maxSpaceDistance ? near : space;
}
