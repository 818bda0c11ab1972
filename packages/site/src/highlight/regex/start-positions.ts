import type { CharacterSet } from "./character-set.ts";
import type { PatternAlgebra } from "./pattern-algebra.ts";
import {
  anyPosition,
  restrictToWordBoundary,
  intersectPositions,
  joinPositions,
  createPositionAfter,
  createPositionWith,
  unitePositions,
  type PatternPosition,
} from "./position.ts";

/**
 * The positions at which a part of a pattern can match, by the number of characters that it consumes. A position is
 * undefined if the part cannot consume this number of characters. A lookahead consumes none.
 */
export interface StartPositions {
  readonly none?: PatternPosition | undefined;
  readonly one?: PatternPosition | undefined;
  readonly more?: PatternPosition | undefined;
  /** The last character that the part consumes; undefined means any character. */
  readonly last?: CharacterSet | undefined;
  /** Whether a word begins or ends at the position if the part consumes nothing. */
  readonly isWordBoundary?: boolean | undefined;
  /** Whether the part is `.`. `beginsWithDots` says whether it begins with a repeated `.`. */
  readonly isDot?: boolean | undefined;
  readonly beginsWithDots?: boolean | undefined;
}

/** Returns the position at which the part matches. */
export function getStartPosition(part: StartPositions): PatternPosition {
  return unitePositions(part.none, findConsumedPosition(part)) ?? anyPosition;
}

/** Returns the position at which the part matches and consumes something. */
export function findConsumedPosition({ one, more }: StartPositions): PatternPosition | undefined {
  return unitePositions(one, more);
}

/** Computes how matches of a pattern start. */
export const startPositionAlgebra: PatternAlgebra<StartPositions> = {
  nothing: (place) => ({ none: place }),
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
    const b = a.isWordBoundary ? afterWordBoundary(second) : second;
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

function afterWordBoundary(part: StartPositions): StartPositions {
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
