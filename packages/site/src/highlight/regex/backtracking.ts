import type { PatternAlgebra } from "./pattern-algebra.ts";
import {
  anyPosition,
  intersectPositions,
  hasCommonPosition,
  unitePositions,
  type PatternPosition,
} from "./position.ts";
import {
  startPositionAlgebra,
  findConsumedPosition,
  type StartPositions,
} from "./start-positions.ts";

/**
 * The number of attempts that a backtracking engine may need before it knows that a part of a pattern does not match at
 * a position. All numbers are upper bounds for a line of `maxLineLength` characters and may be far too high.
 */
export interface Backtracking {
  readonly start: StartPositions;
  /** The characters that can follow a match and could also have been part of it. */
  readonly continuesWith?: PatternPosition | undefined;
  /** The number of ways to match if the following part can begin wherever this part can end. */
  readonly ways: number;
  /** The number of ways to match if the following part determines where this part ends. */
  readonly waysToFixedEnd: number;
  readonly steps: number;
  /** Whether the part has a capturing group. `canSkipGroup` says whether it can match without this group. */
  readonly hasGroup?: boolean | undefined;
  readonly canSkipGroup?: boolean | undefined;
  /** Whether engines differ in what the part matches or in what its groups capture. */
  readonly differs?: boolean | undefined;
}

/** The maximum number of characters of a line that is passed to V8. */
export const maxLineLength = 200;

/** Computes the number of attempts. Continuations are distinguished by their first two characters. */
export const backtracking: PatternAlgebra<Backtracking> = {
  nothing: (place) => leaf(startPositionAlgebra.nothing(place)),
  wordBoundary: leaf(startPositionAlgebra.wordBoundary),
  character: (set) => leaf(startPositionAlgebra.character(set)),
  anyCharacter: leaf(startPositionAlgebra.anyCharacter),
  anything: { ...leaf(startPositionAlgebra.anything), differs: true },
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
      // A repeated choice can double the number of ways with each character.
      steps: hasChoice ? Infinity : maxLineLength * part.steps,
      // If the last iteration skips a group, V8 discards the group's earlier capture.
      differs: part.differs || part.canSkipGroup,
    };
  },
  optional: (part) => ({
    ...backtracking.either(part, leaf(startPositionAlgebra.nothing(anyPosition))),
    // Unlike Oniguruma, V8 rejects an empty match of an optional part.
    differs: part.differs || part.start.none !== undefined,
  }),
  lookaround: (part, kind) => ({
    ...leaf(startPositionAlgebra.lookaround(part.start, kind)),
    steps: part.steps,
    hasGroup: part.hasGroup,
    canSkipGroup: part.canSkipGroup,
    // V8 matches lookbehinds from right to left, so groups may capture different text.
    differs: part.differs || (kind === "behind" && part.hasGroup),
  }),
  group: (part) => ({ ...part, hasGroup: true }),
  isSettled: () => false,
};

function leaf(start: StartPositions): Backtracking {
  return { start, ways: 1, waysToFixedEnd: 1, steps: 1 };
}
