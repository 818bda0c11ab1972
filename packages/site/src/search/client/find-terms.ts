import { summaryMark, findTotal, stripTotal } from "../postings.ts";
import { joinNames, splitCamelCaseNames, tokenize } from "../tokenize.ts";
import { isFunctionWord } from "./function-words.ts";
import type { SearchIndex } from "./index-parts.ts";
import { findPhrasalVerbs, listRelatedWords } from "./related-words.ts";
import { findSimilarWords } from "./similar-words.ts";
import { findStem, isEnding, isLongerForm } from "./word-forms.ts";

/** A term that matches a word of the query. */
export interface Match {
  readonly term: string;
  readonly postings: string;
  /** 1 for the word itself; less for its other forms, related words, and terms that begin with it or resemble it. */
  readonly closeness: number;
  /** Number of sections that contain the term, if `postings` includes only the best sections. */
  readonly total?: number;
}

/** A word of the query and the terms that match it in each index. */
export interface WordMatches {
  readonly matches: readonly (readonly Match[])[];
  /** Whether the word is optional: a section need not contain it, but scores higher if it does. */
  readonly isExtra: boolean;
}

/** Maximum number of terms that a prefix matches. The shortest terms take precedence. */
const maxTerms = 150;
/** Minimum closeness of a term to its prefix. It increases with the fraction of the term that the prefix covers. */
const prefixCloseness = 0.6;
/**
 * The minimum closeness for a word that is followed by another word. Such a word is complete, so a longer term is
 * likely to be a different word.
 */
const completeCloseness = 0.1;
/** Closeness of a form of a word that begins with it (`logging` for `log`), and closeness of any other form. */
const [longerFormCloseness, formCloseness] = [0.95, 0.67];
/** Closeness of a word that documentation uses for the same idea. */
const relatedCloseness = 0.57;
/** Minimum length of a related word whose other forms are found too. */
const minRelatedStem = 4;
/** A prefix with a summary is assumed to occur in one out of this many sections. */
const summaryShare = 4;

const maxWords = 12;

interface MatchedQuery {
  readonly matches: readonly WordMatches[];
  /** The words in order, as an index contains them: names replace their parts, and typos are corrected. */
  readonly words: readonly string[];
  /** The names among these words. */
  readonly names: readonly string[];
}

/** For each of several indexes, the terms that match a word. */
type MatchLists = readonly (readonly Match[])[];

/** A word of the query, as an index contains it, and the terms that match it. */
interface FoundWord {
  readonly word: string;
  readonly lists: MatchLists;
}

/**
 * Finds the terms for each word of a query. A name that an index contains, such as `c++` or `docs.json`, is one word,
 * and its parts are optional.
 */
export async function matchQuery(
  indexes: readonly SearchIndex[],
  text: string,
): Promise<MatchedQuery> {
  const camelCase = splitCamelCaseNames(text);
  const tokens = tokenize(text, false);
  const names = await findNames(indexes, tokens.names);
  const queryWords = new Set(joinNames(tokens.words, [...names.keys()]));
  const phrasalVerbs = findPhrasalVerbs(tokens.words);
  const lastWord = tokens.words.at(-1);
  const required = [...queryWords].slice(0, maxWords).map(async (word) => {
    const lists = names.get(word);
    if (lists) return [{ word, lists }];
    // A query of one word is more often a name than a question.
    const isQuestion = queryWords.size > 1 && !isFunctionWord(word);
    return matchWord(indexes, word, {
      parts: camelCase.get(word) ?? [],
      isComplete: word !== lastWord,
      related: isQuestion ? [...(phrasalVerbs.get(word) ?? []), ...listRelatedWords(word)] : [],
    });
  });
  const found = (await Promise.all(required)).flat();
  const others = [...new Set(tokens.words)]
    .filter((word) => !queryWords.has(word))
    .slice(0, maxWords);
  const parts = others.map((word) => matchInAll(indexes, word, findExactTerm));
  const extra = [...names].flatMap(([name, lists]) => (queryWords.has(name) ? [] : [lists]));
  const phrase = trimFunctionWords(found);
  const selective = phrase.filter(({ word }) => !isFunctionWord(word));
  const content = selective.length > 0 ? selective : phrase;
  return {
    matches: [
      ...content.map(({ lists }) => ({ matches: lists, isExtra: false })),
      ...[...extra, ...(await Promise.all(parts))].map((matches) => ({ matches, isExtra: true })),
    ],
    words: phrase.map(({ word }) => word),
    names: [...names.keys()].filter((name) => queryWords.has(name)),
  };
}

/** Removes function words at both ends, as in `how do I use it with`, unless all words are function words. */
function trimFunctionWords(words: readonly FoundWord[]): readonly FoundWord[] {
  const isContent = ({ word }: FoundWord) => !isFunctionWord(word);
  const first = words.findIndex(isContent);
  return first === -1 ? words : words.slice(first, words.findLastIndex(isContent) + 1);
}

/** Finds the names that an index contains, with their terms. The longest names come first. */
async function findNames(
  indexes: readonly SearchIndex[],
  names: readonly string[],
): Promise<ReadonlyMap<string, MatchLists>> {
  const longest = names.toSorted((a, b) => b.length - a.length).slice(0, maxWords);
  const lists = await Promise.all(longest.map((name) => matchInAll(indexes, name, findTerms)));
  return new Map(
    longest.flatMap((name, at): [string, MatchLists][] => {
      const nameLists = lists[at] ?? [];
      return isFound(nameLists) ? [[name, nameLists]] : [];
    }),
  );
}

interface WordContext {
  /** The parts of a camelCase name. */
  readonly parts: readonly string[];
  /** Whether another word follows, so that the reader is no longer typing this word. */
  readonly isComplete: boolean;
  readonly related: readonly string[];
}

/**
 * Finds the terms for a word. If no index contains a form of the word or a related word, the word is split into its
 * parts if it is a camelCase name; otherwise it is treated as a typo.
 */
async function matchWord(
  indexes: readonly SearchIndex[],
  word: string,
  { parts, isComplete, related }: WordContext,
): Promise<FoundWord[]> {
  const findBeginning = isComplete ? findTermsOfCompleteWord : findTerms;
  const listsByKind = await Promise.all([
    matchInAll(indexes, word, findBeginning),
    matchInAll(indexes, word, findOtherForms),
    ...related.map((other) => matchInAll(indexes, other, findRelatedTerms)),
  ]);
  if (listsByKind.some(isFound)) {
    return [
      { word, lists: indexes.map((_, at) => listsByKind.flatMap((lists) => lists[at] ?? [])) },
    ];
  }
  if (parts.length > 0) {
    return Promise.all(
      parts.map(async (part) => ({
        word: part,
        lists: await matchInAll(indexes, part, findTerms),
      })),
    );
  }
  const similar = await matchInAll(indexes, word, findSimilarTerms);
  const [best] = similar.flat().toSorted((a, b) => b.closeness - a.closeness);
  return [{ word: best?.term ?? word, lists: similar }];
}

function isFound(lists: MatchLists): boolean {
  return lists.some((list) => list.length > 0);
}

function matchInAll(
  indexes: readonly SearchIndex[],
  word: string,
  find: (index: SearchIndex, word: string) => Promise<Match[]>,
): Promise<Match[][]> {
  return Promise.all(indexes.map((index) => find(index, word)));
}

/** Finds the terms that equal the word or begin with it. */
async function findTerms(
  index: SearchIndex,
  word: string,
  prefixes: PrefixCloseness = typedPrefix,
): Promise<Match[]> {
  const isSummarized = index.summaries.has(word);
  const last = isSummarized ? word + summaryMark : `${word}\uffff`;
  const found: Match[] = [];
  for (const line of await index.lines(word, last)) {
    const term = line.slice(0, line.indexOf(":"));
    if (!isSummarized) {
      found.push(toMatch(line, term, computeCloseness(word, term, prefixes)));
    } else if (term === last) {
      const total = Math.ceil(index.count / summaryShare);
      found.push({ ...toMatch(line, term, prefixes.min), term: word, total });
    } else if (term === word) found.push(toMatch(line, term, 1));
  }
  return found.toSorted((a, b) => b.closeness - a.closeness).slice(0, maxTerms);
}

function findTermsOfCompleteWord(index: SearchIndex, word: string): Promise<Match[]> {
  return findTerms(index, word, completePrefix);
}

/** Finds the terms that equal a related word or are a form of it that begins with it. */
async function findRelatedTerms(index: SearchIndex, word: string): Promise<Match[]> {
  const hasForms = word.length >= minRelatedStem && !index.summaries.has(word);
  const lines = await index.lines(word, hasForms ? `${word}\uffff` : word);
  return lines.flatMap((line) => {
    const term = line.slice(0, line.indexOf(":"));
    const isRelated = term === word || (hasForms && isEnding(term.slice(word.length)));
    return isRelated ? [toMatch(line, term, relatedCloseness)] : [];
  });
}

/** Finds the terms that are other forms of an English word, except those that begin with it. */
async function findOtherForms(index: SearchIndex, word: string): Promise<Match[]> {
  const stem = findStem(word);
  if (stem === undefined || index.summaries.has(stem)) return [];
  const lines = await index.lines(stem, `${stem}\uffff`);
  return lines.flatMap((line) => {
    const term = line.slice(0, line.indexOf(":"));
    const isForm = !term.startsWith(word) && isEnding(term.slice(stem.length));
    return isForm ? [toMatch(line, term, formCloseness)] : [];
  });
}

/** Finds the terms that resemble a word that is not in the index. */
async function findSimilarTerms(index: SearchIndex, word: string): Promise<Match[]> {
  const similar = findSimilarWords(word, await index.words());
  const matches = similar.map(async ({ word: other, errors }) => {
    const found = await findExactTerm(index, other);
    return found.map((match) => ({ ...match, closeness: 1 / (1 + errors) }));
  });
  return (await Promise.all(matches)).flat();
}

/** Finds the term that equals the word. */
async function findExactTerm(index: SearchIndex, word: string): Promise<Match[]> {
  const lines = await index.lines(word, word);
  const line = lines.find((candidate) => candidate.startsWith(`${word}:`));
  return line === undefined ? [] : [toMatch(line, word, 1)];
}

/** The closeness of a term to the prefix that matches it. */
interface PrefixCloseness {
  readonly min: number;
  /** The increase in closeness with the fraction of the term that the prefix covers. */
  readonly range: number;
}

const typedPrefix: PrefixCloseness = { min: prefixCloseness, range: 0.3 };
const completePrefix: PrefixCloseness = { min: completeCloseness, range: 0.1 };

function computeCloseness(word: string, term: string, { min, range }: PrefixCloseness): number {
  if (word.length === term.length) return 1;
  if (isLongerForm(term, word)) return longerFormCloseness;
  return min + (range * word.length) / term.length;
}

function toMatch(line: string, term: string, closeness: number): Match {
  const postings = line.slice(term.length + 1);
  const total = findTotal(postings);
  const match = { term, postings: stripTotal(postings), closeness };
  return total === undefined ? match : { ...match, total };
}
