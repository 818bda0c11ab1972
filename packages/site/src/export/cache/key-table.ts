/** Characters of a key: a SHA-256 in hexadecimal digits. */
export const keyLength = 64;

/** Hexadecimal digits of a key that decide its place. */
const hashedDigits = 8;

/**
 * Finds keys by number among many, which are joined in texts: a map would need a string for each. Of equal keys the
 * first is found.
 */
export interface KeyFinder {
  find(key: string): KeyPlace | undefined;
}

export interface KeyPlace {
  /** The number of the text. */
  readonly text: number;
  /** The number of the key in it. */
  readonly number: number;
}

export function createKeyTable(texts: readonly string[]): KeyFinder {
  const starts = [0];
  for (const text of texts) starts.push((starts.at(-1) ?? 0) + text.length / keyLength);
  const count = starts.at(-1) ?? 0;
  // At most half full, so that few places are looked at.
  const mask = 2 ** Math.ceil(Math.log2(2 * count + 1)) - 1;
  /** Most keys are near those that were looked for before them. */
  let lastText = 0;
  /** Numbers plus one; 0 is a free place. */
  const places = new Uint32Array(mask + 1);
  const hashes = new Uint32Array(count);
  for (const [list, text] of texts.entries()) {
    for (let at = 0; at < text.length; at += keyLength) {
      const hash = hashAt(text, at);
      let place = hash & mask;
      while (places[place] !== 0) place = (place + 1) & mask;
      const number = (starts[list] ?? 0) + at / keyLength;
      places[place] = number + 1;
      hashes[number] = hash;
    }
  }

  function isAt(number: number, key: string): boolean {
    const list = textOf(number);
    return texts[list]?.startsWith(key, (number - (starts[list] ?? 0)) * keyLength) ?? false;
  }
  function textOf(number: number): number {
    const has = (list: number) => (starts[list] ?? 0) <= number && number < (starts[list + 1] ?? 0);
    if (has(lastText)) return lastText;
    for (lastText = 0; !has(lastText);) lastText += 1;
    return lastText;
  }
  return {
    find(key) {
      if (key.length !== keyLength) return undefined;
      const hash = hashAt(key, 0);
      for (let place = hash & mask; places[place] !== 0; place = (place + 1) & mask) {
        const found = (places[place] ?? 0) - 1;
        if (hashes[found] !== hash || !isAt(found, key)) continue;
        const text = textOf(found);
        return { text, number: found - (starts[text] ?? 0) };
      }
      return undefined;
    },
  };
}

/** As a number, by its first digits. */
function hashAt(text: string, at: number): number {
  let hash = 0;
  for (let digit = at; digit < at + hashedDigits; digit += 1) {
    const code = text.charCodeAt(digit);
    // `0` to `9` are 48 to 57, `a` to `f` 97 to 102.
    hash = (hash << 4) | (code < 58 ? code - 48 : code - 87);
  }
  return hash >>> 0;
}
