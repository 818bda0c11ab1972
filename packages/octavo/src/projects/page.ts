/** A request for one page of a list. IDs are ordered by time, so the last ID of a page determines the next page. */
export interface ListRequest {
  readonly limit: number;
  /** Only items older than the item with this ID. */
  readonly before?: string | undefined;
}

/** A page of a list, newest items first. */
export interface ListPage<Item> {
  readonly items: readonly Item[];
  /** The `before` of the next page; null on the last page. */
  readonly next: string | null;
}

/** Builds a page from at most `limit + 1` rows. The extra row only shows that there are more items. */
export function toPage<Row extends { id: string }, Item>(
  rows: readonly Row[],
  limit: number,
  convert: (row: Row) => Item,
): ListPage<Item> {
  const pageRows = rows.slice(0, limit);
  const next = rows.length > limit ? (pageRows.at(-1)?.id ?? null) : null;
  return { items: pageRows.map(convert), next };
}
