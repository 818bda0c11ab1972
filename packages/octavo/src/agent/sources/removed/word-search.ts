import { keyOf, requiredKeys, wordPattern } from "./name-keys.ts";
import type { ProductName } from "./name-keys.ts";

/** Finds out which names stand nowhere in the texts that it reads, in any spelling. */
export interface WordSearch {
  read(text: string): void;
  isMissing(name: ProductName): boolean;
}

/** Short words that were looked at are remembered: most stand in many places. */
const maxKnownWords = 200_000;
/** A longer piece of a text keeps all of the text in memory. */
const maxKnownLength = 12;
/** Longer words are data. */
const maxWordLength = 200;

export function createWordSearch(names: readonly ProductName[]): WordSearch {
  const wanted = new Set(names.flatMap(requiredKeys).flat());
  const present = new Set<string>();
  const known = new Set<string>();
  return {
    read(text) {
      for (const [word] of text.matchAll(wordPattern)) {
        if (word.length > maxWordLength || known.has(word)) continue;
        if (known.size >= maxKnownWords) known.clear();
        if (word.length <= maxKnownLength) known.add(word);
        const key = keyOf(word);
        if (wanted.has(key)) present.add(key);
      }
    },
    isMissing: (name) => requiredKeys(name).some((keys) => keys.every((key) => !present.has(key))),
  };
}
