/**
 * Works like `Promise.all` over `work`, with at most `limit` calls at a time; results are in the order of the items.
 * After the first failure no new call begins, and it rejects when the running calls have finished. Does not create
 * promises for results that are not promises.
 */
export async function mapBounded<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  let next = 0;
  async function lane(): Promise<void> {
    for (let index = next++; index < items.length && failures.length === 0; index = next++) {
      try {
        const result = work(items[index] as T, index);
        results[index] = result instanceof Promise ? await result : result;
      } catch (error) {
        failures.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, lane));
  if (failures.length > 0) throw failures[0];
  return results;
}
