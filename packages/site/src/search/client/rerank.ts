import { joinNames, tokenize } from "../tokenize.ts";
import { isFunctionWord, isGeneralWord } from "./function-words.ts";
import { maxPerPage, type RankedSection } from "./rank.ts";
import { isFormOf } from "./word-forms.ts";

/** A ranked section with the data that results show for it. */
export interface Candidate extends RankedSection {
  readonly href: string;
  readonly title: string;
  readonly breadcrumb: string;
  readonly id: string;
  readonly heading: string;
  readonly excerpt: string;
  /** Whether the page has a description or text before its first heading. */
  readonly hasIntroduction: boolean;
  /** Whether the page lists releases. */
  readonly isChangelog: boolean;
}

/** Number of results at the top that belong to different pages. */
const maxDistinctPages = 3;
/** The score increases for pairs of query words that are near each other: in the title and heading, and in the text. */
const [headingPairs, textPairs] = [0.9, 0.1];
/** The score increase if the text contains the words of the query in the same order. */
const phraseInText = 0.2;
/** Maximum distance, in words, between the two words of such a pair. */
const maxPairDistance = 4;
/**
 * The factor for sections of pages without an introduction, which are mostly generated references. A page that explains
 * is a better answer to a question, but a query of one word may be a name in such a reference.
 */
const referenceFactor = 0.33;
/**
 * The factor for sections of changelogs, which mention everything and explain little, unless the query has a number.
 */
const changelogFactor = 0.5;

/** The words of the query, in which names replace their parts. */
interface QueryPhrase {
  readonly words: readonly string[];
  readonly names: readonly string[];
}

/** Returns the words of a text. Names that begin with a name in the query replace their parts. */
function listTextWords(text: string, names: readonly string[]): string[] {
  const { words, names: textNames } = tokenize(text, false);
  const isAsked = (name: string) => names.some((other) => name.startsWith(other));
  return names.length === 0 ? words : joinNames(words, textNames.filter(isAsked));
}

interface ScoredCandidate {
  readonly entry: Candidate;
  /**
   * Whether the entry is a page whose title contains the query's words in the same order, or all words that name its
   * subject.
   */
  readonly isTitled: boolean;
  readonly score: number;
}

/**
 * Ranks a page above sections if its title contains the words of the query in the same order, or all of its words that
 * name a subject. Adds a bonus to the score of each section whose heading or text contains the words.
 */
function scoreCandidate(entry: Candidate, query: QueryPhrase): ScoredCandidate {
  const { words, names } = query;
  const { id, heading, excerpt } = entry;
  const content = words.filter((word) => !isFunctionWord(word));
  const score = content.length > 1 ? scoreQuestion(entry, content) : entry.score;
  const inHeading = listTextWords(heading, names);
  // The reader may still be typing the last word.
  const phrase = ` ${words.join(" ")}`;
  const isInText =
    words.length > 1 && ` ${listTextWords(excerpt, names).join(" ")}`.includes(phrase);
  const textBonus = isInText ? phraseInText : 0;
  const whole = ` ${inHeading.join(" ")}`;
  if (whole.includes(phrase)) {
    const startBonus = whole.startsWith(phrase) ? 0.25 : 0;
    const bonus = textBonus + 1 + startBonus + (1.5 * phrase.length) / whole.length;
    return { entry, isTitled: id === "", score: score * (1 + bonus) };
  }
  const hasAll = words.every((word) => inHeading.some((other) => other.startsWith(word)));
  const isNamed = id === "" && inHeading.length > 0 && `${phrase} `.includes(`${whole} `);
  const partialTitleBonus = isNamed ? whole.length / phrase.length : 0;
  const bonus = textBonus + (hasAll ? 0.5 : 0) + partialTitleBonus;
  const isTitled = id === "" && hasSubject(inHeading, content);
  return { entry, isTitled, score: score * (1 + bonus) };
}

/** Computes the score of a candidate for a query of several words. */
function scoreQuestion(
  { score, title, heading, excerpt, hasIntroduction, isChangelog }: Candidate,
  content: readonly string[],
): number {
  const headings = tokenize(`${title} ${heading}`, false).words;
  const bonus =
    headingPairs * computePairPart(content, headings) +
    textPairs * computePairPart(content, tokenize(excerpt, false).words);
  const namesRelease = content.some((word) => /^v?\d/.test(word));
  const releaseFactor = isChangelog && !namesRelease ? changelogFactor : 1;
  return score * (1 + bonus) * (hasIntroduction ? 1 : referenceFactor) * releaseFactor;
}

/** Returns the fraction of pairs of successive words that are near each other in a text, in any order. */
function computePairPart(content: readonly string[], text: readonly string[]): number {
  const offsets = content.map((word) =>
    text.flatMap((other, offset) => (isFormOf(other, word) ? [offset] : [])),
  );
  let found = 0;
  for (let order = 1; order < content.length; order += 1) {
    const [before = [], after = []] = offsets.slice(order - 1);
    const isNear = before.some((one) =>
      after.some((other) => one !== other && Math.abs(one - other) <= maxPairDistance),
    );
    if (isNear) found += 1;
  }
  return found / (content.length - 1);
}

/** Reports whether a title contains all query words that name a subject, of which there must be at least two. */
function hasSubject(title: readonly string[], content: readonly string[]): boolean {
  const subject = content.filter((word) => !isGeneralWord(word));
  if (subject.length < 2) return false;
  return subject.every((word) => title.some((other) => isFormOf(other, word)));
}

/** Reranks the candidates by their text. */
export function sortCandidates(candidates: readonly Candidate[], query: QueryPhrase): Candidate[] {
  return candidates
    .map((entry) => scoreCandidate(entry, query))
    .toSorted((a, b) => Number(b.isTitled) - Number(a.isTitled) || b.score - a.score)
    .map(({ entry }) => entry);
}

/** Moves the best section of each of the first pages to the top, and keeps at most `maxPerPage` sections per page. */
export function spreadPages(candidates: readonly Candidate[]): Candidate[] {
  const counts = new Map<string, number>();
  const top: Candidate[] = [];
  const others: Candidate[] = [];
  for (const entry of candidates) {
    const count = counts.get(entry.href) ?? 0;
    counts.set(entry.href, count + 1);
    if (count === 0 && top.length < maxDistinctPages) top.push(entry);
    else if (count < maxPerPage) others.push(entry);
  }
  return [...top, ...others];
}
