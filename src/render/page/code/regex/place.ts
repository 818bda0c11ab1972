import {
  addCharacter,
  anyCharacter,
  beyondAscii,
  noCharacters,
  setWords,
  type CharacterSet,
} from "./character-set.ts";

/**
 * What can stand at a place of a text: the words of the set of characters that can stand there, then those of
 * the set for the character behind it. The end of the text counts as a character beyond ASCII.
 */
export type Place = readonly number[];

/** All that can stand at a place. */
export const anyPlace: Place = [...anyCharacter(), ...anyCharacter()];

/** Where a line ends, as `$` has it. */
export const endOfLine: Place = placeWith(lineEnds());

function lineEnds(): CharacterSet {
  const set = noCharacters();
  addCharacter(set, 10);
  addCharacter(set, beyondAscii);
  return set;
}

/** With one of these characters, whatever is behind it. */
export function placeWith(set: CharacterSet): Place {
  return [...set, ...anyPlace.slice(setWords)];
}

/** Whether the character of this code (`beyondAscii` for all that are) can stand there. */
export function canStand(place: Place, code: number): boolean {
  return (((place[code >>> 5] ?? 0) >>> (code & 31)) & 1) === 1;
}

/** Whether the character of this code (`beyondAscii` for all that are) can stand behind it. */
export function canStandBehind(place: Place, code: number): boolean {
  return (((place[setWords + (code >>> 5)] ?? 0) >>> (code & 31)) & 1) === 1;
}

/**
 * Whether both can stand at one place of a line of ASCII: a character that is none cannot, but behind it the line
 * can end.
 */
export function haveCommon(a: Place | undefined, b: Place | undefined): boolean {
  if (!a || !b) return false;
  return haveCommonWord(a, b, 0, setWords - 1) && haveCommonWord(a, b, setWords, a.length);
}

function haveCommonWord(a: Place, b: Place, start: number, end: number): boolean {
  for (let word = start; word < end; word += 1) {
    if (((a[word] ?? 0) & (b[word] ?? 0)) !== 0) return true;
  }
  return false;
}

export function unionOf(a: Place | undefined, b: Place | undefined): Place | undefined {
  if (!a || !b || a === b) return a ?? b;
  if (a === anyPlace || b === anyPlace) return anyPlace;
  return a.map((word, index) => word | (b[index] ?? 0));
}

export function commonOf(a: Place | undefined, b: Place | undefined): Place | undefined {
  if (!a || !b) return undefined;
  if (a === anyPlace) return b;
  if (b === anyPlace || a === b) return a;
  return a.map((word, index) => word & (b[index] ?? 0));
}

/** A place with a character of `a`, and behind it one of `b`. */
export function joined(a: Place | undefined, b: Place | undefined): Place | undefined {
  if (!a || !b) return undefined;
  if (b === anyPlace) return a;
  return a.map((word, index) => (index < setWords ? word : word & (b[index - setWords] ?? 0)));
}
