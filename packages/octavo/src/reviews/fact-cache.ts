/** Returns an immutable fact, such as the difference between two commits, from the cache, or reads and caches it. */
export type RememberFact = <Fact>(key: string, read: () => Promise<Fact>) => Promise<Fact>;

/** The maximum number of cached facts. The longest, a list of changed files, has a few thousand names. */
const maxFacts = 100;
/**
 * The maximum total number of characters in all cached texts, such as lines of files. A longer text is read each time.
 */
const maxCharacters = 8 * 1024 * 1024;

interface Remembered {
  readonly fact: Promise<unknown>;
  characters: number;
}

/**
 * Creates a cache. It is needed because each read starts git processes, and a page is opened repeatedly during a
 * review.
 */
export function createFactCache(): RememberFact {
  const facts = new Map<string, Remembered>();
  let characters = 0;

  function forget(key: string): void {
    characters -= facts.get(key)?.characters ?? 0;
    facts.delete(key);
  }

  function forgetOldest(): void {
    for (const key of facts.keys()) {
      if (facts.size <= maxFacts && characters <= maxCharacters) return;
      forget(key);
    }
  }

  /** Counts a fact's characters after the fact is read. Removes a fact that could not be read. */
  async function count(key: string, remembered: Remembered): Promise<void> {
    const value = await remembered.fact.catch(() => undefined);
    if (facts.get(key) !== remembered) return;
    if (value === undefined) forget(key);
    if (typeof value !== "string") return;
    remembered.characters = value.length;
    characters += value.length;
    forgetOldest();
  }

  function begin<Fact>(key: string, read: () => Promise<Fact>): Promise<Fact> {
    const fact = read();
    const remembered: Remembered = { fact, characters: 0 };
    facts.set(key, remembered);
    void count(key, remembered);
    return fact;
  }

  return async <Fact>(key: string, read: () => Promise<Fact>) => {
    const known = facts.get(key);
    if (!known) {
      const fact = begin(key, read);
      forgetOldest();
      return await fact;
    }
    // Moves the fact to the end, because the least recently used fact is removed first.
    facts.delete(key);
    facts.set(key, known);
    return await (known.fact as Promise<Fact>);
  };
}
