/** Chance that is the same for the same seed. */
export interface Random {
  /** From 0 up to 1. */
  next(): number;
  /** One of them; throws where there is none. */
  pick<T>(items: readonly T[]): T;
  /** At most `count` of them, in a random order. */
  some<T>(items: readonly T[], count: number): T[];
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    pick(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error("There is nothing to pick from.");
      return item;
    },
    some(items, count) {
      return items
        .map((item) => ({ item, at: next() }))
        .toSorted((a, b) => a.at - b.at)
        .slice(0, count)
        .map(({ item }) => item);
    },
  };
}
