/** Wraps `find` so that it is called only once per key. */
export function memoize<Key, Value>(find: (key: Key) => Value): (key: Key) => Value {
  const results = new Map<Key, Value>();
  return (key) => {
    const value = results.get(key);
    if (value !== undefined || results.has(key)) return value as Value;
    const result = find(key);
    results.set(key, result);
    return result;
  };
}
