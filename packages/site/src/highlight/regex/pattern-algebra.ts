import type { CharacterSet } from "./character-set.ts";
import type { PatternPosition } from "./position.ts";

/** `(?=`, `(?!`, `(?<=` and `(?<!`. */
export type Lookaround = "ahead" | "notAhead" | "behind" | "notBehind";

/** Computes a property of a pattern from those of its parts. */
export interface PatternAlgebra<Part> {
  /** Matches the empty text at such a place. */
  nothing(place: PatternPosition): Part;
  /** `\b`: matches the empty text where a word begins or ends. */
  readonly wordBoundary: Part;
  /** Matches one of these characters. */
  character(set: CharacterSet): Part;
  /** `.` */
  readonly anyCharacter: Part;
  /** A part that may match anything. */
  readonly anything: Part;
  either(a: Part, b: Part): Part;
  /** Matches one part followed by the other. */
  sequence(a: Part, b: Part): Part;
  /** Matches the part one or more times. */
  repeated(part: Part): Part;
  /** Matches the part or the empty text. */
  optional(part: Part): Part;
  lookaround(part: Part, kind: Lookaround): Part;
  /** A capturing group. */
  group(part: Part): Part;
  /** Reports whether the result is independent of what follows the part. */
  isSettled(part: Part): boolean;
}
