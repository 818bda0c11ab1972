import { commonOf, haveCommon, starts, takenBy, unionOf } from "./part.ts";
import type { PatternAlgebra, Part } from "./part.ts";

/** Tells where a pattern has choices. Two characters decide that here: it may be said of more than it is true of. */
export const choices: PatternAlgebra = {
  either: (a, b) => ({
    ...starts.either(a, b),
    goesOn: unionOf(a.goesOn, b.goesOn),
    hasChoice:
      a.hasChoice ||
      b.hasChoice ||
      haveCommon(takenBy(a), takenBy(b)) ||
      (a.none !== undefined && b.none !== undefined),
    ...flagsOf(a, b),
    passesGroup: a.hasGroup || b.hasGroup,
  }),
  sequence: (a, b) => ({
    ...starts.sequence(a, b),
    goesOn: unionOf(b.goesOn, commonOf(a.goesOn, b.none)),
    hasChoice: a.hasChoice || b.hasChoice || haveCommon(a.goesOn, takenBy(b)),
    ...flagsOf(a, b),
  }),
  repeated(part) {
    const again = takenBy(part);
    const hasChoice = part.hasChoice || part.none !== undefined || haveCommon(part.goesOn, again);
    return {
      ...part,
      ...starts.repeated(part),
      goesOn: unionOf(part.goesOn, again),
      hasChoice,
      multiplies: part.multiplies || hasChoice,
      repeatsGroup: part.repeatsGroup || part.passesGroup,
    };
  },
  optional: (part) => ({
    ...part,
    ...starts.optional(part),
    goesOn: unionOf(part.goesOn, takenBy(part)),
    hasChoice: part.hasChoice || part.none !== undefined,
    passesGroup: part.hasGroup,
  }),
  lookaround: (part, isAhead) => ({
    ...starts.lookaround(part, isAhead),
    ...flagsOf(part, part),
  }),
  group: (part) => ({ ...part, hasGroup: true }),
  isSettled: () => false,
};

/** What is true of two parts together where it is true of one. */
function flagsOf(a: Part, b: Part): Part {
  return {
    multiplies: a.multiplies || b.multiplies,
    hasGroup: a.hasGroup || b.hasGroup,
    passesGroup: a.passesGroup || b.passesGroup,
    repeatsGroup: a.repeatsGroup || b.repeatsGroup,
  };
}
