import { letters } from "../pages.ts";

/** Words that say nothing of what a heading or a page is about. */
const smallWords: ReadonlySet<string> = new Set(
  "a an the and or of to in on for with your our how do i is are by as at from per".split(" "),
);
/** Words of links that name no page: `see the guide`, `learn more`. */
const emptyWords: ReadonlySet<string> = new Set(
  "here this that it page pages guide guides docs documentation section more learn read see detail details link links about full check out all below above information info article us".split(
    " ",
  ),
);

/** The words that matter, each without its ending: `configuring` and `configure` are one. */
export function wordsOf(text: string): string[] {
  const words = allWords(text).slice(0, 40);
  return [...new Set(words.filter((word) => !smallWords.has(word)).map(stemOf))];
}

function stemOf(word: string): string {
  if (word.length < 5) return word.replace(/(?<=...)e?s?$/, "");
  return word.replace(/(?:ies|y)$/, "i").replace(/(?:ing|ed|es|e|s)$/, "");
}

export function sameWords(one: readonly string[], other: readonly string[]): boolean {
  return one.length > 0 && one.toSorted().join(" ") === other.toSorted().join(" ");
}

/** `tools in sampling` is not `sampling with tools`. */
export function inSameOrder(one: readonly string[], other: readonly string[]): boolean {
  return one.length > 0 && one.join(" ") === other.join(" ");
}

/**
 * How a link's words stand to a page's titles: the same, a part of it or the other way round, or something else;
 * undefined where the link says nothing of where it leads.
 */
function titleMatch(
  words: string,
  titles: readonly string[],
): "same" | "part" | "other" | undefined {
  const mine = wordsOf(words).filter((word) => !emptyWords.has(word));
  const own = titles.filter((title) => title !== "");
  if (mine.length === 0 || own.length === 0) return undefined;
  if (own.some((title) => letters(title) === letters(words))) return "same";
  const isPart = own.some((title) => {
    const theirs = wordsOf(title);
    const shared = theirs.filter((word) => mine.includes(word)).length;
    return shared > 0 && (shared === theirs.length || shared === mine.length);
  });
  return isPart ? "part" : "other";
}

/** The same for all links to one address: what at least half of those say that say something. */
export function titlesMatch(
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
 * Whether one is likely the other with a slip of the hand in one of its words: `how-to-import` is not `how-to-export`.
 */
export function isMisspelling(one: string, other: string): boolean {
  const [mine, theirs] = [allWords(one), allWords(other)];
  if (mine.length !== theirs.length) return false;
  const different = mine.flatMap((word, index) =>
    word === theirs[index] ? [] : [[word, theirs[index] ?? ""] as const],
  );
  const [pair] = different;
  return pair !== undefined && different.length === 1 && isSlip(...pair);
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** Every word in lower case. */
export function allWords(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Letters by which a slip of the hand makes a word longer or shorter. */
export const maxSlip = 2;

/**
 * Long enough, the same digits, and one letter (two from eight letters on, where the beginning is the same) left out,
 * added, changed or turned round.
 */
function isSlip(a: string, b: string): boolean {
  const shorter = Math.min(a.length, b.length);
  if (shorter < 4 || a.replaceAll(/\D/g, "") !== b.replaceAll(/\D/g, "")) return false;
  const isFar = shorter >= 8 && a[0] === b[0];
  return distance(a, b) <= (isFar ? maxSlip : 1);
}

/** However short its words are: too little to take one for the other, enough to doubt a third. */
export function isOneLetterOff(one: string, other: string): boolean {
  return distance(one, other) === 1;
}

/** Letters to leave out, add, change or turn round; 3 where it is more than 2. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 2 || a.length > 200) return 3;
  let [older, old]: [number[], number[]] = [[], Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const isSame = a[i - 1] === b[j - 1];
      const isTurned = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row[j] = Math.min(
        (old[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (old[j - 1] ?? 0) + (isSame ? 0 : 1),
        isTurned ? (older[j - 2] ?? 0) + 1 : Infinity,
      );
    }
    [older, old] = [old, row];
  }
  return Math.min(3, old[b.length] ?? 3);
}
