import type { Client } from "../../client/index.ts";
import type { ListPage, ListRequest } from "../../projects/index.ts";

const pageSize = 100;

/** Returns all items of an API list. `name` is the field of the response that contains the items. */
export async function listAll<Item>(
  ...parameters: Parameters<typeof iterateList>
): Promise<readonly Item[]> {
  return await Array.fromAsync(iterateList<Item>(...parameters));
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
    const page = (await client.call("GET", `${path}?${search.toString()}`)) as ListResponse<Item>;
    yield* page[name] as readonly Item[];
    cursor = page.nextCursor;
  } while (cursor !== null);
}

type ListResponse<Item> = Readonly<Record<string, readonly Item[] | string | null>> & {
  readonly nextCursor: string | null;
};

/** Returns all items of a list. `readPage` returns one page of it. */
export async function readAllPages<Item>(
  readPage: (request: ListRequest) => Promise<ListPage<Item>>,
): Promise<readonly Item[]> {
  const items: Item[] = [];
  let before: string | undefined;
  do {
    const page = await readPage({ limit: pageSize, before });
    items.push(...page.items);
    before = page.next ?? undefined;
  } while (before !== undefined);
  return items;
}
