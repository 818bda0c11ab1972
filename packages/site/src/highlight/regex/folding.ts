import { beyondAscii, charactersOf, type CharacterSet } from "./character-set.ts";
import { canBeAt } from "./place.ts";

/** First characters of the sequences that case folding makes equal to one character: ss and ß, fi and ﬁ. */
export const multiFoldStarts: CharacterSet = charactersOf(
  beyondAscii,
  ...codesOf("afhijstwyAFHIJSTWY"),
);

const multiFoldLetters = codesOf("filst");

/** Whether a class with this set may contain a character that folds to several. */
export function mayHoldMultiFold(set: CharacterSet): boolean {
  return canBeAt(set, beyondAscii) && multiFoldLetters.some((code) => canBeAt(set, code));
}

/** Whether the set contains each ASCII letter of the sequences that fold to one character (ff, fi, fl, ss, st). */
export function holdsMultiFoldLetters(set: CharacterSet): boolean {
  return multiFoldLetters.every((code) => canBeAt(set, code));
}

function codesOf(letters: string): number[] {
  return letters.split("").map((letter) => letter.charCodeAt(0));
}
