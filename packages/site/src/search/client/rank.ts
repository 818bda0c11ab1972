import { visitPostings } from "../postings.ts";
import type { Match } from "./find-terms.ts";
import type { SearchIndex } from "./index-parts.ts";

/** A word of the query and the terms that match it. */
export interface WordMatches {
  readonly matches: readonly Match[];
  /** Whether the word is optional: a section need not contain it, but scores higher if it does. */
  readonly isExtra: boolean;
}

/** A section that may be a result, ranked by the index alone. */
export interface Ranked {
  readonly section: number;
  /** Number of selective words of the query that it contains. */
  readonly words: number;
  readonly score: number;
}

/** Maximum number of sections that are ranked again by their texts. */
const maxCandidates = 16;
/** Maximum number of sections to keep before those of the same page are limited. */
const maxBest = 64;
/** Maximum number of sections of one page among the results. */
export const maxPerPage = 3;
/** A word is common, not selective, if more sections than this, and more than an eighth of all sections, contain it. */
const maxSelectiveSections = 64;

/** Returns the best sections; those with the most selective words come first. */
export function rank(index: SearchIndex, query: readonly WordMatches[]): Ranked[] {
  const scored = query.map((word) => ({ ...scoreWord(index, word.matches), ...word }));
  const selective = scored.filter(({ isExtra, isCommon }) => !isExtra && !isCommon);
  const required = new Set(
    selective.length > 0 ? selective : scored.filter((word) => !word.isExtra),
  );
  const words = new Uint8Array(index.pages.length);
  const scores = new Float32Array(index.pages.length);
  const touched: number[] = [];
  for (const word of scored) {
    for (const section of word.sections) {
      if (scores[section] === 0) touched.push(section);
      scores[section] = (scores[section] ?? 0) + (word.scores[section] ?? 0);
      if (required.has(word)) words[section] = (words[section] ?? 0) + 1;
    }
  }
  const best = bestSections(touched, words, scores);
  return limitPerPage(best, index.pages)
    .slice(0, maxCandidates)
    .map((section) => ({ section, words: words[section] ?? 0, score: scores[section] ?? 0 }));
}

/** Returns the score that a word adds to each section: its best match there, weighted by how rare the word is. */
function scoreWord(index: SearchIndex, matches: readonly Match[]) {
  const scores = new Float32Array(index.pages.length);
  const sections: number[] = [];
  let total = 0;
  for (const { postings, closeness, total: longer } of matches) {
    visitPostings(postings, (section, weight) => {
      const before = scores[section] ?? 0;
      if (before === 0) sections.push(section);
      if (closeness * weight > before) scores[section] = closeness * weight;
    });
    total = Math.max(total, longer ?? 0);
  }
  total = Math.max(total, sections.length);
  const inverseFrequency = Math.log(1 + index.count / (1 + total));
  for (const section of sections) scores[section] = (scores[section] ?? 0) * inverseFrequency;
  return { sections, scores, isCommon: total > Math.max(maxSelectiveSections, index.count / 8) };
}

/** Returns the best sections in order, without sorting all: a common word has tens of thousands. */
function bestSections(
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
