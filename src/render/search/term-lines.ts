import {
  heaviest,
  mergeLists,
  PostingCollector,
  writePostings,
  type PostingList,
} from "./posting-lists.ts";
import { mostWeight, summaryMark, totalMark, weightCode } from "./postings.ts";
import type { SectionTerms } from "./terms.ts";

/**
 * The terms of one index as the reader's browser takes them: sorted lines `term:postings`.
 *
 * What a search loads may not grow with the site, so two kinds of lines stand for more than they hold.
 * `be*:postings` are the best sections of all terms that begin with `be`, where these fill a chunk and more.
 * `the:~n~postings` are the best of the `n` sections (in base 36) with a term that stands nearly everywhere.
 */
export interface TermLines {
  readonly lines: readonly string[];
  /** Beginnings that have a line of their own; the reader's browser loads no other terms for them. */
  readonly summaries: readonly string[];
  /** Those that typing errors are led to, the most used first. */
  readonly vocabulary: readonly string[];
}

/** Characters of terms and postings that one beginning may bring along. */
const summaryLength = 48 * 1024;
const summarySections = 100;
/** Sections that a term names, about 50 KB. */
const mostSections = 16_384;
/** About 200 KB, which are loaded at the first word that is not found. */
const vocabularySize = 25_000;

export interface TermSource {
  readonly terms: SectionTerms["terms"];
  /** Factor of what its words weigh. */
  readonly boost: number | undefined;
}

/** Takes sections in the order of their numbers. */
export function termLines(sections: Iterable<TermSource>): TermLines {
  const lists = collectPostings(sections);
  const terms = [...lists].toSorted(byTerm).map(([text, list]) => new Term(text, list));
  const summaries = new Map<string, string>();
  summarize(terms, 0, summaries);
  const lines = new Map(terms.map(({ text, postings }) => [text, postings]));
  for (const [beginning, postings] of summaries) lines.set(beginning + summaryMark, postings);
  return {
    lines: [...lines.keys()].toSorted().map((term) => `${term}:${lines.get(term)}`),
    summaries: [...summaries.keys()],
    vocabulary: vocabularyOf(terms),
  };
}

function byTerm([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1;
}

function collectPostings(sections: Iterable<TermSource>): Map<string, PostingList> {
  const collector = new PostingCollector();
  let section = 0;
  for (const { terms, boost } of sections) {
    const lift = liftOf(boost);
    for (let index = 0; index < terms.length; index += 2) {
      collector.add(terms[index] ?? "", section, weightOf(terms[index + 1] ?? "", lift));
    }
    section += 1;
  }
  return collector.lists();
}

/** `boost` 2 in a page or group lifts its weights by four, 0.5 lowers them as much. */
function liftOf(boost: number | undefined): number {
  return boost === undefined || boost <= 0 ? 0 : Math.round(4 * Math.log2(boost));
}

function weightOf(letter: string, lift: number): number {
  return Math.min(mostWeight, Math.max(1, letter.charCodeAt(0) - weightCode(1) + 1 + lift));
}

class Term {
  readonly text: string;
  /** Sections that have it. */
  readonly count: number;
  /** As they stand in its line. */
  readonly postings: string;
  readonly #list: PostingList;

  constructor(text: string, list: PostingList) {
    this.text = text;
    this.count = list.sections.length;
    this.#list = list;
    const total = this.count > mostSections ? totalMark(this.count) : "";
    this.postings = total + writePostings(heaviest(list, mostSections));
  }

  get best(): PostingList {
    return heaviest(this.#list, summarySections);
  }
}

function bestOf(lists: readonly PostingList[]): PostingList {
  return heaviest(mergeLists(lists), summarySections);
}

/** The best sections of terms that share their first `length` characters; notes those of each beginning that needs it. */
function summarize(
  terms: readonly Term[],
  length: number,
  summaries: Map<string, string>,
): PostingList {
  const size = terms.reduce((sum, { text, postings }) => sum + text.length + postings.length, 0);
  if (terms.length === 1 || size <= summaryLength) return bestOf(terms.map(({ best }) => best));
  const byNext = Map.groupBy(terms, ({ text }) => text.slice(0, length + 1));
  const best = bestOf(
    Array.from(byNext, ([beginning, group]) =>
      // The term that ends here is no beginning of others.
      beginning.length === length
        ? bestOf(group.map((term) => term.best))
        : summarize(group, length + 1, summaries),
    ),
  );
  const beginning = terms[0]?.text.slice(0, length) ?? "";
  if (length > 0 && beginning.isWellFormed()) summaries.set(beginning, writePostings(best));
  return best;
}

const plainWord = /^\p{L}{4,20}$/u;
/** Scripts that are cut into pairs have no letters to miss. */
const pairs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function vocabularyOf(terms: readonly Term[]): string[] {
  return terms
    .filter(({ text }) => plainWord.test(text) && !pairs.test(text))
    .toSorted((a, b) => b.count - a.count)
    .slice(0, vocabularySize)
    .map(({ text }) => text);
}
