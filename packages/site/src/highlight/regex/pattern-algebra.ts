import type { CharacterSet } from "./character-set.ts";
import type { PatternPlace } from "./place.ts";

/** What is looked at without being taken, or must not stand there. */
export type Lookaround = "ahead" | "notAhead" | "behind" | "notBehind";

/** How something that is to be known of a pattern follows from its parts. */
export interface PatternAlgebra<Part> {
  /** Takes nothing, where such a place is. */
  nothing(place: PatternPlace): Part;
  /** `\b`: takes nothing, where a word begins or ends. */
  readonly wordBoundary: Part;
  /** One of these characters. */
  character(set: CharacterSet): Part;
  /** `.` */
  readonly anyCharacter: Part;
  /** A part of which nothing is known. */
  readonly anything: Part;
  either(a: Part, b: Part): Part;
  /** One part, and the other behind it. */
  sequence(a: Part, b: Part): Part;
  /** The part once or more often. */
  repeated(part: Part): Part;
  /** The part, or nothing. */
  optional(part: Part): Part;
  lookaround(part: Part, kind: Lookaround): Part;
  /** A group whose match is kept. */
  group(part: Part): Part;
  /** Whether nothing that could stand behind the part would change what is known. */
  isSettled(part: Part): boolean;
}
