import { OctavoError } from "../../core/index.ts";
import { createSuggestions } from "../../site/index.ts";
import type { NavDivision, NavEntry, NavPosition, Site, SitePage } from "../../site/index.ts";

/**
 * Returns the site with only the named pages, and its navigation without empty groups. Throws `invalid_input`, naming
 * every path that is not a page.
 */
export function selectPages(site: Site, paths: readonly string[]): Site {
  const existing = new Set(site.pages.map((page) => page.path));
  const wanted = new Set(paths.map((path) => path.replace(/^\/+/, "").replace(/\.mdx?$/, "")));
  const missing = [...wanted].filter((path) => !existing.has(path));
  if (missing.length > 0) {
    const names = missing.map((path) => JSON.stringify(path)).join(", ");
    const verb = missing.length === 1 ? "is not a page" : "are not pages";
    throw new OctavoError(
      "invalid_input",
      `${names} ${verb} of this site.${hintFor(missing, site)}`,
    );
  }
  const navigation = pruneDivision(site.navigation, wanted);
  const places = collectPositions(navigation);
  const pages = site.pages
    .filter((page) => wanted.has(page.path))
    .map((page): SitePage => ({ ...page, places: places.get(page.path) ?? [] }));
  return { ...site, pages, navigation };
}

function hintFor(missing: readonly string[], site: Site): string {
  const suggest = createSuggestions(site.pages.map((page) => page.path));
  const near = new Set(missing.map(suggest).filter((path) => path !== undefined));
  if (near.size === 0) return "";
  return ` Did you mean ${[...near].map((path) => JSON.stringify(path)).join(", ")}?`;
}

function pruneDivision(division: NavDivision, wanted: ReadonlySet<string>): NavDivision {
  const divisions = division.divisions
    .map((child) => pruneDivision(child, wanted))
    .filter(
      (child) => child.href !== undefined || child.divisions.length + child.entries.length > 0,
    );
  return { ...division, divisions, entries: pruneEntries(division.entries, wanted) };
}

function pruneEntries(entries: readonly NavEntry[], wanted: ReadonlySet<string>): NavEntry[] {
  return entries.flatMap((entry): NavEntry[] => {
    if (entry.type === "link") return [entry];
    if (entry.type === "page") return wanted.has(entry.path) ? [entry] : [];
    const children = pruneEntries(entry.entries, wanted);
    const { root, ...group } = entry;
    const pruned = root !== undefined && wanted.has(root) ? { ...group, root } : group;
    return children.length > 0 || "root" in pruned ? [{ ...pruned, entries: children }] : [];
  });
}

/** Returns the positions of each page in a navigation tree. */
function collectPositions(root: NavDivision): Map<string, NavPosition[]> {
  const places = new Map<string, NavPosition[]>();
  const add = (path: string, place: NavPosition) => {
    const found = places.get(path);
    if (found) found.push(place);
    else places.set(path, [place]);
  };
  function visitEntries(list: readonly NavEntry[], divisions: number[], above: number[]): void {
    for (const [index, entry] of list.entries()) {
      const entries = [...above, index];
      if (entry.type === "page") add(entry.path, { divisions, entries });
      if (entry.type !== "group") continue;
      if (entry.root !== undefined) add(entry.root, { divisions, entries });
      visitEntries(entry.entries, divisions, entries);
    }
  }
  function visit(division: NavDivision, path: number[]): void {
    visitEntries(division.entries, path, []);
    for (const [index, child] of division.divisions.entries()) visit(child, [...path, index]);
  }
  visit(root, []);
  return places;
}
