import { visitPostings } from "../postings.ts";
import type { Match, WordMatches } from "./find-terms.ts";
import type { SearchIndex } from "./index-parts.ts";

/** A possible result: a section ranked by the index alone. */
export interface Ranked {
  readonly section: number;
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
/**
 * How much a score depends on the part of the query that the section contains, and the part that its page contains.
 * A part is weighed by the rarity of its words.
 */
const [sectionPower, pagePower] = [0.5, 1];
/** By how much the score of a section increases whose heading, with the title of its page, has the whole query. */
const headingBonus = 1.5;
/** The number of a page's best sections whose scores count for all of its sections, and the share of them. */
const [pageSections, pageShare] = [4, 0.3];

/**
 * Minimum weight of a term in the title or another name of a page, which exceeds any weight in a text. It is different
 * on pages that the author boosts.
 */
const minTitleWeight = 17;
/** Minimum weight of a term in the heading of a section. */
const minHeadingWeight = 14;

/**
 * Returns the best sections of each index: first titles with all words of the query, then sections that contain the most
 * of it, on pages that contain the most of it. The rarity of a word is computed over all indexes, so that the scores of
 * different indexes are comparable.
 */
export function rank(
  indexes: readonly SearchIndex[],
  query: readonly WordMatches[],
): readonly (readonly Ranked[])[] {
  const count = indexes.reduce((sum, index) => sum + index.count, 0);
  const scored = query.map(({ matches, isExtra }) => {
    const found = indexes.map((index, at) => scoreWord(index, matches[at] ?? []));
    const total = found.reduce((sum, own) => sum + own.total, 0);
    return { found, isExtra, inverseFrequency: Math.log(1 + count / (1 + total)) };
  });
  return indexes.map((index, at) => {
    const words = scored.flatMap(({ found, isExtra, inverseFrequency }) => {
      const own = found[at];
      return own ? { ...own, inverseFrequency, isRequired: !isExtra } : [];
    });
    return rankSections(index, words);
  });
}

interface WeighedWord extends WordScores {
  readonly inverseFrequency: number;
  readonly isRequired: boolean;
}

function rankSections(index: SearchIndex, query: readonly WeighedWord[]): Ranked[] {
  const required = query.filter(({ isRequired }) => isRequired);
  const { sections, scores, words } = gatherWords(index, query, required);
  const getPart = createPartFinder(required);
  for (const section of sections) {
    const page = index.pages[section] ?? 0;
    const part = getPart(words.inSection[section] ?? 0);
    const pagePart = getPart(words.inPage[page] ?? 0);
    const named = (words.inTitle[page] ?? 0) | (words.inHeading[section] ?? 0);
    const bonus = 1 + headingBonus * getPart(named);
    scores[section] = (scores[section] ?? 0) * part ** sectionPower * pagePart ** pagePower * bonus;
  }
  addPageScores(sections, scores, index.pages);
  const all = 2 ** required.length - 1;
  const titles = sections.filter(
    (section) =>
      startsPage(index.pages, section) && words.inTitle[index.pages[section] ?? 0] === all,
  );
  const best = [
    ...selectBestSections(titles, scores).slice(0, maxTitles),
    ...limitPerPage(selectBestSections(sections, scores), index.pages),
  ];
  return [...new Set(best)]
    .slice(0, maxCandidates)
    .map((section) => ({ section, score: scores[section] ?? 0 }));
}

/** The sections that contain words of a query. */
interface GatheredWords {
  readonly sections: readonly number[];
  /** The sum of the scores of the words in each section. */
  readonly scores: Float32Array;
  /** The required words that each section or page contains, as bits. */
  readonly words: Readonly<Record<"inSection" | "inHeading" | "inPage" | "inTitle", Uint32Array>>;
}

function gatherWords(
  { pages }: SearchIndex,
  query: readonly WeighedWord[],
  required: readonly WeighedWord[],
): GatheredWords {
  const sections: number[] = [];
  const scores = new Float32Array(pages.length);
  const createBits = () => new Uint32Array(pages.length);
  const [inSection, inHeading, inPage, inTitle] = [createBits(), createBits(), createBits(), createBits()]; // prettier-ignore
  for (const word of query) {
    const bit = word.isRequired ? 1 << required.indexOf(word) : 0;
    for (const section of word.sections) {
      if (scores[section] === 0) sections.push(section);
      const own = (word.scores[section] ?? 0) * word.inverseFrequency;
      scores[section] = (scores[section] ?? 0) + own;
      addBit(inSection, section, bit);
      addBit(inPage, pages[section] ?? 0, bit);
      if (word.headings.has(section)) addBit(inHeading, section, bit);
    }
    for (const section of word.titles) addBit(inTitle, pages[section] ?? 0, bit);
  }
  return { sections, scores, words: { inSection, inHeading, inPage, inTitle } };
}

function addBit(bits: Uint32Array, at: number, bit: number): void {
  bits[at] = (bits[at] ?? 0) | bit;
}

/** Adds to each score a share of the best scores of its page: a page with several good sections is about the query. */
function addPageScores(
  sections: readonly number[],
  scores: Float32Array,
  pages: Uint32Array,
): void {
  const best = new Map<number, number[]>();
  for (const section of sections) {
    const page = pages[section] ?? 0;
    const own = best.get(page) ?? [];
    own.push(scores[section] ?? 0);
    best.set(page, own);
  }
  const shares = new Map<number, number>();
  for (const [page, own] of best) {
    const top = own.toSorted((a, b) => b - a).slice(0, pageSections);
    shares.set(page, pageShare * top.reduce((sum, score) => sum + score, 0));
  }
  for (const section of sections) {
    scores[section] = (scores[section] ?? 0) + (shares.get(pages[section] ?? 0) ?? 0);
  }
}

/** Creates a function that returns the part of the query that some of its words make up, from 0 to 1. */
function createPartFinder(required: readonly WeighedWord[]): (bits: number) => number {
  const sum = required.reduce((total, word) => total + word.inverseFrequency, 0);
  const known = new Map<number, number>();
  return (bits) => {
    let part = known.get(bits);
    if (part === undefined) {
      const own = required.filter((_, at) => (bits & (1 << at)) !== 0);
      part = sum === 0 ? 1 : own.reduce((total, word) => total + word.inverseFrequency, 0) / sum;
      known.set(bits, part);
    }
    return part;
  };
}

/** The sections of an index that contain a word. */
interface WordScores {
  readonly sections: readonly number[];
  /** The score of the best match in each section. */
  readonly scores: Float32Array;
  /** The first sections of the pages whose titles contain the word. */
  readonly titles: ReadonlySet<number>;
  /** The sections whose headings contain the word. */
  readonly headings: ReadonlySet<number>;
  /** Number of sections that contain the word. `sections` may include only the best of them. */
  readonly total: number;
}

function scoreWord(index: SearchIndex, matches: readonly Match[]): WordScores {
  const scores = new Float32Array(index.pages.length);
  const titles = new Set<number>();
  const headings = new Set<number>();
  const sections: number[] = [];
  let total = 0;
  for (const { postings, closeness, total: longer } of matches) {
    visitPostings(postings, (section, weight) => {
      const before = scores[section] ?? 0;
      if (before === 0) sections.push(section);
      if (closeness * weight > before) scores[section] = closeness * weight;
      if (weight >= minHeadingWeight) headings.add(section);
      if (weight >= minTitleWeight && startsPage(index.pages, section)) titles.add(section);
    });
    total = Math.max(total, longer ?? 0);
  }
  return { sections, scores, titles, headings, total: Math.max(total, sections.length) };
}

function startsPage(pages: Uint32Array, section: number): boolean {
  return pages[section] !== pages[section - 1];
}

/** Returns the best sections in order, without sorting all sections: a common word has tens of thousands. */
function selectBestSections(sections: readonly number[], scores: Float32Array): number[] {
  const compare = (a: number, b: number) => (scores[a] ?? 0) - (scores[b] ?? 0) || b - a;
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
