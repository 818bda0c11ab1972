/** A list whose entries are made one by one, each when it is first asked for. `make` never returns undefined. */
export function lazyList<T>(length: number, make: (index: number) => T): readonly T[] {
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
