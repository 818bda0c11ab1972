import { invertTerms, type Term } from "./inverted-index.ts";
import { mostWeight, summaryMark, totalMark } from "./postings.ts";
import { sectionStep, type PageTerms } from "./terms.ts";
import { createPostingWriter } from "./write-postings.ts";

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

/** Takes pages in the order in which their sections are numbered. */
export function termLines(pages: readonly PageTerms[]): TermLines {
  const write = createPostingWriter();
  const terms = invertTerms(pages).map((term) => ({ ...term, line: lineOf(term, write) }));
  const summaries = new Map<string, Uint32Array>();
  summarize(terms, 0, summaries);
  const lines = terms.map(({ text, line }) => ({ key: text, line }));
  for (const [beginning, best] of summaries) {
    const key = beginning + summaryMark;
    lines.push({ key, line: `${key}:${write(best)}` });
  }
  return {
    // The default order, that of code units, is the one in which the reader's browser looks lines up.
    lines: lines.toSorted((a, b) => compare(a.key, b.key)).map(({ line }) => line),
    summaries: [...summaries.keys()],
    vocabulary: vocabularyOf(terms),
  };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
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
  return postings.filter((posting) => {
    const weight = posting % sectionStep;
    return weight > least || (weight === least && left-- > 0);
  });
}

function sectionOf(posting = 0): number {
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
  // The greatest weight of a section comes last of its postings.
  all.sort();
  const distinct = all.filter((posting, index) => {
    const isLast = index + 1 === all.length;
    return isLast || sectionOf(posting) !== sectionOf(all[index + 1]);
  });
  return heaviest(distinct, summarySections);
}

type Line = Term & { readonly line: string };

/** The best sections of terms that share their first `length` characters; notes those of each beginning that needs it. */
function summarize(
  terms: readonly Line[],
  length: number,
  summaries: Map<string, Uint32Array>,
): Uint32Array {
  const size = terms.reduce((sum, { line }) => sum + line.length, 0);
  const bestOfTerms = (group: readonly Line[]) =>
    bestOf(group.map(({ postings }) => heaviest(postings, summarySections)));
  if (terms.length === 1 || size <= summaryLength) return bestOfTerms(terms);
  const byNext = Map.groupBy(terms, ({ text }) => text.slice(0, length + 1));
  const best = bestOf(
    Array.from(byNext, ([beginning, group]) =>
      // The term that ends here is no beginning of others.
      beginning.length === length ? bestOfTerms(group) : summarize(group, length + 1, summaries),
    ),
  );
  const beginning = terms[0]?.text.slice(0, length) ?? "";
  if (length > 0 && beginning.isWellFormed()) summaries.set(beginning, best);
  return best;
}

const plainWord = /^\p{L}{4,20}$/u;
/** Scripts that are cut into pairs have no letters to miss. */
const pairs = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

function vocabularyOf(terms: readonly Term[]): string[] {
  return terms
    .filter(({ text }) => plainWord.test(text) && !pairs.test(text))
    .toSorted((a, b) => b.postings.length - a.postings.length)
    .slice(0, vocabularySize)
    .map(({ text }) => text);
}
