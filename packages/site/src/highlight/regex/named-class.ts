import {
  addCharacter,
  addRange,
  beyondAscii,
  complementOf,
  noCharacters,
  type CharacterSet,
} from "./character-set.ts";

type Ranges = readonly (readonly [first: number, last: number])[];

const upper: Ranges = [[65, 90]];
const lower: Ranges = [[97, 122]];
const letters: Ranges = [...upper, ...lower];
const digits: Ranges = [[48, 57]];
const word: Ranges = [...letters, ...digits, [95, 95]];
const blank: Ranges = [
  [9, 9],
  [32, 32],
];

/** The ASCII characters of Oniguruma's POSIX classes and Unicode properties, by name in lower case. */
const ranges: Readonly<Record<string, Ranges>> = {
  alnum: [...letters, ...digits],
  alpha: letters,
  alphabetic: letters,
  blank,
  digit: digits,
  l: letters,
  ll: lower,
  lower,
  lu: upper,
  n: digits,
  nd: digits,
  upper,
  word,
  xids: letters,
  xidc: word,
  ...Object.fromEntries(
    ["lm", "lo", "lt", "m", "mc", "me", "mn", "nl", "no"].map((name) => [name, []]),
  ),
};
/** Classes that contain other characters if case is ignored. */
const caseDependent: ReadonlySet<string> = new Set(["ll", "lower", "lt", "lu", "upper"]);

/**
 * The characters of `[:alpha:]`, `\p{Alpha}` and the like, given as written, with `^` and the name; undefined if
 * unknown. They include everything that is not ASCII.
 */
export function namedClass(
  [text = "", caret, name = ""]: readonly string[],
  foldsCase: boolean,
): CharacterSet | undefined {
  const set = classOf(name.toLowerCase(), foldsCase);
  const isOpposite = (caret === "^") !== text.startsWith("\\P");
  return set && isOpposite ? complementOf(set) : set;
}

function classOf(key: string, foldsCase: boolean): CharacterSet | undefined {
  if (!Object.hasOwn(ranges, key) || (foldsCase && caseDependent.has(key))) return undefined;
  const set = noCharacters();
  for (const [first, last] of [...(ranges[key] ?? []), [beyondAscii, beyondAscii] as const]) {
    addRange(set, first, last);
  }
  return set;
}

/** `\d`, `\w`, `\s`, `\h` (a hexadecimal digit) and their opposites. */
export function shorthandClass(name: string): CharacterSet {
  const set = noCharacters();
  const kind = name.toLowerCase();
  if (kind === "s") addRange(set, 9, 13);
  if (kind === "s") addCharacter(set, 32);
  if (kind !== "s") addRange(set, 48, 57);
  if (kind === "h" || kind === "w") {
    const last = kind === "h" ? 6 : 26;
    addRange(set, 65, 64 + last);
    addRange(set, 97, 96 + last);
  }
  if (kind === "w") addCharacter(set, 95);
  if (kind !== "h") addCharacter(set, 0xffff);
  if (name === kind) return set;
  const opposite = complementOf(set);
  // Whether a vertical tab is whitespace depends on the version.
  if (kind === "s") addCharacter(opposite, 11);
  return opposite;
}
