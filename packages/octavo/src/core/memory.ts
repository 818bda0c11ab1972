/** A cache whose values expire. When it is full, the oldest value is removed. */
interface Memory<Value> {
  get(key: string): Value | undefined;
  /** Sets a value. A key expires a fixed time after its first value was set. */
  set(key: string, value: Value): void;
  delete(key: string): void;
}

const maxEntries = 10_000;

/** Creates a cache in which each value expires after `lifetimeMs`. */
export function createMemory<Value>(lifetimeMs: number): Memory<Value> {
  const entries = new Map<string, { readonly value: Value; readonly expiresAt: number }>();
  return {
    get(key) {
      const entry = entries.get(key);
      return entry && entry.expiresAt > Date.now() ? entry.value : undefined;
    },
    set(key, value) {
      const existing = entries.get(key);
      const expiresAt =
        existing && existing.expiresAt > Date.now() ? existing.expiresAt : Date.now() + lifetimeMs;
      entries.delete(key);
      entries.set(key, { value, expiresAt });
      const [oldest] = entries.keys();
      if (entries.size > maxEntries && oldest !== undefined) entries.delete(oldest);
    },
    delete: (key) => void entries.delete(key),
  };
}
