import type { PatternAlgebra } from "./pattern-algebra.ts";
import { anyPlace, commonOf, joined, placeWith, unionOf, type Place } from "./place.ts";

/**
 * What can stand where a part of a pattern matches, by how many characters it takes; a lookahead takes none.
 * What is undefined cannot be.
 */
export interface Start {
  readonly none?: Place | undefined;
  readonly one?: Place | undefined;
  readonly more?: Place | undefined;
  /** It is `.`, or begins with a `.` that is repeated. */
  readonly isDot?: boolean | undefined;
  readonly beginsWithDots?: boolean | undefined;
}

/** What stands where the part matches. */
export function placeOf(part: Start): Place {
  return unionOf(part.none, takenBy(part)) ?? anyPlace;
}

/** What stands where the part matches and takes something. */
export function takenBy({ one, more }: Start): Place | undefined {
  return unionOf(one, more);
}

/** Tells how matches of a pattern start. */
export const starts: PatternAlgebra<Start> = {
  nothing: (place) => ({ none: place }),
  character: (set) => ({ one: placeWith(set) }),
  anyCharacter: { one: anyPlace, isDot: true },
  anything: { none: anyPlace, one: anyPlace, more: anyPlace },
  either: (a, b) => ({
    none: unionOf(a.none, b.none),
    one: unionOf(a.one, b.one),
    more: unionOf(a.more, b.more),
    beginsWithDots: a.beginsWithDots || b.beginsWithDots,
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
      beginsWithDots: a.beginsWithDots || (takenBy(a) === undefined && b.beginsWithDots),
    };
  },
  repeated: ({ none, one, more, isDot, beginsWithDots }) => ({
    none,
    one,
    more: unionOf(more, joined(one, unionOf(one, more))),
    beginsWithDots: isDot || beginsWithDots,
  }),
  optional: (part) => ({ ...part, isDot: false, none: anyPlace }),
  lookaround: (part, kind) => ({ none: kind === "ahead" ? placeOf(part) : anyPlace }),
  group: (part) => part,
  // Of what is longer than two characters, the rest does not matter.
  isSettled: ({ none, one }) => !none && !one,
};
