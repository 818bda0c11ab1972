/**
 * Works like `Promise.all` over the results of `work`, with at most `limit` calls at a time. After the first failure it
 * starts no more calls, and rejects when the running calls have finished. Results that are not promises are not wrapped
 * in promises.
 */
export async function mapBounded<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => R | Promise<R>,
): Promise<R[]> {
  const results: R[] = [];
  const failures: unknown[] = [];
  let next = 0;
  async function runLane(): Promise<void> {
    for (let index = next++; index < items.length && failures.length === 0; index = next++) {
      try {
        const result = work(items[index] as T, index);
        results[index] = result instanceof Promise ? await result : result;
      } catch (error) {
        failures.push(error);
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, runLane));
  if (failures.length > 0) throw failures[0];
  return results;
}
