import { summaryMark, findTotal, stripTotal } from "../postings.ts";
import type { SearchIndex } from "./index-parts.ts";
import { findSimilarWords } from "./similar-words.ts";

/** A term that matches a word of the query. */
export interface Match {
  readonly term: string;
  readonly postings: string;
  /** 1 for the word itself, less for terms that begin with it or resemble it. */
  readonly closeness: number;
  /** Number of sections that contain the term, if `postings` has only the best of them. */
  readonly total?: number;
}

/** Maximum number of terms that a prefix matches, the shortest first. */
const maxTerms = 150;
/** Closeness of a prefix to its term; it increases with the part of the term that the prefix covers. */
const prefixCloseness = 0.6;
/** A prefix with a summary counts as a word in every fourth section. */
const summaryShare = 4;

/** Finds the terms that are the word or begin with it. */
export async function findTerms(index: SearchIndex, word: string): Promise<Match[]> {
  const isSummarized = index.summaries.has(word);
  const last = isSummarized ? word + summaryMark : `${word}\uffff`;
  const found: Match[] = [];
  for (const line of await index.lines(word, last)) {
    const term = line.slice(0, line.indexOf(":"));
    if (!isSummarized) {
      found.push(toMatch(line, term, closenessOf(word, term)));
    } else if (term === last) {
      const total = Math.ceil(index.count / summaryShare);
      found.push({ ...toMatch(line, term, prefixCloseness), term: word, total });
    } else if (term === word) found.push(toMatch(line, term, 1));
  }
  return found.toSorted((a, b) => b.closeness - a.closeness).slice(0, maxTerms);
}

/** Finds the terms that resemble a word that is not in the index. */
export async function findSimilarTerms(index: SearchIndex, word: string): Promise<Match[]> {
  const similar = findSimilarWords(word, await index.words());
  const matches = similar.map(async ({ word: other, errors }) => {
    const lines = await index.lines(other, other);
    const line = lines.find((candidate) => candidate.startsWith(`${other}:`));
    return line === undefined ? [] : [toMatch(line, other, 1 / (1 + errors))];
  });
  return (await Promise.all(matches)).flat();
}

function closenessOf(word: string, term: string): number {
  if (word.length === term.length) return 1;
  return prefixCloseness + (0.3 * word.length) / term.length;
}

function toMatch(line: string, term: string, closeness: number): Match {
  const postings = line.slice(term.length + 1);
  const total = findTotal(postings);
  const match = { term, postings: stripTotal(postings), closeness };
  return total === undefined ? match : { ...match, total };
}
