import type { CharacterSet } from "./character-set.ts";
import type { PatternPosition } from "./position.ts";

/** The kinds of lookarounds: `(?=`, `(?!`, `(?<=` and `(?<!`. */
export type Lookaround = "ahead" | "notAhead" | "behind" | "notBehind";

/** Computes a property of a pattern from the properties of its parts. */
export interface PatternAlgebra<Part> {
  /** Matches the empty string at a position of this kind. */
  nothing(place: PatternPosition): Part;
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
  /** Reports whether the result does not depend on what follows the part. */
  isSettled(part: Part): boolean;
}
