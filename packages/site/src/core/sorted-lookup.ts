import { binarySearch } from "./binary-search.ts";

/** So many searches of a list that is this many times as long cost as much as a map of it. */
const textsPerSearch = 6;

/**
 * Finds the numbers of texts in a sorted list of distinct ones. Most are asked for in their order, as the files of an
 * earlier export are: comparing a text with the next one costs a tenth of what a map of all of them does, which is made
 * where many are asked for in another order.
 */
export function createSortedLookup(texts: readonly string[]): (text: string) => number | undefined {
  let next = 0;
  let searches = 0;
  let numbers: ReadonlyMap<string, number> | undefined;
  function search(text: string): number | undefined {
    searches += 1;
    if (searches * textsPerSearch > texts.length)
      numbers ??= new Map(texts.map((one, number) => [one, number]));
    if (numbers) return numbers.get(text);
    const number = binarySearch(0, texts.length, (at) => (texts[at] ?? "") < text);
    return texts[number] === text ? number : undefined;
  }
  return (text) => {
    if (next > 0 && texts[next - 1] === text) return next - 1;
    const number = texts[next] === text ? next : search(text);
    if (number !== undefined) next = number + 1;
    return number;
  };
}
