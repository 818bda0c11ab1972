import { fold, listQueryWords, splitCamelCaseNames, tokenize } from "../tokenize.ts";
import { findSimilarTerms, findTerms, type Match } from "./find-terms.ts";
import { createIndexParts, type SearchIndex } from "./index-parts.ts";
import { maxPerPage, rank, type Ranked, type WordMatches } from "./rank.ts";

/** The search engine in the reader's browser. It loads only scripts of the bundle. */

interface SearchResult {
  /** Relative to the bundle's root, with the anchor. */
  readonly href: string;
  readonly title: Marked;
  /** Empty if it equals the title. */
  readonly heading: Marked;
  readonly breadcrumb: string;
  readonly excerpt: Marked;
}

/** A ranked section with the data that results show for it. */
interface Candidate extends Ranked {
  readonly href: string;
  readonly title: string;
  readonly breadcrumb: string;
  readonly id: string;
  readonly heading: string;
  readonly excerpt: string;
}

const maxResults = 12;
const maxWords = 12;

/** Returns, for each index, the words of a query with the terms that match them. */
async function matchQuery(indexes: readonly SearchIndex[], text: string): Promise<WordMatches[][]> {
  const parts = splitCamelCaseNames(text);
  const { words, names } = tokenize(text, false);
  const required = [...new Set(words)]
    .slice(0, maxWords)
    .map((word) => matchWord(indexes, word, parts.get(word) ?? []));
  const extra = names.slice(0, maxWords).map((name) => matchInAll(indexes, name, findTerms));
  const found = [
    ...(await Promise.all(required)).flat().map((lists) => ({ lists, isExtra: false })),
    ...(await Promise.all(extra)).map((lists) => ({ lists, isExtra: true })),
  ];
  return indexes.map((_, at) =>
    found.map(({ lists, isExtra }) => ({ matches: lists[at] ?? [], isExtra })),
  );
}

/**
 * Finds the terms for a word. A word that no index contains is split into the parts of its camelCase name, or otherwise
 * treated as a typo.
 */
async function matchWord(
  indexes: readonly SearchIndex[],
  word: string,
  parts: readonly string[],
): Promise<Match[][][]> {
  const lists = await matchInAll(indexes, word, findTerms);
  if (lists.some((list) => list.length > 0)) return [lists];
  if (parts.length === 0) return [await matchInAll(indexes, word, findSimilarTerms)];
  return Promise.all(parts.map((part) => matchInAll(indexes, part, findTerms)));
}

function matchInAll(
  indexes: readonly SearchIndex[],
  word: string,
  find: (index: SearchIndex, word: string) => Promise<Match[]>,
): Promise<Match[][]> {
  return Promise.all(indexes.map((index) => find(index, word)));
}

async function lookUp(index: SearchIndex, ranked: Ranked): Promise<Candidate> {
  const [[href, title, breadcrumb], [id, heading, excerpt]] = await index.section(ranked.section);
  return { ...ranked, href, title, breadcrumb, id, heading, excerpt };
}

/** Returns the bonus of a section whose heading or text contains the words of the query in the same order. */
function phraseBonus(words: readonly string[], { heading, excerpt }: Candidate): number {
  const inHeading = listQueryWords(heading);
  // The reader may still be typing the last word.
  const phrase = ` ${words.join(" ")}`;
  const inText =
    words.length > 1 && ` ${listQueryWords(excerpt).join(" ")}`.includes(phrase) ? 0.5 : 0;
  const whole = ` ${inHeading.join(" ")}`;
  if (whole === phrase) return inText + 2;
  if (whole.includes(phrase)) return inText + 1;
  const hasAll = words.every((word) => inHeading.some((other) => other.startsWith(word)));
  return inText + (hasAll ? 0.5 : 0);
}

/** Sorts the candidates again: by the number of words of the query, then by score with the phrase bonus. */
function rerank(candidates: readonly Candidate[], words: readonly string[]): Candidate[] {
  const scored = candidates.map((entry) => ({
    entry,
    score: entry.score * (1 + phraseBonus(words, entry)),
  }));
  return scored
    .toSorted((a, b) => b.entry.words - a.entry.words || b.score - a.score)
    .map(({ entry }) => entry);
}

/** Returns the words to highlight in results: the words of the query, and terms that match them. */
function markedWords(text: string, matches: readonly WordMatches[]): string[] {
  const terms = matches.flatMap((word) => word.matches.slice(0, 3).map(({ term }) => term));
  const words = fold(text).match(/[\p{L}\p{N}\p{M}\u30fc]+/gu) ?? [];
  return [...new Set([...words, ...terms])];
}

async function search(indexes: readonly SearchIndex[], text: string): Promise<SearchResult[]> {
  const words = listQueryWords(text);
  if (words.length === 0) return [];
  const matches = await matchQuery(indexes, text);
  const candidates = indexes.map((index, at) =>
    rank(index, matches[at] ?? []).map((ranked) => lookUp(index, ranked)),
  );
  const found = await Promise.all(candidates.flat());
  const marked = markedWords(text, matches.flat());
  const counts = new Map<string, number>();
  const shown = rerank(found, words).filter(({ href }) => {
    counts.set(href, (counts.get(href) ?? 0) + 1);
    return (counts.get(href) ?? 0) <= maxPerPage;
  });
  return shown.slice(0, maxResults).map(({ href, id, title, heading, breadcrumb, excerpt }) => ({
    href: id === "" ? href : `${href}#${encodeURIComponent(id)}`,
    title: markWords(title, marked),
    heading: heading === title ? [] : markWords(heading, marked),
    breadcrumb,
    excerpt: extractExcerpt(excerpt, marked),
  }));
}

function createSearch() {
  const { put, open: openIndex } = createIndexParts();
  let opened: Promise<readonly SearchIndex[]> = Promise.resolve([]);
  return {
    put,
    /**
     * Loads the indexes that a page searches: `name` lists their names, separated by spaces, and `root` is the path
     * from the page to the bundle's root. Rejects if an index cannot be loaded; it may then be called again.
     */
    open({ root, name }: { readonly root: string; readonly name: string }): Promise<unknown> {
      const names = name.split(" ").filter((part) => part !== "");
      opened = Promise.all(names.map((part) => openIndex(root, part)));
      return opened;
    },
    query: async (text: string) => search(await opened, text),
  };
}

Object.assign(globalThis, { octavoSearch: createSearch() });

/** A text in pieces, alternately plain and matched; the first is plain. */
type Marked = readonly string[];

type Span = readonly [from: number, to: number];

const maxMarks = 40;
const excerptLength = 180;
/** Number of characters of context before the first match. */
const contextLength = 50;
/** If the excerpt would omit no more than this before the context, it starts at the beginning of the text. */
const maxLeadIn = 24;

/** Returns the whole text, with the words marked that begin with one of `words`. */
function markWords(text: string, words: readonly string[]): Marked {
  return splitAtSpans(text, findSpans(text, words), [0, text.length]);
}

/** Returns the part of the text with the most matches. */
function extractExcerpt(text: string, words: readonly string[]): Marked {
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
