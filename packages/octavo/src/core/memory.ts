/** Values that expire after some time. If there are too many, the oldest are removed first. */
interface Memory<Value> {
  get(key: string): Value | undefined;
  /** Sets a value. A key expires a fixed time after its first value was set. */
  set(key: string, value: Value): void;
  delete(key: string): void;
}

/** The maximum number of values that are remembered. */
const maxRemembered = 10_000;

/** Creates a memory in which each value expires after `forMs`. */
export function createMemory<Value>(forMs: number): Memory<Value> {
  const entries = new Map<string, { readonly value: Value; readonly until: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      return entry && entry.until > Date.now() ? entry.value : undefined;
    },
    set(key, value) {
      const known = entries.get(key);
      const until = known && known.until > Date.now() ? known.until : Date.now() + forMs;
      entries.delete(key);
      entries.set(key, { value, until });
      const [oldest] = entries.keys();
      if (entries.size > maxRemembered && oldest !== undefined) entries.delete(oldest);
    },
    delete: (key) => void entries.delete(key),
  };
}
