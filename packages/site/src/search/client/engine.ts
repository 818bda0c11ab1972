import { fold } from "../tokenize.ts";
import { matchQuery, type WordMatches } from "./find-terms.ts";
import { isFunctionWord } from "./function-words.ts";
import { createIndexParts, type SearchIndex } from "./index-parts.ts";
import { rank, type RankedSection } from "./rank.ts";
import { sortCandidates, spreadPages, type Candidate } from "./rerank.ts";

/** The search engine in the reader's browser. It loads only the bundle's scripts. */

interface SearchResult {
  /** The address of the section, relative to the bundle's root, including its anchor. */
  readonly href: string;
  readonly title: MarkedText;
  /** The heading; empty if it equals the title. */
  readonly heading: MarkedText;
  readonly breadcrumb: string;
  readonly excerpt: MarkedText;
}

const maxResults = 12;

/** Matches a heading that names a release by its version or date. */
const releaseHeading = /^v?\d+\.\d|\b20\d\d\b/i;
/** Minimum number of such headings in a changelog. */
const minReleases = 5;

async function readCandidate(index: SearchIndex, ranked: RankedSection): Promise<Candidate> {
  const [page, [id, heading, excerpt]] = await index.section(ranked.section);
  const [href, title, breadcrumb, sections] = page;
  const hasIntroduction = (sections[0]?.[2] ?? "") !== "";
  const isChangelog =
    sections.filter(([, name]) => releaseHeading.test(name)).length >= minReleases;
  return { ...ranked, href, title, breadcrumb, id, heading, excerpt, hasIntroduction, isChangelog };
}

/** Returns the words to highlight in results: the words of the query and the terms that match them. */
function listMarkedWords(
  text: string,
  names: readonly string[],
  matches: readonly WordMatches[],
): string[] {
  const terms = matches
    .filter(({ isExtra }) => !isExtra)
    .flatMap((word) => word.matches.flatMap((list) => list.slice(0, 3)).map(({ term }) => term));
  let plain = fold(text);
  for (const name of names) plain = plain.replaceAll(name, " ");
  const words = plain.match(/[\p{L}\p{N}\p{M}\u30fc]+/gu) ?? [];
  const content = words.filter((word) => !isFunctionWord(word));
  return [...new Set([...names, ...(content.length > 0 ? content : words), ...terms])];
}

async function search(indexes: readonly SearchIndex[], text: string): Promise<SearchResult[]> {
  const query = await matchQuery(indexes, text);
  if (query.words.length === 0) return [];
  const ranked = rank(indexes, query.matches);
  const candidates = indexes.flatMap((index, at) =>
    (ranked[at] ?? []).map((section) => readCandidate(index, section)),
  );
  const found = await Promise.all(candidates);
  const marked = listMarkedWords(text, query.names, query.matches);
  const candidatesToShow = spreadPages(sortCandidates(found, query));
  return candidatesToShow
    .slice(0, maxResults)
    .map(({ href, id, title, heading, breadcrumb, excerpt }) => ({
      href: id === "" ? href : `${href}#${encodeURIComponent(id)}`,
      title: markWords(title, marked),
      heading: heading === title ? [] : markWords(heading, marked),
      breadcrumb,
      excerpt: excerpt === "" ? [] : extractExcerpt(excerpt, marked),
    }));
}

function createSearch() {
  const { put, open: openIndex } = createIndexParts();
  let openIndexes: Promise<readonly SearchIndex[]> = Promise.resolve([]);
  return {
    put,
    /**
     * Loads the indexes that a page searches. `name` lists their names, separated by spaces; `files` is the path from
     * the page to the theme's files. Rejects if an index cannot be loaded, in which case it may be called again.
     */
    open({ files, name }: { readonly files: string; readonly name: string }): Promise<unknown> {
      const names = name.split(" ").filter((part) => part !== "");
      openIndexes = Promise.all(names.map((part) => openIndex(files, part)));
      return openIndexes;
    },
    query: async (text: string) => search(await openIndexes, text),
  };
}

Object.assign(globalThis, { octavoSearch: createSearch() });

/** A text split into segments that are alternately plain and highlighted. The first segment is plain. */
type MarkedText = readonly string[];

type Span = readonly [from: number, to: number];

const maxMarks = 40;
const excerptLength = 180;
/** Number of characters of context before the first match. */
const contextLength = 50;
/** If no more than this many characters precede the context, the excerpt starts at the beginning of the text. */
const maxLeadIn = 24;

/** Returns the whole text with matches at the beginning of words highlighted. */
function markWords(text: string, words: readonly string[]): MarkedText {
  return splitAtSpans(text, findSpans(text, words), [0, text.length]);
}

/** Returns the part of the text that contains the most matches. */
function extractExcerpt(text: string, words: readonly string[]): MarkedText {
  const spans = findSpans(text, words);
  const counts = spans.map(
    ([from]) => spans.filter(([at]) => at >= from && at < from + 120).length,
  );
  const first = spans[counts.indexOf(Math.max(...counts))]?.[0] ?? 0;
  const start = first <= contextLength + maxLeadIn ? 0 : findWordStart(text, first - contextLength);
  const end = findWordEnd(text, start + excerptLength);
  const pieces = [...splitAtSpans(text, spans, [start, end])];
  if (start > 0) pieces[0] = `…${pieces[0]}`;
  if (end < text.length) {
    if (pieces.length % 2 === 0) pieces.push("");
    pieces[pieces.length - 1] += "…";
  }
  return pieces;
}

function splitAtSpans(text: string, spans: readonly Span[], [start, end]: Span): MarkedText {
  const pieces: string[] = [];
  let copiedEnd = start;
  for (const [from, to] of spans) {
    if (from < copiedEnd || to > end) continue;
    pieces.push(text.slice(copiedEnd, from), text.slice(from, to));
    copiedEnd = to;
  }
  pieces.push(text.slice(copiedEnd, end));
  return pieces;
}

/** Finds the spans where a word of the text begins with one of `words`. Adjacent spans are merged. */
function findSpans(text: string, words: readonly string[]): Span[] {
  const { folded, placeOf } = foldWithOffsets(text);
  const spans: Span[] = [];
  for (const word of words) {
    let at = folded.indexOf(word);
    for (; at >= 0 && spans.length < maxMarks; at = folded.indexOf(word, at + word.length)) {
      if (at > 0 && /[a-z0-9]/.test(folded[at - 1] ?? "") && /^[!-~]/.test(word)) continue;
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

/** Matches a letter with its diacritics. The voicing marks of half-width kana are separate characters. */
const letterCluster = /[^][\p{M}\uff9e\uff9f]*/gu;

interface FoldedText {
  /** The text folded in the same way as terms. */
  readonly folded: string;
  /** Converts an offset in `folded` to the offset in the original text. */
  readonly placeOf: (at: number) => number;
}

function foldWithOffsets(text: string): FoldedText {
  if (!/[\u0080-\uffff]/.test(text)) return { folded: text.toLowerCase(), placeOf: (at) => at };
  let folded = "";
  const offsets: number[] = [];
  for (const { 0: letter, index } of text.matchAll(letterCluster)) {
    const plain = fold(letter);
    folded += plain;
    for (let at = 0; at < plain.length; at += 1) offsets.push(index);
  }
  return { folded, placeOf: (at) => offsets[at] ?? text.length };
}

/** If there is no space within this distance, a text is cut within a word, because some scripts do not use spaces. */
const maxSpaceDistance = 24;

function findWordStart(text: string, near: number): number {
  if (near <= 0) return 0;
  const space = text.indexOf(" ", near - 1);
  return space === -1 || space - near > maxSpaceDistance ? near : space + 1;
}

function findWordEnd(text: string, near: number): number {
  if (near >= text.length) return text.length;
  const space = text.lastIndexOf(" ", near);
  return near - space > maxSpaceDistance ? near : space;
}
