import {
  eachPosting,
  mostWeight,
  summaryMark,
  totalMark,
  withoutTotal,
  writePostings,
} from "./postings.ts";
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
  const terms = [...lists.keys()].toSorted().map((text) => new Term(text, lists.get(text)));
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

interface PostingList {
  text: string;
  count: number;
  lastSection: number;
}

/** Encoded as they are gathered: sections come in rising order. */
function collectPostings(sections: Iterable<TermSource>): Map<string, PostingList> {
  const lists = new Map<string, PostingList>();
  let section = 0;
  for (const { terms, boost } of sections) {
    for (let index = 0; index < terms.length; index += 2) {
      const term = terms[index] ?? "";
      let list = lists.get(term);
      if (!list) lists.set(term, (list = { text: "", count: 0, lastSection: 0 }));
      list.text +=
        (section - list.lastSection).toString(36) + boosted(terms[index + 1] ?? "A", boost);
      list.count += 1;
      list.lastSection = section;
    }
    section += 1;
  }
  return lists;
}

/** `boost` 2 in a page or group lifts its weights by four letters, 0.5 lowers them as much. */
function boosted(weight: string, boost: number | undefined): string {
  if (boost === undefined || boost <= 0) return weight;
  const code = weight.charCodeAt(0) + Math.round(4 * Math.log2(boost));
  return String.fromCharCode(Math.min(90, Math.max(65, code)));
}

type Posting = readonly [section: number, weight: number];

class Term {
  readonly text: string;
  readonly count: number;
  /** As they stand in its line. */
  readonly postings: string;

  constructor(text: string, list: PostingList | undefined) {
    this.text = text;
    this.count = list?.count ?? 0;
    const postings = list?.text ?? "";
    this.postings =
      this.count <= mostSections
        ? postings
        : totalMark(this.count) + writePostings(heaviest(postings, mostSections));
  }

  /** The heaviest of its sections. */
  get best(): Posting[] {
    return heaviest(withoutTotal(this.postings), summarySections);
  }
}

/** The `count` sections of greatest weight, in their order. */
function heaviest(postings: string, count: number): Posting[] {
  const list: Posting[] = [];
  const having = new Uint32Array(mostWeight + 1);
  eachPosting(postings, (_, weight) => (having[weight] = (having[weight] ?? 0) + 1));
  let least = mostWeight;
  let left = count;
  while (least > 1 && left > (having[least] ?? 0)) left -= having[least--] ?? 0;
  eachPosting(postings, (section, weight) => {
    if (weight > least || (weight === least && left-- > 0)) list.push([section, weight]);
  });
  return list;
}

/** Sections with the greatest weight that any of the terms has there. */
function bestOf(lists: readonly (readonly Posting[])[]): Posting[] {
  const best = new Map<number, number>();
  for (const list of lists) {
    for (const [section, weight] of list) {
      if (weight > (best.get(section) ?? 0)) best.set(section, weight);
    }
  }
  return heaviest(writePostings([...best].toSorted((a, b) => a[0] - b[0])), summarySections);
}

/** The best sections of terms that share their first `length` characters; notes those of each beginning that needs it. */
function summarize(
  terms: readonly Term[],
  length: number,
  summaries: Map<string, string>,
): Posting[] {
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
