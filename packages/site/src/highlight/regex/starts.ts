import type { CharacterSet } from "./character-set.ts";
import type { PatternAlgebra } from "./pattern-algebra.ts";
import {
  anyPlace,
  atWordBoundary,
  commonOf,
  joined,
  placeBehind,
  placeWith,
  unionOf,
  type PatternPlace,
} from "./place.ts";

/**
 * What can stand where a part of a pattern matches, by how many characters it takes; a lookahead takes none.
 * What is undefined cannot be.
 */
export interface Start {
  readonly none?: PatternPlace | undefined;
  readonly one?: PatternPlace | undefined;
  readonly more?: PatternPlace | undefined;
  /** With what it ends if it takes something; anything where that is undefined. */
  readonly last?: CharacterSet | undefined;
  /** Where it takes nothing, a word begins or ends. */
  readonly isWordBoundary?: boolean | undefined;
  /** It is `.`, or begins with a `.` that is repeated. */
  readonly isDot?: boolean | undefined;
  readonly beginsWithDots?: boolean | undefined;
}

/** What stands where the part matches. */
export function placeOf(part: Start): PatternPlace {
  return unionOf(part.none, takenBy(part)) ?? anyPlace;
}

/** What stands where the part matches and takes something. */
export function takenBy({ one, more }: Start): PatternPlace | undefined {
  return unionOf(one, more);
}

/** Tells how matches of a pattern start. */
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
    const b = a.isWordBoundary ? behindWordBoundary(second) : second;
    return {
      none: commonOf(a.none, b.none),
      one: unionOf(commonOf(a.none, b.one), joined(a.one, b.none)),
      more: unionOf(
        unionOf(commonOf(a.none, b.more), a.more),
        unionOf(joined(a.one, b.one), joined(a.one, b.more)),
      ),
      last,
      isWordBoundary: a.isWordBoundary || b.isWordBoundary,
      beginsWithDots: a.beginsWithDots || (takenBy(a) === undefined && b.beginsWithDots),
    };
  },
  repeated: ({ none, one, more, last, isDot, beginsWithDots }) => ({
    none,
    one,
    more: unionOf(more, joined(one, unionOf(one, more))),
    last,
    beginsWithDots: isDot || beginsWithDots,
  }),
  optional: (part) => ({ ...part, isDot: false, isWordBoundary: false, none: anyPlace }),
  lookaround(part, kind) {
    if (kind === "ahead") return { none: placeOf(part) };
    const last = kind === "behind" && !part.none ? part.last : undefined;
    return { none: last ? placeBehind(last) : anyPlace };
  },
  group: (part) => part,
  // Of what is longer than two characters, the rest does not matter.
  isSettled: ({ none, one }) => !none && !one,
};

function behindWordBoundary(part: Start): Start {
  const none = atWordBoundary(part.none);
  return { ...part, none, one: atWordBoundary(part.one), more: atWordBoundary(part.more) };
}

function lastOfEither(a: Start, b: Start): CharacterSet | undefined {
  if (!takenBy(a)) return b.last;
  if (!takenBy(b)) return a.last;
  return a.last && b.last && a.last.map((word, index) => word | (b.last?.[index] ?? 0));
}
