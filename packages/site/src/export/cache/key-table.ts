/** The length of a key, which is a SHA-256 hash in hexadecimal digits. */
export const keyLength = 64;

/** The number of hexadecimal digits of a key that determine its slot. */
const hashedDigits = 8;

/**
 * Finds the numbers of keys in strings of concatenated keys. A map would need a separate string for each key. If a key
 * occurs several times, its first occurrence is found.
 */
interface KeyFinder {
  find(key: string): KeyPosition | undefined;
}

interface KeyPosition {
  /** The index of the string of keys. */
  readonly text: number;
  /** The index of the key in that string. */
  readonly number: number;
}

/**
 * The maximum distance from the expected position at which a key is searched for. Pages that are rendered concurrently
 * are written in the order in which they finish, so nearly all keys are within this distance.
 */
const maxDistance = 8;
/** The number of scans over all keys that cost as much as building a table. */
const scansPerTable = 64;

export function createKeyTable(texts: readonly string[]): KeyFinder {
  const starts = [0];
  for (const text of texts) starts.push((starts.at(-1) ?? 0) + text.length / keyLength);
  const count = starts.at(-1) ?? 0;
  // The table is at most half full, so that a lookup reads few slots.
  const mask = 2 ** Math.ceil(Math.log2(2 * count + 1)) - 1;
  /** The index of the string that contains the last key found, which is tried first for the next key. */
  let lastText = 0;
  /** The key numbers plus one; 0 marks a free slot. */
  const slots = new Uint32Array(mask + 1);
  const hashes = new Uint32Array(count);
  for (const [list, text] of texts.entries()) {
    for (let at = 0; at < text.length; at += keyLength) {
      const hash = hashAt(text, at);
      let slot = hash & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      const number = (starts[list] ?? 0) + at / keyLength;
      slots[slot] = number + 1;
      hashes[number] = hash;
    }
  }

  function isAt(number: number, key: string): boolean {
    const list = textOf(number);
    return texts[list]?.startsWith(key, (number - (starts[list] ?? 0)) * keyLength) ?? false;
  }
  function textOf(number: number): number {
    const contains = (list: number) =>
      (starts[list] ?? 0) <= number && number < (starts[list + 1] ?? 0);
    if (contains(lastText)) return lastText;
    for (lastText = 0; !contains(lastText);) lastText += 1;
    return lastText;
  }
  return {
    find(key) {
      if (key.length !== keyLength) return undefined;
      const hash = hashAt(key, 0);
      for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
        const found = (slots[slot] ?? 0) - 1;
        if (hashes[found] !== hash || !isAt(found, key)) continue;
        const text = textOf(found);
        return { text, number: found - (starts[text] ?? 0) };
      }
      return undefined;
    },
  };
}

/**
 * Creates a finder that works like a key table. Most keys are requested in the order in which they were written, and
 * comparing a key with the keys after the last key found takes less than half the time of a table lookup. A table is
 * therefore built only if many keys are elsewhere. If a key occurs several times, an occurrence near the last key found
 * takes precedence over the first occurrence.
 */
export function createKeyFinder(texts: readonly string[]): KeyFinder {
  /** For each string of keys, the number of the key after the last key found. */
  const expectedNumbers = texts.map(() => 0);
  let last = 0;
  let scans = 0;
  let table: KeyFinder | undefined;

  function isAt(text: number, number: number, key: string): boolean {
    return number >= 0 && (texts[text]?.startsWith(key, number * keyLength) ?? false);
  }
  function findNear(text: number, key: string): KeyPosition | undefined {
    const around = expectedNumbers[text] ?? 0;
    for (let distance = 0; distance <= maxDistance; distance += 1) {
      for (const number of [around + distance, around - distance])
        if (isAt(text, number, key)) return { text, number };
    }
    return undefined;
  }
  function findElsewhere(key: string): KeyPosition | undefined {
    if (table) return table.find(key);
    for (const text of [last, ...texts.keys()]) {
      const near = findNear(text, key);
      if (near) return near;
    }
    scans += 1;
    if (scans > scansPerTable) return (table = createKeyTable(texts)).find(key);
    for (const [text, keys] of texts.entries()) {
      const number = findNumber(keys, key);
      if (number !== undefined) return { text, number };
    }
    return undefined;
  }
  return {
    find(key) {
      if (key.length !== keyLength) return undefined;
      const number = expectedNumbers[last] ?? 0;
      const position = isAt(last, number, key) ? { text: last, number } : findElsewhere(key);
      if (!position) return undefined;
      last = position.text;
      expectedNumbers[last] = position.number + 1;
      return position;
    },
  };
}

/** Returns the first digits of a key as a number. */
function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let digit = at; digit < at + hashedDigits; digit += 1) {
    const code = text.charCodeAt(digit);
    // The character codes of `0` to `9` are 48 to 57; those of `a` to `f` are 97 to 102.
    hash = (hash << 4) | (code < 58 ? code - 48 : code - 87);
  }
  return hash >>> 0;
}

function findNumber(keys: string, key: string): number | undefined {
  let at = keys.indexOf(key);
  // A match may span the end of one key and the start of the next.
  while (at > 0 && at % keyLength !== 0) at = keys.indexOf(key, at + 1);
  return at === -1 ? undefined : at / keyLength;
}
