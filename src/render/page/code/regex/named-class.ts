import { addRange, beyondAscii, noCharacters, type CharacterSet } from "./character-set.ts";

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

/** What Oniguruma's POSIX classes and Unicode's properties hold of ASCII, by names in lower case. */
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
/** What they hold changes where upper and lower case are the same. */
const ofOneCase: ReadonlySet<string> = new Set(["ll", "lower", "lt", "lu", "upper"]);

/** A class with all that is not ASCII. Undefined for names that are not known here. */
export function namedClass(name: string, foldsCase: boolean): CharacterSet | undefined {
  const key = name.toLowerCase();
  if (!Object.hasOwn(ranges, key) || (foldsCase && ofOneCase.has(key))) return undefined;
  const set = noCharacters();
  for (const [first, last] of [...(ranges[key] ?? []), [beyondAscii, beyondAscii] as const]) {
    addRange(set, first, last);
  }
  return set;
}
