import { createKeyTable, keyLength } from "./key-table.ts";
import type { KeyFinder, KeyPlace } from "./key-table.ts";

/** Nearly all are no further from where they are expected: pages rendered at once are written in the order they finish. */
const nearby = 8;
/** Scanning all keys this many times costs as much as a table of them. */
const scansPerTable = 64;

/**
 * Finds keys as a key table does. Most are asked for in the order in which they were written: comparing them with those
 * after the last ones takes less than half of what a table does, which is made only where many are elsewhere. Of equal
 * keys one that is near the last key found comes before the first.
 */
export function createKeyFinder(texts: readonly string[]): KeyFinder {
  /** In each text the number of the key after the last one found. */
  const expected = texts.map(() => 0);
  let last = 0;
  let scans = 0;
  let table: KeyFinder | undefined;

  function isAt(text: number, number: number, key: string): boolean {
    return number >= 0 && (texts[text]?.startsWith(key, number * keyLength) ?? false);
  }
  function findNear(text: number, key: string): KeyPlace | undefined {
    const around = expected[text] ?? 0;
    for (let distance = 0; distance <= nearby; distance += 1) {
      for (const number of [around + distance, around - distance])
        if (isAt(text, number, key)) return { text, number };
    }
    return undefined;
  }
  function findElsewhere(key: string): KeyPlace | undefined {
    if (table) return table.find(key);
    for (const text of [last, ...texts.keys()]) {
      const near = findNear(text, key);
      if (near) return near;
    }
    scans += 1;
    if (scans > scansPerTable) return (table = createKeyTable(texts)).find(key);
    for (const [text, keys] of texts.entries()) {
      const number = numberIn(keys, key);
      if (number !== undefined) return { text, number };
    }
    return undefined;
  }
  return {
    find(key) {
      if (key.length !== keyLength) return undefined;
      const number = expected[last] ?? 0;
      const place = isAt(last, number, key) ? { text: last, number } : findElsewhere(key);
      if (!place) return undefined;
      last = place.text;
      expected[last] = place.number + 1;
      return place;
    },
  };
}

function numberIn(keys: string, key: string): number | undefined {
  let at = keys.indexOf(key);
  // Two keys may have the digits of a third where they meet.
  while (at > 0 && at % keyLength !== 0) at = keys.indexOf(key, at + 1);
  return at === -1 ? undefined : at / keyLength;
}
