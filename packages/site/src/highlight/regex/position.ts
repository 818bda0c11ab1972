import {
  addRange,
  createFullSet,
  beyondAscii,
  createCharacterSet,
  invertSet,
  setWords,
  type CharacterSet,
} from "./character-set.ts";

/**
 * The characters around a position in a text, as the words of three sets: the characters that can be at the position,
 * those that can follow that character, and those that can precede it. The beginning and the end of the text are
 * treated as a character beyond ASCII.
 */
export type PatternPosition = readonly number[];

const afterStart = setWords;
const beforeStart = 2 * setWords;

/** A position with any characters around it. */
export const anyPosition: PatternPosition = [
  ...createFullSet(),
  ...createFullSet(),
  ...createFullSet(),
];

/** A position at the end of a line, as for `$`. */
export const endOfLine: PatternPosition = createPositionWith(createCharacterSet(10, beyondAscii));
/** A position at the beginning of a line, as for `^`. */
export const startOfLine: PatternPosition = createPositionAfter(
  createCharacterSet(10, beyondAscii),
);
export const startOfText: PatternPosition = createPositionAfter(createCharacterSet(beyondAscii));

/** Creates a position with one of these characters and any characters around it. */
export function createPositionWith(set: CharacterSet): PatternPosition {
  return [...set, ...anyPosition.slice(setWords)];
}

/** Creates a position after one of these characters. */
export function createPositionAfter(set: CharacterSet): PatternPosition {
  return [...anyPosition.slice(0, beforeStart), ...set];
}

/**
 * Reports whether a character with this code can be at the position. `beyondAscii` represents all characters beyond
 * ASCII.
 */
export function canBeAt(place: PatternPosition, code: number): boolean {
  return hasBit(place, 0, code);
}

/** Reports whether a character with this code can follow the character at the position. */
export function canFollow(place: PatternPosition, code: number): boolean {
  return hasBit(place, afterStart, code);
}

/** Reports whether a character with this code can precede the position. */
export function canPrecede(place: PatternPosition, code: number): boolean {
  return hasBit(place, beforeStart, code);
}

/** Reports whether these two characters can precede and follow the character at the position. */
export function canSurround(
  place: PatternPosition,
  codeInFront: number,
  codeBehind: number,
): boolean {
  return hasBit(place, afterStart, codeBehind) && hasBit(place, beforeStart, codeInFront);
}

function hasBit(place: PatternPosition, set: number, code: number): boolean {
  return (((place[set + (code >>> 5)] ?? 0) >>> (code & 31)) & 1) === 1;
}

/**
 * Reports whether both can be the same position in an ASCII line. The position cannot have a character beyond ASCII,
 * but the line can end after its character.
 */
export function hasCommonPosition(
  a: PatternPosition | undefined,
  b: PatternPosition | undefined,
): boolean {
  if (!a || !b) return false;
  return (
    haveCommonWord(a, b, 0, setWords - 1) &&
    haveCommonWord(a, b, afterStart, beforeStart) &&
    haveCommonWord(a, b, beforeStart, a.length)
  );
}

function haveCommonWord(
  a: PatternPosition,
  b: PatternPosition,
  start: number,
  end: number,
): boolean {
  for (let word = start; word < end; word += 1) {
    if (((a[word] ?? 0) & (b[word] ?? 0)) !== 0) return true;
  }
  return false;
}

export function unitePositions(
  a: PatternPosition | undefined,
  b: PatternPosition | undefined,
): PatternPosition | undefined {
  if (!a || !b || a === b) return a ?? b;
  if (a === anyPosition || b === anyPosition) return anyPosition;
  return a.map((word, index) => word | (b[index] ?? 0));
}

export function intersectPositions(
  a: PatternPosition | undefined,
  b: PatternPosition | undefined,
): PatternPosition | undefined {
  if (!a || !b) return undefined;
  if (a === anyPosition) return b;
  if (b === anyPosition || a === b) return a;
  return a.map((word, index) => word & (b[index] ?? 0));
}

/** Returns a position with a character of `a`, followed by a character of `b`. */
export function joinPositions(
  a: PatternPosition | undefined,
  b: PatternPosition | undefined,
): PatternPosition | undefined {
  if (!a || !b) return undefined;
  if (b === anyPosition) return a;
  return a.map((word, index) =>
    index >= afterStart && index < beforeStart ? word & (b[index - afterStart] ?? 0) : word,
  );
}

const wordCharacters = createCharacterSet(95, beyondAscii);
addRange(wordCharacters, 48, 57);
addRange(wordCharacters, 65, 90);
addRange(wordCharacters, 97, 122);
const otherCharacters = invertSet(wordCharacters);

/** Returns the position, restricted to where a word begins or ends. */
export function restrictToWordBoundary(
  place: PatternPosition | undefined,
): PatternPosition | undefined {
  if (!place) return undefined;
  const isInWord = haveCommonWord(place, wordCharacters, 0, setWords - 1);
  const isOutside = haveCommonWord(place, otherCharacters, 0, setWords - 1);
  if (isInWord === isOutside) return place;
  return intersectPositions(
    place,
    createPositionAfter(isInWord ? otherCharacters : wordCharacters),
  );
}
