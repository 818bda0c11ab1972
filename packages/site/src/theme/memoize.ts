/** Wraps `find` so that it is called only once per key. */
export function memoize<Key, Value>(find: (key: Key) => Value): (key: Key) => Value {
  const found = new Map<Key, Value>();
  return (key) => {
    const value = found.get(key);
    if (value !== undefined || found.has(key)) return value as Value;
    const result = find(key);
    found.set(key, result);
    return result;
  };
}
