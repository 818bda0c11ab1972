/** The approximate number of strings that can be added to a map in the time of one binary search. */
const mapEntriesPerSearch = 6;

/** Compares texts by code units. Unlike the order of `localeCompare`, this order is the same on every machine. */
export function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Returns the first index from `from` up to `to` for which `isBelow` is false. The indexes for which it is true must
 * precede the others. Returns `to` if it is true for all indexes.
 */
export function bisect(from: number, to: number, isBelow: (at: number) => boolean): number {
  let [low, high] = [from, to];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (isBelow(middle)) low = middle + 1;
    else high = middle;
  }
  return low;
}

/**
 * Creates a function that returns the index of a string in a sorted list of distinct strings. Most lookups are in list
 * order, for example if the list contains the files of an earlier export. Comparing each string with the next entry
 * costs a tenth of building a map of all strings, so the map is built only if many lookups are out of order.
 */
export function createSortedLookup(texts: readonly string[]): (text: string) => number | undefined {
  let nextIndex = 0;
  let searchCount = 0;
  let indexes: ReadonlyMap<string, number> | undefined;
  function search(text: string): number | undefined {
    searchCount += 1;
    if (searchCount * mapEntriesPerSearch > texts.length)
      indexes ??= new Map(texts.map((one, number) => [one, number]));
    if (indexes) return indexes.get(text);
    const number = bisect(0, texts.length, (at) => (texts[at] ?? "") < text);
    return texts[number] === text ? number : undefined;
  }
  return (text) => {
    if (nextIndex > 0 && texts[nextIndex - 1] === text) return nextIndex - 1;
    const number = texts[nextIndex] === text ? nextIndex : search(text);
    if (number !== undefined) nextIndex = number + 1;
    return number;
  };
}

/** Creates a list whose entries are created on first access. `make` never returns undefined. */
export function createLazyList<T>(length: number, make: (index: number) => T): readonly T[] {
  const isIndex = (name: string | symbol) => {
    const index = typeof name === "string" ? Number(name) : -1;
    return Number.isInteger(index) && index >= 0 && index < length;
  };
  const list: T[] = [];
  list.length = length;
  return new Proxy(list, {
    get(made, name) {
      const value: unknown = Reflect.get(made, name);
      if (value !== undefined || !isIndex(name)) return value;
      const index = Number(name);
      return (made[index] = make(index));
    },
    has: (made, name) => Reflect.has(made, name) || isIndex(name),
  });
}
