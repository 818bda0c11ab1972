import { visitPostings } from "../postings.ts";
import type { Match, WordMatches } from "./find-terms.ts";
import type { SearchIndex } from "./index-parts.ts";

/** A possible result: a section ranked by the index alone. */
export interface RankedSection {
  readonly section: number;
  readonly score: number;
}

/** Maximum number of sections that are reranked by their text. */
const maxCandidates = 16;
/**
 * Maximum number of these sections that are chosen, regardless of score, because their title contains all query words.
 */
const maxTitledSections = 6;
/** Maximum number of sections to keep before the number per page is limited. */
const maxBestSections = 64;
/** Maximum number of sections per page among the results. */
export const maxPerPage = 3;

/**
 * The weights of a score, tuned on the queries and questions of `test/search`. No query depends on a single weight. An
 * exponent below 1 makes the largest values count less. Fractions of a query are weighted by the rarity of its words.
 */
const weights = {
  /** The exponent for the rarity of a word. */
  rarity: 1.12,
  /** The exponent for the closeness of a match when the match counts as a fraction of the query. */
  closeness: 0.46,
  /** The exponents for the fractions of the query that a section and its page contain. */
  sectionPart: 0.62,
  pagePart: 0.15,
  /** The exponent for the fraction that the page contains, in the score of the whole page. */
  wholePart: 0.47,
  /** The exponent for the page's fraction of a two-word query. It is divided by the number of words after the first. */
  fewWords: 0.6,
  /** The exponents by which the number of a page's sections reduces the scores of its sections and of the page. */
  sectionLength: 0.036,
  pageLength: 0.27,
  /**
   * The share of a page's best scores that is added to the score of each of its sections, and the number of best
   * scores.
   */
  bestShare: 0.4,
  bestSections: 4,
  /** The share of the best match for each word, anywhere on the page. */
  page: 0.4,
  /** The share of the matches in the page's title, description and beginning, and the exponent for their fraction. */
  beginning: 0.52,
  beginningPart: 1,
  /**
   * The factor and the exponent with which the fraction of the query in the title increases the share above.
   */
  title: 1.74,
  titlePart: 0.49,
} as const;
/** The number of sections of a page above which its length reduces the scores. */
const typicalSectionCount = 3;
/** The bonus, in choosing a page's section, for a heading that together with the title contains the whole query. */
const headingBonus = 0.5;
/**
 * The minimum closeness of terms that count toward a word's rarity: the word itself and forms that begin with it.
 * Related words and other terms that begin with the word do not make it more common.
 */
const minOwnCloseness = 0.75;

/**
 * Minimum weight of a term in the title or another name of a page, which exceeds any weight in a text. The weight is
 * different on pages that the author boosts.
 */
const minTitleWeight = 17;
/** Minimum weight of a term in the heading of a section. */
const minHeadingWeight = 14;

/**
 * Returns the best sections of each index: first pages whose titles contain all words of the query, then the sections
 * that contain most of it, on pages that cover most of it. The rarity of a word is computed over all indexes, so that
 * scores are comparable across indexes.
 */
export function rank(
  indexes: readonly SearchIndex[],
  query: readonly WordMatches[],
): readonly (readonly RankedSection[])[] {
  const count = indexes.reduce((sum, index) => sum + index.count, 0);
  const collectors = indexes.map(createCollector);
  const scored = query.map(({ matches, isExtra }) => {
    const found = collectors.map((collect, at) => collect(matches[at] ?? []));
    const total = found.reduce((sum, own) => sum + own.total, 0);
    return { found, isExtra, rarity: Math.log(1 + count / (1 + total)) ** weights.rarity };
  });
  return indexes.map((index, at) => {
    const words = scored.flatMap(({ found, isExtra, rarity }) => {
      const wordScores = found[at];
      return wordScores ? { ...wordScores, rarity, isRequired: !isExtra } : [];
    });
    return rankSections(index, words);
  });
}

interface WeighedWord extends WordScores {
  readonly rarity: number;
  readonly isRequired: boolean;
}

function rankSections(index: SearchIndex, query: readonly WeighedWord[]): RankedSection[] {
  const gathered = gatherWords(index, query);
  const { sections, pages, bySection, byPage, titled } = gathered;
  const { score: scores } = bySection;
  for (const section of sections) {
    scores[section] =
      getValueAt(scores, section) * getValueAt(bySection.part, section) ** weights.sectionPart;
  }
  addPageScores(sections, scores, index.pages);
  for (const page of pages)
    byPage.score[page] = computePageScore(byPage, page, computeLength(index, page));
  // Readers who type few words expect all of them on the page.
  const coverExponent = query.length > 1 ? weights.fewWords / (query.length - 1) : 0;
  for (const section of sections) {
    const page = getValueAt(index.pages, section);
    const part = getValueAt(byPage.part, page);
    const length = computeLength(index, page) ** -weights.sectionLength;
    const sectionScore = getValueAt(scores, section) * part ** weights.pagePart * length;
    scores[section] = (sectionScore + getValueAt(byPage.score, page)) * part ** coverExponent;
  }
  promoteHeadings(gathered, index.pages);
  const best = [
    ...selectBestSections(titled, scores).slice(0, maxTitledSections),
    ...limitPerPage(selectBestSections(sections, scores), index.pages),
  ];
  return [...new Set(best)]
    .slice(0, maxCandidates)
    .map((section) => ({ section, score: getValueAt(scores, section) }));
}

/**
 * Gives the best score of each page to the section whose heading, together with the page's title, contains most of the
 * query: a query that names a page and a heading leads to the heading.
 */
function promoteHeadings({ sections, bySection }: GatheredWords, pages: Uint32Array): void {
  const { score: scores, namedPart } = bySection;
  const best = new Map<number, number>();
  const leading = new Map<number, number>();
  const rateSection = (section: number) =>
    getValueAt(scores, section) * (1 + headingBonus * getValueAt(namedPart, section));
  for (const section of sections) {
    const page = getValueAt(pages, section);
    const [first, lead] = [best.get(page) ?? section, leading.get(page) ?? section];
    best.set(page, getValueAt(scores, section) > getValueAt(scores, first) ? section : first);
    leading.set(page, rateSection(section) > rateSection(lead) ? section : lead);
  }
  for (const [page, section] of leading) {
    const first = best.get(page) ?? section;
    [scores[first], scores[section]] = [getValueAt(scores, section), getValueAt(scores, first)];
  }
}

function getValueAt(list: Float32Array | Uint32Array, index: number): number {
  return list[index] ?? 0;
}

function computeLength({ sizes }: SearchIndex, page: number): number {
  return Math.max(1, (sizes[page] ?? 1) / typicalSectionCount);
}

/** Computes the part of a score that all sections of a page share. */
function computePageScore(
  { score, part, beginning, beginningPart, titlePart }: PageScores,
  page: number,
  length: number,
): number {
  const whole =
    getValueAt(score, page) *
    getValueAt(part, page) ** weights.wholePart *
    length ** -weights.pageLength;
  const title = 1 + weights.title * getValueAt(titlePart, page) ** weights.titlePart;
  const start =
    getValueAt(beginning, page) * getValueAt(beginningPart, page) ** weights.beginningPart * title;
  return weights.page * whole + weights.beginning * start;
}

/** Adds to each score a share of the best scores of its page: a page with several good sections is about the query. */
function addPageScores(
  sections: readonly number[],
  scores: Float32Array,
  pages: Uint32Array,
): void {
  const best = new Map<number, number[]>();
  for (const section of sections) {
    const page = getValueAt(pages, section);
    const pageScores = best.get(page) ?? [];
    pageScores.push(getValueAt(scores, section));
    best.set(page, pageScores);
  }
  const shares = new Map<number, number>();
  for (const [page, own] of best) {
    const top = own.toSorted((a, b) => b - a).slice(0, weights.bestSections);
    shares.set(page, weights.bestShare * top.reduce((sum, score) => sum + score, 0));
  }
  for (const section of sections) {
    scores[section] = getValueAt(scores, section) + (shares.get(getValueAt(pages, section)) ?? 0);
  }
}

/**
 * The scores of sections by number: the sum over the words of the query, the fraction of the query that each section
 * contains, and the fraction that its heading and its page's title contain.
 */
type SectionScores = Readonly<Record<"score" | "part" | "namedPart", Float32Array>>;

/**
 * The scores of pages by number: the scores of the whole page, and the scores of its title, description and beginning.
 */
type PageScores = Readonly<
  Record<"score" | "part" | "beginning" | "beginningPart" | "titlePart", Float32Array>
>;

/** The sections and pages that contain words of a query. */
interface GatheredWords {
  readonly sections: readonly number[];
  readonly pages: readonly number[];
  readonly bySection: SectionScores;
  readonly byPage: PageScores;
  /** The first sections of the pages whose titles contain all required words. */
  readonly titled: readonly number[];
}

function gatherWords(index: SearchIndex, query: readonly WeighedWord[]): GatheredWords {
  const numbers = index.pages.length;
  const create = () => new Float32Array(numbers);
  const gathered: GatheredWords & { readonly sections: number[]; readonly pages: number[] } = {
    sections: [],
    pages: [],
    bySection: { score: create(), part: create(), namedPart: create() },
    byPage: {
      score: create(),
      part: create(),
      beginning: create(),
      beginningPart: create(),
      titlePart: create(),
    },
    titled: [],
  };
  const required = query.filter(({ isRequired }) => isRequired);
  const sum = required.reduce((total, { rarity }) => total + rarity, 0);
  const titles = new Map<number, number>();
  const addWord = createWordAdder(index.pages, gathered);
  for (const word of query) {
    addWord(word, word.isRequired && sum > 0 ? word.rarity / sum : 0);
    if (!word.isRequired) continue;
    for (const [order, section] of word.sections.entries()) {
      if ((word.titles[order] ?? 0) > 0) titles.set(section, (titles.get(section) ?? 0) + 1);
    }
  }
  const titled = [...titles].filter(([, count]) => count === required.length);
  return { ...gathered, titled: titled.map(([section]) => section) };
}

/** Creates a function that adds the scores of a word. `share` is the word's fraction of the query. */
function createWordAdder(
  pages: Uint32Array,
  {
    bySection,
    byPage,
    ...found
  }: GatheredWords & { readonly sections: number[]; readonly pages: number[] },
): (word: WeighedWord, share: number) => void {
  /** The values of the best match on each page, which are 0 between calls. */
  const best = new Float32Array(pages.length);
  const closest = new Float32Array(pages.length);
  const inTitle = new Float32Array(pages.length);
  return ({ sections, scores, closeness, titles, headings, rarity }, share) => {
    const wordPages: number[] = [];
    for (const [order, section] of sections.entries()) {
      const page = getValueAt(pages, section);
      const score = scores[order] ?? 0;
      const close = closeness[order] ?? 0;
      if (best[page] === 0) wordPages.push(page);
      best[page] = Math.max(getValueAt(best, page), score);
      closest[page] = Math.max(getValueAt(closest, page), close);
      if (bySection.score[section] === 0) found.sections.push(section);
      bySection.score[section] = getValueAt(bySection.score, section) + score * rarity;
      bySection.part[section] = getValueAt(bySection.part, section) + close * share;
      if (!startsPage(pages, section)) continue;
      byPage.beginning[page] = getValueAt(byPage.beginning, page) + score * rarity;
      byPage.beginningPart[page] = getValueAt(byPage.beginningPart, page) + close * share;
      inTitle[page] = titles[order] ?? 0;
      byPage.titlePart[page] =
        getValueAt(byPage.titlePart, page) + getValueAt(inTitle, page) * share;
    }
    for (const [order, section] of sections.entries()) {
      const named = Math.max(headings[order] ?? 0, getValueAt(inTitle, getValueAt(pages, section)));
      bySection.namedPart[section] = getValueAt(bySection.namedPart, section) + named * share;
    }
    for (const page of wordPages) {
      if (byPage.score[page] === 0) found.pages.push(page);
      byPage.score[page] = getValueAt(byPage.score, page) + getValueAt(best, page) * rarity;
      byPage.part[page] = getValueAt(byPage.part, page) + getValueAt(closest, page) * share;
      best[page] = 0;
      closest[page] = 0;
      inTitle[page] = 0;
    }
  };
}

/** The sections of an index that contain a word. The other lists are in the order of `sections`. */
interface WordScores {
  readonly sections: readonly number[];
  /** The score of the best match in each section. */
  readonly scores: readonly number[];
  /** The closeness of the closest match in each section, weighted for use as a fraction of the query. */
  readonly closeness: readonly number[];
  /** The closeness of the closest match in the title or the heading, or 0. */
  readonly titles: readonly number[];
  readonly headings: readonly number[];
  /**
   * Number of sections that contain the word or other forms of it. `sections` may include only the best of these
   * sections.
   */
  readonly total: number;
}

/** Returns the values of sections and resets them to 0. */
function takeValues(list: Float32Array, sections: readonly number[]): number[] {
  return sections.map((section) => {
    const value = getValueAt(list, section);
    list[section] = 0;
    return value;
  });
}

/** Creates a function that collects the sections that contain a word of a query. */
function createCollector({ pages }: SearchIndex): (matches: readonly Match[]) => WordScores {
  const create = () => new Float32Array(pages.length);
  // The values of the sections are 0 between calls.
  const [score, closest, title, heading, counted] = [create(), create(), create(), create(), create()]; // prettier-ignore
  return (matches) => {
    const nearest = matches.reduce((max, { closeness }) => Math.max(max, closeness), 0);
    const sections: number[] = [];
    let total = 0;
    for (const { postings, closeness, total: longer } of matches) {
      const countedValue = closeness >= Math.min(nearest, minOwnCloseness) ? 1 : 0;
      visitPostings(postings, (section, weight) => {
        if (score[section] === 0) sections.push(section);
        score[section] = Math.max(getValueAt(score, section), closeness * weight);
        closest[section] = Math.max(getValueAt(closest, section), closeness);
        counted[section] = Math.max(getValueAt(counted, section), countedValue);
        if (weight >= minHeadingWeight) {
          heading[section] = Math.max(getValueAt(heading, section), closeness);
        }
        if (weight >= minTitleWeight && startsPage(pages, section)) {
          title[section] = Math.max(getValueAt(title, section), closeness);
        }
      });
      total = Math.max(total, longer ?? 0);
    }
    const count = takeValues(counted, sections).reduce((sum, own) => sum + own, 0);
    return {
      sections,
      scores: takeValues(score, sections),
      closeness: takeValues(closest, sections).map((value) => value ** weights.closeness),
      titles: takeValues(title, sections),
      headings: takeValues(heading, sections),
      total: Math.max(total, count),
    };
  };
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
    if (best.length === maxBestSections && last !== undefined && compare(section, last) < 0)
      continue;
    let at = best.length;
    while (at > 0 && compare(section, best[at - 1] ?? 0) > 0) at -= 1;
    best.splice(at, 0, section);
    if (best.length > maxBestSections) best.pop();
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
