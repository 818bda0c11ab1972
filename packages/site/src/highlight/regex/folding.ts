import { beyondAscii, charactersOf, type CharacterSet } from "./character-set.ts";
import { canStand } from "./place.ts";

/** With what those begin that are one character where upper and lower case are the same: ss is ß, and fi is ﬁ. */
export const severalBegin: CharacterSet = charactersOf(
  beyondAscii,
  ...codesOf("afhijstwyAFHIJSTWY"),
);

const ofAscii = codesOf("filst");

/** Whether a class that takes this set, folded, may hold some character that is several. */
export function mayHoldSeveral(set: CharacterSet): boolean {
  return canStand(set, beyondAscii) && ofAscii.some((code) => canStand(set, code));
}

/** Whether all letters of ASCII that together are one when folded (ff, fi, fl, ss, st) are in the set one by one. */
export function holdsEachOfSeveral(set: CharacterSet): boolean {
  return ofAscii.every((code) => canStand(set, code));
}

function codesOf(letters: string): number[] {
  return letters.split("").map((letter) => letter.charCodeAt(0));
}
