import { make, rootPath } from "./page.ts";

/** Text in pieces, alternately plain and matched; the first is plain. */
type Marked = readonly string[];

export interface SearchResult {
  /** Relative to the bundle's root. */
  readonly href: string;
  readonly title: Marked;
  /** Empty if the title matched. */
  readonly heading: Marked;
  readonly excerpt: Marked;
  readonly breadcrumb: string;
}

/** The id of the best result's element, which may not be the first element. */
export const bestId = "search-result-0";

/** Groups results under the titles of their pages; pages are in the order of their best results. */
export function makeResults(results: readonly SearchResult[]): HTMLElement[] {
  const options = new Map(
    results.map((result, index) => [result, makeOption(result, `search-result-${index}`)]),
  );
  return Array.from(groupByPage(results), ([href, found], index) => {
    const [best] = found;
    const own = found.find(({ heading }) => heading.length === 0);
    const title = { ...best, href, heading: [], excerpt: [] };
    const page = (own && options.get(own)) ?? makeOption(title, `search-page-${index}`);
    const sections = found.filter((result) => result !== own);
    const below = sections.flatMap((result) => options.get(result) ?? []);
    const attributes = { class: "search-page", role: "group", "aria-label": best.title.join("") };
    return make("div", attributes, page, ...below);
  });
}

type Found = [SearchResult, ...SearchResult[]];

function groupByPage(results: readonly SearchResult[]): ReadonlyMap<string, Found> {
  const pages = new Map<string, Found>();
  for (const result of results) {
    const [page = ""] = result.href.split("#", 1);
    const found = pages.get(page);
    if (found) found.push(result);
    else pages.set(page, [result]);
  }
  return pages;
}

/** Creates the option for a page, or for a section under its page. */
function makeOption(result: SearchResult, id: string): HTMLElement {
  const { href, title, heading, excerpt, breadcrumb } = result;
  const isPage = heading.length === 0;
  const crumbs = !isPage || breadcrumb === "" ? [] : [make("small", {}, breadcrumb)];
  const name = makeText(isPage ? title : heading, "search-title");
  const text = excerpt.length === 0 ? [] : [makeText(excerpt, "search-excerpt")];
  const attributes = {
    id,
    role: "option",
    tabindex: "-1",
    "aria-selected": "false",
    href: rootPath + href,
  };
  return make("a", attributes, ...crumbs, name, ...text);
}

function makeText(text: Marked, name: string): HTMLElement {
  const pieces = text.map((piece, at) => (at % 2 === 0 ? piece : make("mark", {}, piece)));
  return make("span", { class: name }, ...pieces);
}
