import { visitPostings } from "../postings.ts";
import type { Match, WordMatches } from "./find-terms.ts";
import type { SearchIndex } from "./index-parts.ts";

/** A possible result: a section ranked by the index alone. */
export interface Ranked {
  readonly section: number;
  /** Number of selective words of the query that the section contains. */
  readonly words: number;
  readonly score: number;
}

/** Maximum number of sections that are ranked again by their texts. */
const maxCandidates = 16;
/** Maximum number of these sections that are chosen, regardless of score, because their title has all query words. */
const maxTitles = 6;
/** Maximum number of sections to keep before the number per page is limited. */
const maxBest = 64;
/** Maximum number of sections per page among the results. */
export const maxPerPage = 3;
/** A word is selective unless more than this many sections, and more than an eighth of all sections, contain it. */
const maxSelectiveSections = 64;

/**
 * Minimum weight of a term in the title or another name of a page, which exceeds any weight in a text. It is different
 * on pages that the author boosts.
 */
const minTitleWeight = 17;

/**
 * Returns the best sections of each index: first titles with all words of the query, then sections with the most
 * selective words. The rarity of a word is computed over all indexes, so that the scores of different indexes are
 * comparable.
 */
export function rank(
  indexes: readonly SearchIndex[],
  query: readonly WordMatches[],
): readonly (readonly Ranked[])[] {
  const count = indexes.reduce((sum, index) => sum + index.count, 0);
  const scored = query.map(({ matches, isExtra }) => {
    const found = indexes.map((index, at) => scoreWord(index, matches[at] ?? []));
    const total = found.reduce((sum, own) => sum + own.total, 0);
    const isCommon = total > Math.max(maxSelectiveSections, count / 8);
    return { found, isExtra, isCommon, inverseFrequency: Math.log(1 + count / (1 + total)) };
  });
  const selective = scored.filter(({ isExtra, isCommon }) => !isExtra && !isCommon);
  const required = new Set(
    selective.length > 0 ? selective : scored.filter((word) => !word.isExtra),
  );
  return indexes.map((index, at) => {
    const words = scored.flatMap((word) => {
      const found = word.found[at];
      const { inverseFrequency } = word;
      return found ? { ...found, inverseFrequency, isRequired: required.has(word) } : [];
    });
    return rankSections(index, words);
  });
}

interface WeighedWord extends WordScores {
  readonly inverseFrequency: number;
  readonly isRequired: boolean;
}

function rankSections(index: SearchIndex, query: readonly WeighedWord[]): Ranked[] {
  const words = new Uint8Array(index.pages.length);
  const titleWords = new Map<number, number>();
  const scores = new Float32Array(index.pages.length);
  const touched: number[] = [];
  for (const word of query) {
    for (const section of word.sections) {
      if (scores[section] === 0) touched.push(section);
      const own = (word.scores[section] ?? 0) * word.inverseFrequency;
      scores[section] = (scores[section] ?? 0) + own;
      if (word.isRequired) words[section] = (words[section] ?? 0) + 1;
    }
    if (!word.isRequired) continue;
    for (const section of word.titles) titleWords.set(section, (titleWords.get(section) ?? 0) + 1);
  }
  const requiredCount = query.filter(({ isRequired }) => isRequired).length;
  const titles = [...titleWords.keys()].filter(
    (section) => titleWords.get(section) === requiredCount,
  );
  const best = [
    ...selectBestSections(titles, words, scores).slice(0, maxTitles),
    ...limitPerPage(selectBestSections(touched, words, scores), index.pages),
  ];
  return [...new Set(best)]
    .slice(0, maxCandidates)
    .map((section) => ({ section, words: words[section] ?? 0, score: scores[section] ?? 0 }));
}

/** The sections of an index that contain a word. */
interface WordScores {
  readonly sections: readonly number[];
  /** The score of the best match in each section. */
  readonly scores: Float32Array;
  /** The first sections of the pages whose titles contain the word. */
  readonly titles: ReadonlySet<number>;
  /** Number of sections that contain the word. `sections` may include only the best of them. */
  readonly total: number;
}

function scoreWord(index: SearchIndex, matches: readonly Match[]): WordScores {
  const scores = new Float32Array(index.pages.length);
  const titles = new Set<number>();
  const sections: number[] = [];
  let total = 0;
  for (const { postings, closeness, total: longer } of matches) {
    visitPostings(postings, (section, weight) => {
      const before = scores[section] ?? 0;
      if (before === 0) sections.push(section);
      if (closeness * weight > before) scores[section] = closeness * weight;
      if (weight >= minTitleWeight && startsPage(index.pages, section)) titles.add(section);
    });
    total = Math.max(total, longer ?? 0);
  }
  return { sections, scores, titles, total: Math.max(total, sections.length) };
}

function startsPage(pages: Uint32Array, section: number): boolean {
  return pages[section] !== pages[section - 1];
}

/** Returns the best sections in order, without sorting all sections: a common word has tens of thousands. */
function selectBestSections(
  sections: readonly number[],
  words: Uint8Array,
  scores: Float32Array,
): number[] {
  const compare = (a: number, b: number) =>
    (words[a] ?? 0) - (words[b] ?? 0) || (scores[a] ?? 0) - (scores[b] ?? 0) || b - a;
  const best: number[] = [];
  for (const section of sections) {
    const last = best.at(-1);
    if (best.length === maxBest && last !== undefined && compare(section, last) < 0) continue;
    let at = best.length;
    while (at > 0 && compare(section, best[at - 1] ?? 0) > 0) at -= 1;
    best.splice(at, 0, section);
    if (best.length > maxBest) best.pop();
  }
  return best;
}

function limitPerPage(sections: readonly number[], pages: Uint32Array): number[] {
  const counts = new Map<number | undefined, number>();
  return sections.filter((section) => {
    const count = counts.get(pages[section]) ?? 0;
    counts.set(pages[section], count + 1);
    return count < maxPerPage;
  });
}
