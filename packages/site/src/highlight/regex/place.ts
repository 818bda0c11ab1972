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
 * What can stand around a place of a text: the words of the sets of characters that can stand there, behind that
 * character, and in front of it. The beginning and the end of the text count as a character beyond ASCII.
 */
export type PatternPlace = readonly number[];

const behind = setWords;
const inFront = 2 * setWords;

/** All that can stand around a place. */
export const anyPlace: PatternPlace = [...anyCharacter(), ...anyCharacter(), ...anyCharacter()];

/** Where a line ends, as `$` has it. */
export const endOfLine: PatternPlace = placeWith(charactersOf(10, beyondAscii));
/** Where a line begins, as `^` has it. */
export const startOfLine: PatternPlace = placeBehind(charactersOf(10, beyondAscii));
export const startOfText: PatternPlace = placeBehind(charactersOf(beyondAscii));

/** With one of these characters, whatever is around it. */
export function placeWith(set: CharacterSet): PatternPlace {
  return [...set, ...anyPlace.slice(setWords)];
}

/** With one of these characters in front of it. */
export function placeBehind(set: CharacterSet): PatternPlace {
  return [...anyPlace.slice(0, inFront), ...set];
}

/** Whether the character of this code (`beyondAscii` for all that are) can stand there. */
export function canStand(place: PatternPlace, code: number): boolean {
  return hasBit(place, 0, code);
}

/** Whether the character of this code (`beyondAscii` for all that are) can stand behind it. */
export function canStandBehind(place: PatternPlace, code: number): boolean {
  return hasBit(place, behind, code);
}

/** Whether the character of this code (`beyondAscii` for all that are) can stand in front of it. */
export function canStandInFront(place: PatternPlace, code: number): boolean {
  return hasBit(place, inFront, code);
}

/** Whether these two characters can stand in front of it and behind it. */
export function canStandBetween(
  place: PatternPlace,
  codeInFront: number,
  codeBehind: number,
): boolean {
  return hasBit(place, behind, codeBehind) && hasBit(place, inFront, codeInFront);
}

function hasBit(place: PatternPlace, set: number, code: number): boolean {
  return (((place[set + (code >>> 5)] ?? 0) >>> (code & 31)) & 1) === 1;
}

/**
 * Whether both can stand at one place of a line of ASCII: a character that is none cannot, but behind it the line
 * can end.
 */
export function haveCommon(a: PatternPlace | undefined, b: PatternPlace | undefined): boolean {
  if (!a || !b) return false;
  return (
    haveCommonWord(a, b, 0, setWords - 1) &&
    haveCommonWord(a, b, behind, inFront) &&
    haveCommonWord(a, b, inFront, a.length)
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

/** A place with a character of `a`, and behind it one of `b`. */
export function joined(
  a: PatternPlace | undefined,
  b: PatternPlace | undefined,
): PatternPlace | undefined {
  if (!a || !b) return undefined;
  if (b === anyPlace) return a;
  return a.map((word, index) =>
    index >= behind && index < inFront ? word & (b[index - behind] ?? 0) : word,
  );
}

const wordCharacters = charactersOf(95, beyondAscii);
addRange(wordCharacters, 48, 57);
addRange(wordCharacters, 65, 90);
addRange(wordCharacters, 97, 122);
const otherCharacters = complementOf(wordCharacters);

/** Those of the places where a word begins or ends. */
export function atWordBoundary(place: PatternPlace | undefined): PatternPlace | undefined {
  if (!place) return undefined;
  const isInWord = haveCommonWord(place, wordCharacters, 0, setWords - 1);
  const isOutside = haveCommonWord(place, otherCharacters, 0, setWords - 1);
  if (isInWord === isOutside) return place;
  return commonOf(place, placeBehind(isInWord ? otherCharacters : wordCharacters));
}
