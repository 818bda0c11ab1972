import type { Client } from "../client/index.ts";

/** Everything of a list of the API, page by page. `name` is the list's in the answer. */
export async function everyListed<Item>(
  client: Client,
  path: string,
  name: string,
  query: Readonly<Record<string, string>> = {},
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let cursor: string | null = null;
  do {
    const search = new URLSearchParams({ ...query, limit: "100", ...(cursor && { cursor }) });
    const page = (await client.call("GET", `${path}?${search.toString()}`)) as ListAnswer<Item>;
    items.push(...(page[name] as readonly Item[]));
    cursor = page.nextCursor;
  } while (cursor !== null);
  return items;
}

type ListAnswer<Item> = Readonly<Record<string, readonly Item[] | string | null>> & {
  readonly nextCursor: string | null;
};
