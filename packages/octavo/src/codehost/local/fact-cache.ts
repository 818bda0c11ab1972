/** Reads what never changes, such as the difference of two commits, or has it from the last readings. */
export type RememberFact = <Fact>(key: string, read: () => Promise<Fact>) => Promise<Fact>;

/** At most some MB: the longest list of changed files has some thousand names. */
const maxFacts = 100;

/** Every reading starts processes of git; a page is opened again and again while somebody reviews. */
export function createFactCache(): RememberFact {
  const facts = new Map<string, Promise<unknown>>();
  return async <Fact>(key: string, read: () => Promise<Fact>) => {
    const known = facts.get(key) as Promise<Fact> | undefined;
    const fact = known ?? read();
    // The last one that was asked for is the last one to go.
    facts.delete(key);
    facts.set(key, fact);
    fact.catch(() => facts.delete(key));
    const oldest = facts.keys().next();
    if (facts.size > maxFacts && !oldest.done) facts.delete(oldest.value);
    return await fact;
  };
}
