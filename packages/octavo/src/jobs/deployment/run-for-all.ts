import { createSlots } from "../../core/index.ts";

/**
 * Runs an action for every item, at most `maxConcurrent` at the same time, even after one of them has failed. Then
 * throws the error, or an `AggregateError` if there were several.
 */
export async function runForAll<Item>(
  items: readonly Item[],
  maxConcurrent: number,
  action: (item: Item) => Promise<void>,
): Promise<void> {
  const slots = createSlots(maxConcurrent);
  const results = await Promise.allSettled(items.map((item) => slots.run(() => action(item))));
  const errors = results.flatMap((each): unknown[] =>
    each.status === "rejected" ? [each.reason] : [],
  );
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} projects failed.`);
  if (errors.length === 1) throw errors[0];
}
