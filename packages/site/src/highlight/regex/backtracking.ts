import type { PatternAlgebra } from "./pattern-algebra.ts";
import { anyPlace, commonOf, haveCommon, unionOf, type PatternPlace } from "./place.ts";
import { starts, takenBy, type Start } from "./starts.ts";

/**
 * What an engine that backtracks may have to try before it knows that a part of a pattern does not match at a
 * place. All figures are bounds for a line of `maxLineLength` characters, and may be far above what happens.
 */
export interface Backtracking {
  readonly start: Start;
  /** What can stand behind a match that could as well have taken it. */
  readonly goesOn?: PatternPlace | undefined;
  /** Ways to match, if what follows can stand in any of the places where the part can end. */
  readonly ways: number;
  /** Ways that are left if what follows decides where it ends. */
  readonly waysDecided: number;
  readonly steps: number;
  /** Whether a group of it is kept, and whether it can match without that group. */
  readonly hasGroup?: boolean | undefined;
  readonly passesGroup?: boolean | undefined;
  /** Whether engines differ in what it matches, or in what its groups take. */
  readonly differs?: boolean | undefined;
}

/** A line that V8 is given. */
export const maxLineLength = 200;

/** Tells how much there is to try. Two characters decide what follows. */
export const backtracking: PatternAlgebra<Backtracking> = {
  nothing: (place) => leaf(starts.nothing(place)),
  wordBoundary: leaf(starts.wordBoundary),
  character: (set) => leaf(starts.character(set)),
  anyCharacter: leaf(starts.anyCharacter),
  anything: { ...leaf(starts.anything), differs: true },
  either(a, b) {
    const [taken, other] = [takenBy(a.start), takenBy(b.start)];
    const [isNone, isOtherNone] = [a.start.none !== undefined, b.start.none !== undefined];
    const areAlike = haveCommon(taken, other) || (isNone && isOtherNone);
    return {
      start: starts.either(a.start, b.start),
      goesOn: [
        a.goesOn,
        b.goesOn,
        isOtherNone ? taken : undefined,
        isNone ? other : undefined,
      ].reduce(unionOf),
      ways: a.ways + b.ways,
      waysDecided: areAlike
        ? a.waysDecided + b.waysDecided
        : Math.max(a.waysDecided, b.waysDecided),
      steps: a.steps + b.steps,
      hasGroup: a.hasGroup || b.hasGroup,
      passesGroup: a.hasGroup || b.hasGroup,
      differs: a.differs || b.differs,
    };
  },
  sequence(a, b) {
    const through = haveCommon(a.goesOn, takenBy(b.start)) ? a.ways : a.waysDecided;
    const isEndOpen = b.start.none !== undefined;
    return {
      start: starts.sequence(a.start, b.start),
      goesOn: unionOf(b.goesOn, commonOf(a.goesOn, b.start.none)),
      ways: (isEndOpen ? a.ways : through) * b.ways,
      waysDecided: through * b.waysDecided,
      steps: a.steps + through * b.steps,
      hasGroup: a.hasGroup || b.hasGroup,
      passesGroup: a.passesGroup || b.passesGroup,
      differs: a.differs || b.differs,
    };
  },
  repeated(part) {
    const again = takenBy(part.start);
    const hasChoice =
      part.waysDecided > 1 || part.start.none !== undefined || haveCommon(part.goesOn, again);
    return {
      ...part,
      start: starts.repeated(part.start),
      goesOn: unionOf(part.goesOn, again),
      ways: maxLineLength,
      waysDecided: 1,
      // A choice that is repeated can double the ways with each character.
      steps: hasChoice ? Infinity : maxLineLength * part.steps,
      // If the last time passes a group, V8 forgets what it took before.
      differs: part.differs || part.passesGroup,
    };
  },
  optional: (part) => ({
    ...backtracking.either(part, leaf(starts.nothing(anyPlace))),
    // V8 does not take nothing where it could try to take something.
    differs: part.differs || part.start.none !== undefined,
  }),
  lookaround: (part, kind) => ({
    ...leaf(starts.lookaround(part.start, kind)),
    steps: part.steps,
    hasGroup: part.hasGroup,
    passesGroup: part.passesGroup,
    // Behind, V8 matches from right to left: groups take other parts.
    differs: part.differs || (kind === "behind" && part.hasGroup),
  }),
  group: (part) => ({ ...part, hasGroup: true }),
  isSettled: () => false,
};

function leaf(start: Start): Backtracking {
  return { start, ways: 1, waysDecided: 1, steps: 1 };
}
