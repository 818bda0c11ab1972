import { countEdits, foldLettersAndDigits } from "@octavo/site/core";

/** Words that do not describe the subject of a heading or page. */
const smallWords: ReadonlySet<string> = new Set(
  "a an the and or of to in on for with your our how do i is are by as at from per".split(" "),
);
/** Words in links that do not name a page: `see the guide`, `learn more`. */
const emptyWords: ReadonlySet<string> = new Set(
  "here this that it page pages guide guides docs documentation section more learn read see detail details link links about full check out all below above information info article us".split(
    " ",
  ),
);

/** Returns the significant words without their endings, so that `configuring` and `configure` are the same. */
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

/**
 * Compares a link's words with a page's titles. They may be the same, one may be part of the other, or they may be
 * different. Undefined if the link's words do not describe its target.
 */
function titleMatch(
  words: string,
  titles: readonly string[],
): "same" | "part" | "other" | undefined {
  const mine = extractStems(words).filter((word) => !emptyWords.has(word));
  const own = titles.filter((title) => title !== "");
  if (mine.length === 0 || own.length === 0) return undefined;
  if (own.some((title) => foldLettersAndDigits(title) === foldLettersAndDigits(words)))
    return "same";
  const isPart = own.some((title) => {
    const theirs = extractStems(title);
    const shared = theirs.filter((word) => mine.includes(word)).length;
    return shared > 0 && (shared === theirs.length || shared === mine.length);
  });
  return isPart ? "part" : "other";
}

/**
 * Compares all links to one address with the titles. Returns the result that at least half of the descriptive links
 * share.
 */
export function compareTitles(
  words: readonly string[],
  titles: readonly string[],
): "same" | "part" | "other" | undefined {
  const found = words
    .map((text) => titleMatch(text, titles))
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
 * Reports whether two words differ by a typo. They must be long enough and have the same digits, and one letter must be
 * missing, added, changed or transposed. Words of eight or more letters with the same beginning may differ in two
 * letters.
 */
function isTypo(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4 || a.replaceAll(/\D/g, "") !== b.replaceAll(/\D/g, "")) return false;
  const isFar = shorter >= 8 && a[0] === b[0];
  return isWithinEdits(a, b, isFar ? maxTypoLetters : 1);
}

/**
 * Reports whether two texts of any length are one letter apart. This is not enough to treat them as the same, but
 * enough to doubt a third candidate.
 */
export function isOneLetterOff(one: string, other: string): boolean {
  return isWithinEdits(one, other, 1) && one !== other;
}

const maxNames = 3;

/** Returns the known names that a missing one is probably a misspelling of. */
export function findClosestNames(name: string, known: readonly string[]): string[] {
  const wanted = foldLettersAndDigits(name);
  const near = (one: string) => {
    const own = foldLettersAndDigits(one);
    const isPlural = own === `${wanted}s` || wanted === `${own}s`;
    return own === wanted || isPlural || isLikelyTypo(name, one);
  };
  return known.filter(near).slice(0, maxNames);
}

/** The maximum number of letters of a word that is compared letter by letter. */
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
