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
  /** One of these characters. */
  character(set: CharacterSet): Part;
  /** `.` */
  readonly anyCharacter: Part;
  /** A part that may match anything. */
  readonly anything: Part;
  either(a: Part, b: Part): Part;
  /** One part followed by the other. */
  sequence(a: Part, b: Part): Part;
  /** The part, once or more. */
  repeated(part: Part): Part;
  /** The part, or nothing. */
  optional(part: Part): Part;
  lookaround(part: Part, kind: Lookaround): Part;
  /** A capturing group. */
  group(part: Part): Part;
  /** Whether nothing that could follow the part would change the result. */
  isSettled(part: Part): boolean;
}
