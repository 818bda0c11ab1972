/** Building a map of a list costs as much as one search of the list for every this many strings in it. */
const textsPerSearch = 6;

/** Compares by code units. The order is the same on every machine, unlike `localeCompare`. */
export function compareCodeUnits(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/**
 * Returns the first index from `from` up to `to` for which `isBelow` is false. The indexes for which it is true must
 * come first.
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
 * order, as for the files of an earlier export. Comparing strings with the next one costs a tenth of building a map of
 * all strings, so the map is built only if many lookups are out of order.
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
    const number = bisect(0, texts.length, (at) => (texts[at] ?? "") < text);
    return texts[number] === text ? number : undefined;
  }
  return (text) => {
    if (next > 0 && texts[next - 1] === text) return next - 1;
    const number = texts[next] === text ? next : search(text);
    if (number !== undefined) next = number + 1;
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
      const known: unknown = Reflect.get(made, name);
      if (known !== undefined || !isIndex(name)) return known;
      const index = Number(name);
      return (made[index] = make(index));
    },
    has: (made, name) => Reflect.has(made, name) || isIndex(name),
  });
}
