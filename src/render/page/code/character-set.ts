/** A set of characters: a bit for each code of ASCII, and a word that is not 0 where others are in it, which are not told apart. */
export type CharacterSet = Uint32Array;

const beyond = 128;
const words = beyond / 32;

export function noCharacters(): CharacterSet {
  return new Uint32Array(words + 1);
}

export function anyCharacter(): CharacterSet {
  return noCharacters().fill(0xffffffff);
}

export function addCharacter(set: CharacterSet, code: number): void {
  if (code >= beyond) set[words] = 0xffffffff;
  else set[code >>> 5] = (set[code >>> 5] ?? 0) | (1 << (code & 31));
}

/** Both ends included. */
export function addRange(set: CharacterSet, first: number, last: number): void {
  for (let code = first; code <= Math.min(last, beyond); code += 1) addCharacter(set, code);
}

export function addSet(set: CharacterSet, added: CharacterSet): void {
  for (let word = 0; word <= words; word += 1) set[word] = (set[word] ?? 0) | (added[word] ?? 0);
}

/** All but `set`; of the characters beyond ASCII some are always left. */
export function complementOf(set: CharacterSet): CharacterSet {
  const complement = set.map((word) => ~word);
  addCharacter(complement, beyond);
  return complement;
}

export function charactersOf(text: string): CharacterSet {
  const set = noCharacters();
  for (let index = 0; index < text.length; index += 1) addCharacter(set, text.charCodeAt(index));
  return set;
}

export function haveCommon(a: CharacterSet, b: CharacterSet): boolean {
  for (let word = 0; word <= words; word += 1) {
    if (((a[word] ?? 0) & (b[word] ?? 0)) !== 0) return true;
  }
  return false;
}

/** Where the first of them stands in `text`, at `from` or behind it; Infinity where there is none. */
export function findCharacter(set: CharacterSet, text: string, from: number): number {
  for (let index = from; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    const word = set[code < beyond ? code >>> 5 : words] ?? 0;
    if (((word >>> (code & 31)) & 1) === 1) return index;
  }
  return Infinity;
}
