import { countEdits, foldLettersAndDigits } from "@octavo/site/core";

/** Function words, which do not describe the subject of a heading or page. */
const smallWords: ReadonlySet<string> = new Set(
  "a an the and or of to in on for with your our how do i is are by as at from per".split(" "),
);
/** Words in the texts of links that do not identify a page: `see the guide`, `learn more`. */
const emptyWords: ReadonlySet<string> = new Set(
  "here this that it page pages guide guides docs documentation section more learn read see detail details link links about full check out all below above information info article us".split(
    " ",
  ),
);

/** Returns the significant words without their endings, so that `configuring` and `configure` have the same stem. */
export function extractStems(text: string): string[] {
  const words = splitWords(text).slice(0, 40);
  return [...new Set(words.filter((word) => !smallWords.has(word)).map(stemWord))];
}

function stemWord(word: string): string {
  if (word.length < 5) return word.replace(/(?<=...)e?s?$/, "");
  return word.replace(/(?:ies|y)$/, "i").replace(/(?:ing|ed|es|e|s)$/, "");
}

export function hasSameWords(one: readonly string[], other: readonly string[]): boolean {
  return one.length > 0 && one.toSorted().join(" ") === other.toSorted().join(" ");
}

/** Reports whether the words are in the same order. `tools in sampling` is different from `sampling with tools`. */
export function hasSameOrder(one: readonly string[], other: readonly string[]): boolean {
  return one.length > 0 && one.join(" ") === other.join(" ");
}

type TitleMatch = "same" | "part" | "other" | undefined;

/**
 * Compares a link's text with a page's titles. `part` means that one contains the words of the other. Returns undefined
 * if the link's text does not describe its target.
 */
function compareTitle(words: string, titles: readonly string[]): TitleMatch {
  const stems = extractStems(words).filter((word) => !emptyWords.has(word));
  const nonEmptyTitles = titles.filter((title) => title !== "");
  if (stems.length === 0 || nonEmptyTitles.length === 0) return undefined;
  if (nonEmptyTitles.some((title) => foldLettersAndDigits(title) === foldLettersAndDigits(words)))
    return "same";
  const isPart = nonEmptyTitles.some((title) => {
    const theirs = extractStems(title);
    const shared = theirs.filter((word) => stems.includes(word)).length;
    return shared > 0 && (shared === theirs.length || shared === stems.length);
  });
  return isPart ? "part" : "other";
}

/**
 * Compares the texts of all links to one address with a page's titles. Returns `same` or `part` if that result applies
 * to at least half of the descriptive texts.
 */
export function compareTitles(words: readonly string[], titles: readonly string[]): TitleMatch {
  const found = words
    .map((text) => compareTitle(text, titles))
    .filter((match) => match !== undefined);
  if (found.length === 0) return undefined;
  const count = (match: string) => found.filter((each) => each === match).length;
  if (count("same") * 2 >= found.length) return "same";
  return (count("same") + count("part")) * 2 >= found.length ? "part" : "other";
}

/**
 * Reports whether one text is probably the other with a typo in one word. `how-to-import` is not a typo of
 * `how-to-export`.
 */
export function isLikelyTypo(one: string, other: string): boolean {
  const [mine, theirs] = [splitWords(one), splitWords(other)];
  if (mine.length !== theirs.length) return false;
  const different = mine.flatMap((word, index) =>
    word === theirs[index] ? [] : [[word, theirs[index] ?? ""] as const],
  );
  const [pair] = different;
  return pair !== undefined && different.length === 1 && isTypo(...pair);
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Splits a text into lower-case words. */
export function splitWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Escapes pattern characters with backslashes, for patterns with the flag `u` and for the tool `search`. */
export function escapePattern(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** The maximum number of letters by which a typo changes a word's length. */
export const maxTypoLetters = 2;

/**
 * Reports whether two words of at least four letters, with the same digits, differ by a typo: one letter is missing,
 * added, changed or transposed. Words of eight or more letters with the same first letter may differ in two letters.
 */
function isTypo(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4 || a.replaceAll(/\D/g, "") !== b.replaceAll(/\D/g, "")) return false;
  const mayDifferMore = shorter >= 8 && a[0] === b[0];
  return isWithinEdits(a, b, mayDifferMore ? maxTypoLetters : 1);
}

/**
 * Reports whether two texts of any length differ by one letter. Such a text is not treated as a match, but it makes
 * another match ambiguous.
 */
export function isOneLetterOff(one: string, other: string): boolean {
  return isWithinEdits(one, other, 1) && one !== other;
}

const maxNames = 3;

/** Returns the known names that may be the correct spelling of `name`. */
export function findClosestNames(name: string, known: readonly string[]): string[] {
  const wanted = foldLettersAndDigits(name);
  const isNear = (one: string) => {
    const own = foldLettersAndDigits(one);
    const isPlural = own === `${wanted}s` || wanted === `${own}s`;
    return own === wanted || isPlural || isLikelyTypo(name, one);
  };
  return known.filter(isNear).slice(0, maxNames);
}

/** The maximum length of words that are compared letter by letter. */
const maxComparedLetters = 200;

function isWithinEdits(one: string, other: string, edits: number): boolean {
  const isComparable =
    Math.abs(one.length - other.length) <= edits && one.length <= maxComparedLetters;
  return isComparable && countEdits(one, other) <= edits;
}

/** Reports whether a list contains all of the words in the same order. */
export function hasInOrder(list: readonly string[], words: readonly string[]): boolean {
  let at = 0;
  for (const word of list) if (word === words[at]) at++;
  return at === words.length;
}
