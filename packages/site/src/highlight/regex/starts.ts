import type { CharacterSet } from "./character-set.ts";
import type { PatternAlgebra } from "./pattern-algebra.ts";
import {
  anyPlace,
  atWordBoundary,
  commonOf,
  followedBy,
  placeAfter,
  placeWith,
  unionOf,
  type PatternPlace,
} from "./place.ts";

/**
 * The places where a part of a pattern can match, by how many characters it consumes; a lookahead consumes none.
 * Undefined if it cannot consume as many.
 */
export interface Start {
  readonly none?: PatternPlace | undefined;
  readonly one?: PatternPlace | undefined;
  readonly more?: PatternPlace | undefined;
  /** The last character that it consumes; anything if undefined. */
  readonly last?: CharacterSet | undefined;
  /** If it consumes nothing, a word begins or ends there. */
  readonly isWordBoundary?: boolean | undefined;
  /** It is `.`, or begins with a `.` that is repeated. */
  readonly isDot?: boolean | undefined;
  readonly beginsWithDots?: boolean | undefined;
}

/** The place where the part matches. */
export function startPlace(part: Start): PatternPlace {
  return unionOf(part.none, consumedPlace(part)) ?? anyPlace;
}

/** The place where the part matches and consumes something. */
export function consumedPlace({ one, more }: Start): PatternPlace | undefined {
  return unionOf(one, more);
}

/** Computes how matches of a pattern start. */
export const starts: PatternAlgebra<Start> = {
  nothing: (place) => ({ none: place }),
  wordBoundary: { none: anyPlace, isWordBoundary: true },
  character: (set) => ({ one: placeWith(set), last: set }),
  anyCharacter: { one: anyPlace, isDot: true },
  anything: { none: anyPlace, one: anyPlace, more: anyPlace },
  either: (a, b) => ({
    none: unionOf(a.none, b.none),
    one: unionOf(a.one, b.one),
    more: unionOf(a.more, b.more),
    last: lastOfEither(a, b),
    beginsWithDots: a.beginsWithDots || b.beginsWithDots,
  }),
  sequence(a, second) {
    const last = second.none ? lastOfEither(a, second) : second.last;
    if (!a.none && !a.one) return { ...a, last };
    const b = a.isWordBoundary ? afterWordBoundary(second) : second;
    return {
      none: commonOf(a.none, b.none),
      one: unionOf(commonOf(a.none, b.one), followedBy(a.one, b.none)),
      more: unionOf(
        unionOf(commonOf(a.none, b.more), a.more),
        unionOf(followedBy(a.one, b.one), followedBy(a.one, b.more)),
      ),
      last,
      isWordBoundary: a.isWordBoundary || b.isWordBoundary,
      beginsWithDots: a.beginsWithDots || (consumedPlace(a) === undefined && b.beginsWithDots),
    };
  },
  repeated: ({ none, one, more, last, isDot, beginsWithDots }) => ({
    none,
    one,
    more: unionOf(more, followedBy(one, unionOf(one, more))),
    last,
    beginsWithDots: isDot || beginsWithDots,
  }),
  optional: (part) => ({ ...part, isDot: false, isWordBoundary: false, none: anyPlace }),
  lookaround(part, kind) {
    if (kind === "ahead") return { none: startPlace(part) };
    const last = kind === "behind" && !part.none ? part.last : undefined;
    return { none: last ? placeAfter(last) : anyPlace };
  },
  group: (part) => part,
  // Beyond two characters, what follows does not matter.
  isSettled: ({ none, one }) => !none && !one,
};

function afterWordBoundary(part: Start): Start {
  const none = atWordBoundary(part.none);
  return { ...part, none, one: atWordBoundary(part.one), more: atWordBoundary(part.more) };
}

function lastOfEither(a: Start, b: Start): CharacterSet | undefined {
  if (!consumedPlace(a)) return b.last;
  if (!consumedPlace(b)) return a.last;
  return a.last && b.last && a.last.map((word, index) => word | (b.last?.[index] ?? 0));
}
