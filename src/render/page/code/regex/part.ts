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
 * A part of a pattern: what can stand where it matches, by how many characters it takes. A lookahead takes none.
 * What is undefined cannot be.
 */
export interface Part {
  readonly none?: Place | undefined;
  readonly one?: Place | undefined;
  readonly more?: Place | undefined;
  /** What can stand behind a match that could as well have taken it. This and the next are told by `choices`. */
  readonly goesOn?: Place | undefined;
  /** Whether it can match the same text in more than one way. */
  readonly hasChoice?: boolean | undefined;
  /** Whether such a choice is repeated: the ways to try can double with each character. */
  readonly multiplies?: boolean | undefined;
  /** Whether a group of it is kept, and whether it can match without that group. */
  readonly hasGroup?: boolean | undefined;
  readonly passesGroup?: boolean | undefined;
  /** Whether that is repeated: engines differ in what the group then is, if the last repetition passed it. */
  readonly repeatsGroup?: boolean | undefined;
}

/** How what is known of a pattern follows from its parts. */
export interface PatternAlgebra {
  either(a: Part, b: Part): Part;
  /** One part, and the other behind it. */
  sequence(a: Part, b: Part): Part;
  /** The part once or more often. */
  repeated(part: Part): Part;
  /** The part, or nothing. */
  optional(part: Part): Part;
  /** Of what stands in a lookahead, or in another that is not `ahead`: it takes nothing. */
  lookaround(part: Part, isAhead: boolean): Part;
  /** A group whose match is kept. */
  group(part: Part): Part;
  /** Whether nothing that could stand behind the part would change what it tells. */
  isSettled(part: Part): boolean;
}

/** Tells how matches of a pattern start. */
export const starts: PatternAlgebra = {
  either: (a, b) => ({
    none: unionOf(a.none, b.none),
    one: unionOf(a.one, b.one),
    more: unionOf(a.more, b.more),
  }),
  sequence(a, b) {
    if (!a.none && !a.one) return a;
    return {
      none: commonOf(a.none, b.none),
      one: unionOf(commonOf(a.none, b.one), joined(a.one, b.none)),
      more: unionOf(
        unionOf(commonOf(a.none, b.more), a.more),
        unionOf(joined(a.one, b.one), joined(a.one, b.more)),
      ),
    };
  },
  repeated: ({ none, one, more }) => ({
    none,
    one,
    more: unionOf(more, joined(one, unionOf(one, more))),
  }),
  optional: (part) => ({ ...part, none: anyPlace }),
  lookaround: (part, isAhead) => ({ none: isAhead ? placeOf(part) : anyPlace }),
  group: (part) => part,
  // Of what is longer than two characters, the rest does not matter.
  isSettled: ({ none, one }) => !none && !one,
};

/** What stands where the part matches. */
export function placeOf(part: Part): Place {
  return unionOf(part.none, takenBy(part)) ?? anyPlace;
}

/** What stands where the part matches and takes something. */
export function takenBy({ one, more }: Part): Place | undefined {
  return unionOf(one, more);
}

/** Whether both can stand at one place of a line of ASCII. */
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
function joined(a: Place | undefined, b: Place | undefined): Place | undefined {
  if (!a || !b) return undefined;
  if (b === anyPlace) return a;
  return a.map((word, index) => (index < setWords ? word : word & (b[index - setWords] ?? 0)));
}
