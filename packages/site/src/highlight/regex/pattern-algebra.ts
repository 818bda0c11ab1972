import {
  addRange,
  createFullSet,
  beyondAsciiCode,
  createCharacterSet,
  invertSet,
  wordsPerSet,
} from "./character-set.ts";
import type { CharacterSet } from "./character-set.ts";

/**
 * The characters around a position in a text, as the words of three sets: the characters that can be at the position,
 * the characters that can follow that character, and the characters that can precede it. The beginning and the end of
 * the text are treated as a character beyond ASCII.
 */
export type PatternPosition = readonly number[];

const afterStart = wordsPerSet;
const beforeStart = 2 * wordsPerSet;

/** A position with any characters around it. */
export const anyPosition: PatternPosition = [
  ...createFullSet(),
  ...createFullSet(),
  ...createFullSet(),
];

/** A position at the end of a line, as for `$`. */
export const endOfLine: PatternPosition = createPositionWith(
  createCharacterSet(10, beyondAsciiCode),
);

/** A position at the beginning of a line, as for `^`. */
export const startOfLine: PatternPosition = createPositionAfter(
  createCharacterSet(10, beyondAsciiCode),
);

export const startOfText: PatternPosition = createPositionAfter(
  createCharacterSet(beyondAsciiCode),
);

/** Creates a position with one of these characters and any characters around it. */
function createPositionWith(set: CharacterSet): PatternPosition {
  return [...set, ...anyPosition.slice(wordsPerSet)];
}

/** Creates a position after one of these characters. */
function createPositionAfter(set: CharacterSet): PatternPosition {
  return [...anyPosition.slice(0, beforeStart), ...set];
}

/**
 * Reports whether a character with this code can be at the position. `beyondAsciiCode` represents all characters beyond
 * ASCII.
 */
export function canBeAt(position: PatternPosition, code: number): boolean {
  return hasBit(position, 0, code);
}

/** Reports whether a character with this code can follow the character at the position. */
export function canFollow(position: PatternPosition, code: number): boolean {
  return hasBit(position, afterStart, code);
}

/** Reports whether a character with this code can precede the position. */
export function canPrecede(position: PatternPosition, code: number): boolean {
  return hasBit(position, beforeStart, code);
}

/** Reports whether these two characters can precede and follow the character at the position. */
export function canSurround(
  position: PatternPosition,
  codeBefore: number,
  codeAfter: number,
): boolean {
  return hasBit(position, afterStart, codeAfter) && hasBit(position, beforeStart, codeBefore);
}

function hasBit(position: PatternPosition, set: number, code: number): boolean {
  return (((position[set + (code >>> 5)] ?? 0) >>> (code & 31)) & 1) === 1;
}

/**
 * Reports whether the two positions can be the same position in an ASCII line. The position cannot have a character
 * beyond ASCII, but the line can end after its character.
 */
function hasCommonPosition(
  a: PatternPosition | undefined,
  b: PatternPosition | undefined,
): boolean {
  if (!a || !b) return false;
  return (
    haveCommonWord(a, b, 0, wordsPerSet - 1) &&
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

function unitePositions(
  a: PatternPosition | undefined,
  b: PatternPosition | undefined,
): PatternPosition | undefined {
  if (!a || !b || a === b) return a ?? b;
  if (a === anyPosition || b === anyPosition) return anyPosition;
  return a.map((word, index) => word | (b[index] ?? 0));
}

function intersectPositions(
  a: PatternPosition | undefined,
  b: PatternPosition | undefined,
): PatternPosition | undefined {
  if (!a || !b) return undefined;
  if (a === anyPosition) return b;
  if (b === anyPosition || a === b) return a;
  return a.map((word, index) => word & (b[index] ?? 0));
}

/** Returns a position with a character of `a`, followed by a character of `b`. */
function joinPositions(
  a: PatternPosition | undefined,
  b: PatternPosition | undefined,
): PatternPosition | undefined {
  if (!a || !b) return undefined;
  if (b === anyPosition) return a;
  return a.map((word, index) =>
    index >= afterStart && index < beforeStart ? word & (b[index - afterStart] ?? 0) : word,
  );
}

const wordCharacters = createCharacterSet(95, beyondAsciiCode);
addRange(wordCharacters, 48, 57);
addRange(wordCharacters, 65, 90);
addRange(wordCharacters, 97, 122);
const otherCharacters = invertSet(wordCharacters);

/** Returns the position, restricted to the beginning or end of a word. */
function restrictToWordBoundary(
  position: PatternPosition | undefined,
): PatternPosition | undefined {
  if (!position) return undefined;
  const isInWord = haveCommonWord(position, wordCharacters, 0, wordsPerSet - 1);
  const isOutside = haveCommonWord(position, otherCharacters, 0, wordsPerSet - 1);
  if (isInWord === isOutside) return position;
  return intersectPositions(
    position,
    createPositionAfter(isInWord ? otherCharacters : wordCharacters),
  );
}

/** The kinds of lookarounds: `(?=`, `(?!`, `(?<=` and `(?<!`. */
export type Lookaround = "ahead" | "notAhead" | "behind" | "notBehind";

/** Computes a property of a pattern from the properties of its parts. */
export interface PatternAlgebra<Part> {
  /** Matches the empty string at a position of this kind. */
  nothing(position: PatternPosition): Part;
  /** `\b`, which matches empty text where a word begins or ends. */
  readonly wordBoundary: Part;
  /** Matches any of these characters. */
  character(set: CharacterSet): Part;
  /** `.`, which matches any character. */
  readonly anyCharacter: Part;
  /** A part that may match any text. */
  readonly anything: Part;
  either(a: Part, b: Part): Part;
  /** Matches one part followed by the other part. */
  sequence(a: Part, b: Part): Part;
  /** Matches the part one or more times. */
  repeated(part: Part): Part;
  /** Matches the part or empty text. */
  optional(part: Part): Part;
  lookaround(part: Part, kind: Lookaround): Part;
  /** A capturing group. */
  group(part: Part): Part;
  /** Reports whether the result is independent of the text that the following parts match. */
  isSettled(part: Part): boolean;
}

/**
 * The positions at which a part of a pattern can match, by the number of characters that it consumes. A position is
 * undefined if the part cannot consume this number of characters. A lookahead consumes no characters.
 */
interface StartPositions {
  readonly none?: PatternPosition | undefined;
  readonly one?: PatternPosition | undefined;
  readonly more?: PatternPosition | undefined;
  /** The last character that the part consumes; undefined means any character. */
  readonly last?: CharacterSet | undefined;
  /** Whether a word begins or ends at the position if the part consumes nothing. */
  readonly isWordBoundary?: boolean | undefined;
  /** Whether the part is `.`. `beginsWithDots` indicates whether it begins with a repeated `.`. */
  readonly isDot?: boolean | undefined;
  readonly beginsWithDots?: boolean | undefined;
}

/** Returns all positions at which the part can match, as one position. */
export function getStartPosition(part: StartPositions): PatternPosition {
  return unitePositions(part.none, findConsumedPosition(part)) ?? anyPosition;
}

/** Returns all positions at which the part can match and consume something, as one position. */
function findConsumedPosition({ one, more }: StartPositions): PatternPosition | undefined {
  return unitePositions(one, more);
}

/** Computes how matches of a pattern start. */
export const startPositionAlgebra: PatternAlgebra<StartPositions> = {
  nothing: (position) => ({ none: position }),
  wordBoundary: { none: anyPosition, isWordBoundary: true },
  character: (set) => ({ one: createPositionWith(set), last: set }),
  anyCharacter: { one: anyPosition, isDot: true },
  anything: { none: anyPosition, one: anyPosition, more: anyPosition },
  either: (a, b) => ({
    none: unitePositions(a.none, b.none),
    one: unitePositions(a.one, b.one),
    more: unitePositions(a.more, b.more),
    last: uniteLastCharacters(a, b),
    beginsWithDots: a.beginsWithDots || b.beginsWithDots,
  }),
  sequence(a, second) {
    const last = second.none ? uniteLastCharacters(a, second) : second.last;
    if (!a.none && !a.one) return { ...a, last };
    const b = a.isWordBoundary ? restrictStartPositions(second) : second;
    return {
      none: intersectPositions(a.none, b.none),
      one: unitePositions(intersectPositions(a.none, b.one), joinPositions(a.one, b.none)),
      more: unitePositions(
        unitePositions(intersectPositions(a.none, b.more), a.more),
        unitePositions(joinPositions(a.one, b.one), joinPositions(a.one, b.more)),
      ),
      last,
      isWordBoundary: a.isWordBoundary || b.isWordBoundary,
      beginsWithDots:
        a.beginsWithDots || (findConsumedPosition(a) === undefined && b.beginsWithDots),
    };
  },
  repeated: ({ none, one, more, last, isDot, beginsWithDots }) => ({
    none,
    one,
    more: unitePositions(more, joinPositions(one, unitePositions(one, more))),
    last,
    beginsWithDots: isDot || beginsWithDots,
  }),
  optional: (part) => ({ ...part, isDot: false, isWordBoundary: false, none: anyPosition }),
  lookaround(part, kind) {
    if (kind === "ahead") return { none: getStartPosition(part) };
    const last = kind === "behind" && !part.none ? part.last : undefined;
    return { none: last ? createPositionAfter(last) : anyPosition };
  },
  group: (part) => part,
  // After two characters, the following parts do not matter.
  isSettled: ({ none, one }) => !none && !one,
};

function restrictStartPositions(part: StartPositions): StartPositions {
  const none = restrictToWordBoundary(part.none);
  return {
    ...part,
    none,
    one: restrictToWordBoundary(part.one),
    more: restrictToWordBoundary(part.more),
  };
}

function uniteLastCharacters(a: StartPositions, b: StartPositions): CharacterSet | undefined {
  if (!findConsumedPosition(a)) return b.last;
  if (!findConsumedPosition(b)) return a.last;
  return a.last && b.last && a.last.map((word, index) => word | (b.last?.[index] ?? 0));
}

/**
 * The number of attempts that a backtracking engine may need to determine that a part of a pattern does not match at a
 * position. All numbers are upper bounds for a line of `maxLineLength` characters and may be far too high.
 */
export interface Backtracking {
  readonly start: StartPositions;
  /** The positions after a match whose character could also have been part of the match. */
  readonly continuesWith?: PatternPosition | undefined;
  /** The number of ways in which the part can match if the following part can begin wherever this part can end. */
  readonly ways: number;
  /** The number of ways in which the part can match if the following part determines where this part ends. */
  readonly waysToFixedEnd: number;
  readonly steps: number;
  /** Whether the part has a capturing group. `canSkipGroup` indicates whether it can match without this group. */
  readonly hasGroup?: boolean | undefined;
  readonly canSkipGroup?: boolean | undefined;
  /** Whether V8 and Oniguruma differ in what the part matches or in what its groups capture. */
  readonly differs?: boolean | undefined;
}

/** The maximum number of characters of a line that is passed to V8. */
export const maxLineLength = 200;

/** Computes the number of attempts. Continuations are distinguished by their first two characters. */
export const backtracking: PatternAlgebra<Backtracking> = {
  nothing: (position) => createLeaf(startPositionAlgebra.nothing(position)),
  wordBoundary: createLeaf(startPositionAlgebra.wordBoundary),
  character: (set) => createLeaf(startPositionAlgebra.character(set)),
  anyCharacter: createLeaf(startPositionAlgebra.anyCharacter),
  anything: { ...createLeaf(startPositionAlgebra.anything), differs: true },
  either(a, b) {
    const [taken, other] = [findConsumedPosition(a.start), findConsumedPosition(b.start)];
    const [isNone, isOtherNone] = [a.start.none !== undefined, b.start.none !== undefined];
    const areAlike = hasCommonPosition(taken, other) || (isNone && isOtherNone);
    return {
      start: startPositionAlgebra.either(a.start, b.start),
      continuesWith: [
        a.continuesWith,
        b.continuesWith,
        isOtherNone ? taken : undefined,
        isNone ? other : undefined,
      ].reduce(unitePositions),
      ways: a.ways + b.ways,
      waysToFixedEnd: areAlike
        ? a.waysToFixedEnd + b.waysToFixedEnd
        : Math.max(a.waysToFixedEnd, b.waysToFixedEnd),
      steps: a.steps + b.steps,
      hasGroup: a.hasGroup || b.hasGroup,
      canSkipGroup: a.hasGroup || b.hasGroup,
      differs: a.differs || b.differs,
    };
  },
  sequence(a, b) {
    const through = hasCommonPosition(a.continuesWith, findConsumedPosition(b.start))
      ? a.ways
      : a.waysToFixedEnd;
    const isEndOpen = b.start.none !== undefined;
    return {
      start: startPositionAlgebra.sequence(a.start, b.start),
      continuesWith: unitePositions(
        b.continuesWith,
        intersectPositions(a.continuesWith, b.start.none),
      ),
      ways: (isEndOpen ? a.ways : through) * b.ways,
      waysToFixedEnd: through * b.waysToFixedEnd,
      steps: a.steps + through * b.steps,
      hasGroup: a.hasGroup || b.hasGroup,
      canSkipGroup: a.canSkipGroup || b.canSkipGroup,
      differs: a.differs || b.differs,
    };
  },
  repeated(part) {
    const again = findConsumedPosition(part.start);
    const hasChoice =
      part.waysToFixedEnd > 1 ||
      part.start.none !== undefined ||
      hasCommonPosition(part.continuesWith, again);
    return {
      ...part,
      start: startPositionAlgebra.repeated(part.start),
      continuesWith: unitePositions(part.continuesWith, again),
      ways: maxLineLength,
      waysToFixedEnd: 1,
      // A repeated choice can double the number of ways to match with each character.
      steps: hasChoice ? Infinity : maxLineLength * part.steps,
      // If the last iteration skips a group, V8 discards the group's earlier capture.
      differs: part.differs || part.canSkipGroup,
    };
  },
  optional: (part) => ({
    ...backtracking.either(part, createLeaf(startPositionAlgebra.nothing(anyPosition))),
    // Unlike Oniguruma, V8 rejects an empty match of an optional part.
    differs: part.differs || part.start.none !== undefined,
  }),
  lookaround: (part, kind) => ({
    ...createLeaf(startPositionAlgebra.lookaround(part.start, kind)),
    steps: part.steps,
    hasGroup: part.hasGroup,
    canSkipGroup: part.canSkipGroup,
    // V8 matches lookbehinds from right to left, so groups may capture different text.
    differs: part.differs || (kind === "behind" && part.hasGroup),
  }),
  group: (part) => ({ ...part, hasGroup: true }),
  isSettled: () => false,
};

function createLeaf(start: StartPositions): Backtracking {
  return { start, ways: 1, waysToFixedEnd: 1, steps: 1 };
}
