/** What a list is asked for. IDs sort by time, so the last one seen says where the next page begins. */
export interface ListRequest {
  readonly limit: number;
  /** Only what is older than the thing with this ID. */
  readonly before?: string | undefined;
}

/** Newest first. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** Give this as `before` for the next page; null on the last. */
  readonly next: string | null;
}

/** A page from rows that were read with one more than `limit`: that one only tells that there is more. */
export function toPage<Row extends { id: string }, Item>(
  rows: readonly Row[],
  limit: number,
  convert: (row: Row) => Item,
): ListPage<Item> {
  const shown = rows.slice(0, limit);
  const next = rows.length > limit ? (shown.at(-1)?.id ?? null) : null;
  return { items: shown.map(convert), next };
}
