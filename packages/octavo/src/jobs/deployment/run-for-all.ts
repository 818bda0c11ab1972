import { createSlots } from "../../core/index.ts";

/**
 * Runs an action for all items, at most `atOnce` at the same time, even after one of them has failed. Then throws the
 * error, or an error that contains all of them if there were several.
 */
export async function runForAll<Item>(
  items: readonly Item[],
  atOnce: number,
  act: (item: Item) => Promise<void>,
): Promise<void> {
  const slots = createSlots(atOnce);
  const results = await Promise.allSettled(items.map((item) => slots.run(() => act(item))));
  const errors = results.flatMap((each): unknown[] =>
    each.status === "rejected" ? [each.reason] : [],
  );
  if (errors.length > 1) throw new AggregateError(errors, `${errors.length} projects failed.`);
  if (errors.length === 1) throw errors[0];
}
