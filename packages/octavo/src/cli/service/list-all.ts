import type { Client } from "../../client/index.ts";
import type { ListPage, ListRequest } from "../../projects/index.ts";

const pageSize = 100;

/** Returns all items of an API list. `name` is the name of the list in the response. */
export async function listAll<Item>(
  ...list: Parameters<typeof iterateList>
): Promise<readonly Item[]> {
  return await Array.fromAsync(iterateList<Item>(...list));
}

/** Iterates over the items of an API list, requesting one page at a time. */
export async function* iterateList<Item>(
  client: Client,
  path: string,
  name: string,
  query: Readonly<Record<string, string>> = {},
): AsyncGenerator<Item> {
  let cursor: string | null = null;
  do {
    const search = new URLSearchParams({ ...query, limit: "100", ...(cursor && { cursor }) });
    const page = (await client.call("GET", `${path}?${search.toString()}`)) as ListAnswer<Item>;
    yield* page[name] as readonly Item[];
    cursor = page.nextCursor;
  } while (cursor !== null);
}

type ListAnswer<Item> = Readonly<Record<string, readonly Item[] | string | null>> & {
  readonly nextCursor: string | null;
};

/** Returns all items of a list that `read` returns page by page. */
export async function readAllPages<Item>(
  read: (page: ListRequest) => Promise<ListPage<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let before: string | undefined;
  do {
    const page = await read({ limit: pageSize, before });
    items.push(...page.items);
    before = page.next ?? undefined;
  } while (before !== undefined);
  return items;
}
