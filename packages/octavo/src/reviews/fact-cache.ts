/** Reads what never changes, such as the difference of two commits, or has it from the last readings. */
export type RememberFact = <Fact>(key: string, read: () => Promise<Fact>) => Promise<Fact>;

/** The longest list of changed files has some thousand names. */
const maxFacts = 100;
/** Of all facts that are texts, as the lines of files are; one that is longer is read each time. */
const maxCharacters = 8 * 1024 * 1024;

interface Remembered {
  readonly fact: Promise<unknown>;
  characters: number;
}

/** Every reading starts processes of git; a page is opened again and again while somebody reviews. */
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

  /** Counts a fact when it is read; one that could not be read is forgotten. */
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
    // The last one that was asked for is the last one to go.
    facts.delete(key);
    facts.set(key, known);
    return await (known.fact as Promise<Fact>);
  };
}
