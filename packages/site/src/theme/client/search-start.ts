import { recall, remember } from "./memory.ts";
import { findAll, make, root, rootPath } from "./page.ts";
import { makeResults, type SearchResult } from "./search-results.ts";
import { words } from "./words.ts";

/** The key of the pages that readers opened from the search, the last one first, as pairs of address and title. */
const recentKey = "search-recent";
const maxRecent = 5;
const maxSuggested = 6;

/** Creates the search's list before a word is typed: pages opened from it, and those that the navigation shows. */
export function makeStart(): HTMLElement[] {
  const recent = recentPages();
  const current = addressOf(location.href) ?? "";
  const known = new Set([...recent.map(([href]) => href), current].map(pageOf));
  const suggested = shownPages().filter(([href]) => !known.has(pageOf(href)));
  return [
    ...makeGroup(words.recent, recent, "recent"),
    ...makeGroup(words.suggested, suggested.slice(0, maxSuggested), "suggested"),
  ];
}

/** Stores the page that a reader opens. */
export function rememberOpened(option: HTMLElement): void {
  // By now, its attribute may have a different form of the address.
  const href = option instanceof HTMLAnchorElement ? addressOf(option.href) : undefined;
  if (href === undefined) return;
  const page = option.closest("[role=group]")?.getAttribute("aria-label");
  const title = option.dataset["page"] ?? page ?? option.textContent;
  const others = recentPages().filter(([other]) => pageOf(other) !== pageOf(href));
  const pages = [[href, title], ...others].slice(0, maxRecent);
  remember(`${recentKey}:${root.dataset["search"]}`, JSON.stringify(pages));
}

type PageEntry = readonly [href: string, title: string];

function recentPages(): readonly PageEntry[] {
  try {
    const stored: unknown = JSON.parse(recall(`${recentKey}:${root.dataset["search"]}`) ?? "[]");
    return Array.isArray(stored) ? stored.filter(isPageEntry) : [];
  } catch {
    return [];
  }
}

function isPageEntry(value: unknown): value is PageEntry {
  return (
    Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "string")
  );
}

/** Finds the navigation's links to pages of this bundle, after the links to the previous and the next page. */
function shownPages(): readonly PageEntry[] {
  const links = findAll(
    "#pagination a, #navigation-items a:not([aria-current], .external, .sidebar-more)",
  );
  const pages = new Map<string, string>();
  for (const link of links) {
    if (!(link instanceof HTMLAnchorElement)) continue;
    const href = addressOf(link.href);
    // Icons and tags beside the title have classes.
    const title = (link.querySelector("span:not([class])") ?? link).textContent.trim();
    if (href !== undefined && !pages.has(href)) pages.set(href, title);
  }
  return [...pages];
}

/**
 * Returns the part that all addresses of a page share: hosts show a file, its name without extension, or its folder.
 */
function pageOf(href: string): string {
  return href.replace(/(?:(?:^|\/)index)?(?:\.html|\/)?$/, "");
}

/** Returns an address relative to the bundle's root, without an anchor; undefined for addresses elsewhere. */
function addressOf(address: string): string | undefined {
  const base = new URL(rootPath === "" ? "./" : rootPath, location.href).href;
  const [page = ""] = address.split("#", 1);
  return page.startsWith(base) ? page.slice(base.length) : undefined;
}

function makeGroup(label: string, pages: readonly PageEntry[], name: string): HTMLElement[] {
  if (pages.length === 0) return [];
  const results = pages.map(([href, title]): SearchResult => ({
    href,
    title: [title],
    heading: [],
    excerpt: [],
    breadcrumb: "",
  }));
  const options = makeResults(results).flatMap((page) => findAll("[role=option]", page));
  for (const [at, option] of options.entries()) {
    option.id = `search-${name}-${at}`;
    option.dataset["page"] = pages[at]?.[1];
  }
  const id = `search-${name}`;
  const title = make("div", { class: "search-group-title", id, role: "presentation" }, label);
  return [
    make("div", { class: "search-start", role: "group", "aria-labelledby": id }, title, ...options),
  ];
}
