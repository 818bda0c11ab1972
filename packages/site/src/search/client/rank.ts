import { eachPosting } from "../postings.ts";
import type { Match } from "./find-terms.ts";
import type { SearchIndex } from "./index-parts.ts";

/** A word of the query and the terms that stand for it. */
export interface WordMatches {
  readonly matches: readonly Match[];
  /** A section need not have it: it only lifts those that do. */
  readonly isExtra: boolean;
}

/** A section that may be a result, by the words and weights of the index alone. */
export interface Ranked {
  readonly section: number;
  /** How many words of the query it has that tell sections apart. */
  readonly words: number;
  readonly score: number;
}

/** Sections whose texts are looked at; some of them are shown. */
const candidates = 16;
/** Sections that are compared before those of one page are thinned out. */
const compared = 64;
/** Sections of one page among the results. */
export const perPage = 3;
/** A word that more sections have than this, and than an eighth of all, tells none of them apart. */
const commonSections = 64;

/** The best sections; the ones that have every word come first. */
export function rank(index: SearchIndex, query: readonly WordMatches[]): Ranked[] {
  const scored = query.map((word) => ({ ...scoreWord(index, word.matches), ...word }));
  const telling = scored.filter(({ isExtra, isCommon }) => !isExtra && !isCommon);
  const required = new Set(telling.length > 0 ? telling : scored.filter((word) => !word.isExtra));
  const words = new Uint8Array(index.count);
  const scores = new Float32Array(index.count);
  const touched: number[] = [];
  for (const word of scored) {
    for (const section of word.sections) {
      if (scores[section] === 0) touched.push(section);
      scores[section] = (scores[section] ?? 0) + (word.scores[section] ?? 0);
      if (required.has(word)) words[section] = (words[section] ?? 0) + 1;
    }
  }
  const best = bestSections(touched, words, scores);
  return thinOut(best, index.pages)
    .slice(0, candidates)
    .map((section) => ({ section, words: words[section] ?? 0, score: scores[section] ?? 0 }));
}

/** What a word adds to each section that has it: a section's best match counts. */
function scoreWord(index: SearchIndex, matches: readonly Match[]) {
  const scores = new Float32Array(index.count);
  const sections: number[] = [];
  let total = 0;
  for (const { postings, closeness, total: longer } of matches) {
    eachPosting(postings, (section, weight) => {
      const before = scores[section] ?? 0;
      if (before === 0) sections.push(section);
      if (closeness * weight > before) scores[section] = closeness * weight;
    });
    total = Math.max(total, longer ?? 0);
  }
  total = Math.max(total, sections.length);
  const rarity = Math.log(1 + index.count / (1 + total));
  for (const section of sections) scores[section] = (scores[section] ?? 0) * rarity;
  return { sections, scores, isCommon: total > Math.max(commonSections, index.count / 8) };
}

/** The first sections in order, without sorting all: a common word has tens of thousands. */
function bestSections(
  sections: readonly number[],
  words: Uint8Array,
  scores: Float32Array,
): number[] {
  const isBefore = (a: number, b: number) =>
    (words[a] ?? 0) - (words[b] ?? 0) || (scores[a] ?? 0) - (scores[b] ?? 0) || b - a;
  const best: number[] = [];
  for (const section of sections) {
    const last = best.at(-1);
    if (best.length === compared && last !== undefined && isBefore(section, last) < 0) continue;
    let at = best.length;
    while (at > 0 && isBefore(section, best[at - 1] ?? 0) > 0) at -= 1;
    best.splice(at, 0, section);
    if (best.length > compared) best.pop();
  }
  return best;
}

function thinOut(sections: readonly number[], pages: Uint32Array): number[] {
  const counts = new Map<number | undefined, number>();
  return sections.filter((section) => {
    const count = counts.get(pages[section]) ?? 0;
    counts.set(pages[section], count + 1);
    return count < perPage;
  });
}
