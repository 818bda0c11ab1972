import type { NavDivision, NavEntry, SitePage } from "../site/site.ts";
import type { Neighbours } from "./article.ts";
import type { Links } from "./link.ts";

/** The first page that a reader of a division meets; undefined where it holds none that is shown. */
export function firstPage(division: NavDivision, links: Links): string | undefined {
  for (const path of pagesOf(division.entries)) if (links.page(path) !== undefined) return path;
  const inner = division.divisions.filter(({ hidden }) => !hidden);
  const first = inner.find(({ isDefault }) => isDefault);
  for (const next of first === undefined ? inner : [first, ...inner]) {
    const path = firstPage(next, links);
    if (path !== undefined) return path;
  }
  return undefined;
}

function* pagesOf(entries: readonly NavEntry[]): Generator<string> {
  for (const entry of entries) {
    if (entry.type === "page") yield entry.path;
    if (entry.type !== "group" || entry.hidden) continue;
    if (entry.root !== undefined) yield entry.root;
    yield* pagesOf(entry.entries);
  }
}

/** Finds the pages before and after a page within its division. */
export function createNeighbours(links: Links) {
  const orders = new Map<NavDivision, ReadonlyMap<string, Neighbours>>();
  return function neighboursOf(page: SitePage, division: NavDivision): Neighbours {
    const order = orders.get(division) ?? orderOf(division, links);
    orders.set(division, order);
    return order.get(page.path) ?? {};
  };
}

function orderOf(division: NavDivision, links: Links): ReadonlyMap<string, Neighbours> {
  const paths = new Set(pagesOf(division.entries));
  const pages = Array.from(paths, (path) => links.page(path)).filter(
    (page) => page?.hidden === false,
  );
  const order = new Map<string, Neighbours>();
  for (const [at, page] of pages.entries()) {
    if (page === undefined) continue;
    const [previous, next] = [pages[at - 1], pages[at + 1]];
    order.set(page.path, { ...(previous && { previous }), ...(next && { next }) });
  }
  return order;
}
