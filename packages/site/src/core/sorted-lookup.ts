import { binarySearch } from "./binary-search.ts";

/**
 * Finds the numbers of texts in a sorted list of distinct ones. Most are asked for in their order, as the files of an
 * earlier export are: comparing a text with the next one costs a tenth of what a map of all of them does.
 */
export function createSortedLookup(texts: readonly string[]): (text: string) => number | undefined {
  let next = 0;
  return (text) => {
    if (next > 0 && texts[next - 1] === text) return next - 1;
    const isBelow = (at: number) => (texts[at] ?? "") < text;
    const number = texts[next] === text ? next : binarySearch(0, texts.length, isBelow);
    if (texts[number] !== text) return undefined;
    next = number + 1;
    return number;
  };
}
