import type { ListPage, ListRequest } from "../../projects/index.ts";

const pageSize = 100;

/** Everything of a list that is read page by page. */
export async function everyPage<Item>(
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
