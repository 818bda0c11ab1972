/**
 * A set of characters, as one bit for each ASCII code and one word that is not 0 if the set contains any other
 * characters. Characters beyond ASCII are not distinguished.
 */
export type CharacterSet = number[];

/** The code that represents all characters beyond ASCII and the end of the text. */
export const beyondAsciiCode = 128;
/** A word with all bits set. */
const allBits = -1;
/** The number of words in a set: four for ASCII and one for all other characters. */
export const wordsPerSet = 5;

export function createEmptySet(): CharacterSet {
  return [0, 0, 0, 0, 0];
}

export function createFullSet(): CharacterSet {
  return [allBits, allBits, allBits, allBits, allBits];
}

export function createCharacterSet(...codes: readonly number[]): CharacterSet {
  const set = createEmptySet();
  for (const code of codes) addCharacter(set, code);
  return set;
}

export function addCharacter(set: CharacterSet, code: number): void {
  if (code >= beyondAsciiCode) set[wordsPerSet - 1] = allBits;
  else set[code >>> 5] = (set[code >>> 5] ?? 0) | (1 << (code & 31));
}

/** Adds a range, including both ends. */
export function addRange(set: CharacterSet, first: number, last: number): void {
  for (let code = first; code <= Math.min(last, beyondAsciiCode - 1); code += 1)
    addCharacter(set, code);
  if (last >= beyondAsciiCode) addCharacter(set, last);
}

export function addSet(set: CharacterSet, added: CharacterSet): void {
  for (let word = 0; word < set.length; word += 1) {
    set[word] = (set[word] ?? 0) | (added[word] ?? 0);
  }
}

/** Returns all characters except `set`. The result always contains some characters beyond ASCII. */
export function invertSet(set: CharacterSet): CharacterSet {
  const complement = set.map((word) => ~word);
  addCharacter(complement, beyondAsciiCode);
  return complement;
}

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

/** The ASCII characters of Oniguruma's POSIX classes and Unicode properties, keyed by the name in lower case. */
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
/** The classes that contain different characters if case is ignored. */
const caseDependent: ReadonlySet<string> = new Set(["ll", "lower", "lt", "lu", "upper"]);

/**
 * Returns the characters of a class such as `[:alpha:]` or `\p{Alpha}`, or undefined if the class is unknown. `^` and
 * the name are passed as written in the pattern. The set includes all characters beyond ASCII.
 */
export function createNamedClass(
  [text = "", caret, name = ""]: readonly string[],
  foldsCase: boolean,
): CharacterSet | undefined {
  const set = findClass(name.toLowerCase(), foldsCase);
  const isOpposite = (caret === "^") !== text.startsWith("\\P");
  return set && isOpposite ? invertSet(set) : set;
}

function findClass(key: string, foldsCase: boolean): CharacterSet | undefined {
  if (!Object.hasOwn(ranges, key) || (foldsCase && caseDependent.has(key))) return undefined;
  const set = createEmptySet();
  for (const [first, last] of [
    ...(ranges[key] ?? []),
    [beyondAsciiCode, beyondAsciiCode] as const,
  ]) {
    addRange(set, first, last);
  }
  return set;
}

/** Returns the characters of `\d`, `\w`, `\s`, `\h` (a hexadecimal digit) or their opposites. */
export function createShorthandClass(name: string): CharacterSet {
  const set = createEmptySet();
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
  const opposite = invertSet(set);
  // Whether a vertical tab is white space depends on the version of Oniguruma.
  if (kind === "s") addCharacter(opposite, 11);
  return opposite;
}
