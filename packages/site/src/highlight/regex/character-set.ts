/** A set of characters: a bit for each ASCII code, and a word that is not 0 if the set contains any others; those are not told apart. */
export type CharacterSet = number[];

/** Represents all characters that are not ASCII, and the end of the text. */
export const beyondAscii = 128;
/** A word with all its bits set. */
export const everything = -1;
/** Number of words of a set: four for ASCII, one for the others. */
export const setWords = 5;

export function noCharacters(): CharacterSet {
  return [0, 0, 0, 0, 0];
}

export function anyCharacter(): CharacterSet {
  return [everything, everything, everything, everything, everything];
}

export function charactersOf(...codes: readonly number[]): CharacterSet {
  const set = noCharacters();
  for (const code of codes) addCharacter(set, code);
  return set;
}

export function addCharacter(set: CharacterSet, code: number): void {
  if (code >= beyondAscii) set[setWords - 1] = everything;
  else set[code >>> 5] = (set[code >>> 5] ?? 0) | (1 << (code & 31));
}

/** Both ends included. */
export function addRange(set: CharacterSet, first: number, last: number): void {
  for (let code = first; code <= Math.min(last, beyondAscii - 1); code += 1)
    addCharacter(set, code);
  if (last >= beyondAscii) addCharacter(set, last);
}

export function addSet(set: CharacterSet, added: CharacterSet): void {
  for (let word = 0; word < set.length; word += 1) {
    set[word] = (set[word] ?? 0) | (added[word] ?? 0);
  }
}

/** All but `set`; it always contains some characters beyond ASCII. */
export function complementOf(set: CharacterSet): CharacterSet {
  const complement = set.map((word) => ~word);
  addCharacter(complement, beyondAscii);
  return complement;
}
