import {
  addRange,
  anyCharacter,
  beyondAscii,
  charactersOf,
  complementOf,
  setWords,
  type CharacterSet,
} from "./character-set.ts";

/**
 * What can be around a place in a text: the words of three sets of characters, those that can be there, right after
 * that character, and right before it. The beginning and the end of the text count as a character beyond ASCII.
 */
export type PatternPlace = readonly number[];

const afterStart = setWords;
const beforeStart = 2 * setWords;

/** A place with any characters around it. */
export const anyPlace: PatternPlace = [...anyCharacter(), ...anyCharacter(), ...anyCharacter()];

/** Where a line ends, as for `$`. */
export const endOfLine: PatternPlace = placeWith(charactersOf(10, beyondAscii));
/** Where a line begins, as for `^`. */
export const startOfLine: PatternPlace = placeAfter(charactersOf(10, beyondAscii));
export const startOfText: PatternPlace = placeAfter(charactersOf(beyondAscii));

/** A place with one of these characters, whatever is around it. */
export function placeWith(set: CharacterSet): PatternPlace {
  return [...set, ...anyPlace.slice(setWords)];
}

/** A place after one of these characters. */
export function placeAfter(set: CharacterSet): PatternPlace {
  return [...anyPlace.slice(0, beforeStart), ...set];
}

/** Whether the character of this code (`beyondAscii` for all that are) can be there. */
export function canBeAt(place: PatternPlace, code: number): boolean {
  return hasBit(place, 0, code);
}

/** Whether the character of this code (`beyondAscii` for all that are) can follow the one there. */
export function canFollow(place: PatternPlace, code: number): boolean {
  return hasBit(place, afterStart, code);
}

/** Whether the character of this code (`beyondAscii` for all that are) can precede the place. */
export function canPrecede(place: PatternPlace, code: number): boolean {
  return hasBit(place, beforeStart, code);
}

/** Whether these two characters can be before and after the one there. */
export function canSurround(place: PatternPlace, codeInFront: number, codeBehind: number): boolean {
  return hasBit(place, afterStart, codeBehind) && hasBit(place, beforeStart, codeInFront);
}

function hasBit(place: PatternPlace, set: number, code: number): boolean {
  return (((place[set + (code >>> 5)] ?? 0) >>> (code & 31)) & 1) === 1;
}

/**
 * Whether both can be the same place of an ASCII line. A character beyond ASCII cannot be there, but the line can end
 * after it.
 */
export function haveCommon(a: PatternPlace | undefined, b: PatternPlace | undefined): boolean {
  if (!a || !b) return false;
  return (
    haveCommonWord(a, b, 0, setWords - 1) &&
    haveCommonWord(a, b, afterStart, beforeStart) &&
    haveCommonWord(a, b, beforeStart, a.length)
  );
}

function haveCommonWord(a: PatternPlace, b: PatternPlace, start: number, end: number): boolean {
  for (let word = start; word < end; word += 1) {
    if (((a[word] ?? 0) & (b[word] ?? 0)) !== 0) return true;
  }
  return false;
}

export function unionOf(
  a: PatternPlace | undefined,
  b: PatternPlace | undefined,
): PatternPlace | undefined {
  if (!a || !b || a === b) return a ?? b;
  if (a === anyPlace || b === anyPlace) return anyPlace;
  return a.map((word, index) => word | (b[index] ?? 0));
}

export function commonOf(
  a: PatternPlace | undefined,
  b: PatternPlace | undefined,
): PatternPlace | undefined {
  if (!a || !b) return undefined;
  if (a === anyPlace) return b;
  if (b === anyPlace || a === b) return a;
  return a.map((word, index) => word & (b[index] ?? 0));
}

/** A place with a character of `a`, followed by one of `b`. */
export function followedBy(
  a: PatternPlace | undefined,
  b: PatternPlace | undefined,
): PatternPlace | undefined {
  if (!a || !b) return undefined;
  if (b === anyPlace) return a;
  return a.map((word, index) =>
    index >= afterStart && index < beforeStart ? word & (b[index - afterStart] ?? 0) : word,
  );
}

const wordCharacters = charactersOf(95, beyondAscii);
addRange(wordCharacters, 48, 57);
addRange(wordCharacters, 65, 90);
addRange(wordCharacters, 97, 122);
const otherCharacters = complementOf(wordCharacters);

/** The place, restricted to where a word begins or ends. */
export function atWordBoundary(place: PatternPlace | undefined): PatternPlace | undefined {
  if (!place) return undefined;
  const isInWord = haveCommonWord(place, wordCharacters, 0, setWords - 1);
  const isOutside = haveCommonWord(place, otherCharacters, 0, setWords - 1);
  if (isInWord === isOutside) return place;
  return commonOf(place, placeAfter(isInWord ? otherCharacters : wordCharacters));
}
