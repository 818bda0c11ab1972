import { compareCodeUnits, omitUndefined } from "../core/index.ts";
import type { NavDivision, NavEntry, NavGroup, NavPosition, Site, SitePage } from "./site.ts";

/** Returns all pages, keyed by path. Takes linear time, so build the map once and pass it on. */
export function indexPages(site: Pick<Site, "pages">): ReadonlyMap<string, SitePage> {
  return new Map(site.pages.map((page) => [page.path, page]));
}

/**
 * The number of lookups that take as long as building a map of the pages. On a site with 50,000 pages, a lookup takes
 * sixteen steps.
 */
const maxSearches = 8_192;

/**
 * Creates a function that finds pages by path. The pages must be sorted by path. Most pages are read only after many
 * lookups, because a render child that renders a single page has not read the others.
 */
export function createPageFinder(
  pages: readonly SitePage[],
): (path: string) => SitePage | undefined {
  let byPath: ReadonlyMap<string, SitePage> | undefined;
  let searches = 0;
  return (path) => {
    if (byPath === undefined && ++searches > maxSearches) byPath = indexPages({ pages });
    return byPath ? byPath.get(path) : findSitePage({ pages }, path);
  };
}

/** Finds a page by its path in logarithmic time. For many lookups, use `createPageFinder`. */
export function findSitePage(site: Pick<Site, "pages">, path: string): SitePage | undefined {
  let [low, high] = [0, site.pages.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const page = site.pages[middle];
    const order = compareCodeUnits(page?.path ?? "", path);
    if (order === 0) return page;
    if (order < 0) low = middle + 1;
    else high = middle - 1;
  }
  return undefined;
}

/** Returns the division whose sidebar lists a page at `position`. */
function getDivisionAt(site: Site, position: NavPosition): NavDivision {
  return listDivisionsTo(site, position).at(-1) ?? site.navigation;
}

/** Returns the divisions from the root (excluded) to the division that contains `position`. */
export function listDivisionsTo(site: Site, position: NavPosition): NavDivision[] {
  const divisions: NavDivision[] = [];
  let division: NavDivision | undefined = site.navigation;
  for (const index of position.divisions) {
    division = division?.divisions[index];
    if (division) divisions.push(division);
  }
  return divisions;
}

/**
 * Returns the path of the first page of a division. The division's default part comes first. Hidden parts are skipped.
 */
export function findFirstPage(division: NavDivision): string | undefined {
  return listDivisionPages(division).next().value;
}

/**
 * Returns the path of the first page whose canonical position is in the division or, if there is none, of the
 * division's first page. A page with a canonical position in a different division would show the sidebar of that
 * division.
 */
export function findFirstOwnPage(site: Site, division: NavDivision): string | undefined {
  for (const path of listDivisionPages(division)) {
    const position = findSitePage(site, path)?.positions[0];
    if (
      position &&
      (division.kind === "root" || listDivisionsTo(site, position).includes(division))
    ) {
      return path;
    }
  }
  return findFirstPage(division);
}

/** Yields every page that a division shows. The division's default part comes first. Hidden parts are skipped. */
function* listDivisionPages(division: NavDivision): Generator<string, undefined> {
  for (const entry of division.entries) yield* listEntryPages(entry);
  const visibleDivisions = division.divisions.filter((child) => !child.hidden);
  for (const child of visibleDivisions) if (child.isDefault) yield* listDivisionPages(child);
  for (const child of visibleDivisions) if (!child.isDefault) yield* listDivisionPages(child);
}

/** Returns the pages before and after a page in the sidebar of its canonical position. */
export function findNeighborPages(
  site: Site,
  page: SitePage,
): { readonly previous?: string; readonly next?: string } {
  const [position] = page.positions;
  if (!position || position.entries.length === 0) return {};
  const { entries } = getDivisionAt(site, position);
  return omitUndefined({
    previous: findFirstOther(listPagesBefore(entries, position.entries), page.path),
    next: findFirstOther(listPagesAfter(entries, position.entries), page.path),
  });
}

export interface Crumb {
  readonly label: string;
  /** The path of the page to which the level links; undefined if there is none. */
  readonly path?: string;
}

/**
 * Returns the levels above a page at its canonical position, outermost first. Languages and versions are omitted
 * because they have switches.
 */
export function listBreadcrumbs(site: Site, page: SitePage): Crumb[] {
  const [position] = page.positions;
  if (!position) return [];
  const ancestors = listDivisionsTo(site, position);
  const groups = listGroupsTo(getDivisionAt(site, position).entries, position.entries);
  const crumbs: Crumb[] = groups.map((group) =>
    omitUndefined({ label: group.label, path: findFirstEntryPage(group) }),
  );
  // The loop proceeds from the innermost division outward, because a tab that has versions links to the page's own
  // version.
  let linkedDivision: NavDivision | undefined;
  for (const division of ancestors.toReversed()) {
    linkedDivision ??= division;
    if (division.kind === "language" || division.kind === "version") continue;
    crumbs.unshift(omitUndefined({ label: division.label, path: findFirstPage(linkedDivision) }));
    linkedDivision = undefined;
  }
  return crumbs;
}

/** Returns the groups that contain the entry at `indexes`, outermost first. */
function listGroupsTo(entries: readonly NavEntry[], indexes: readonly number[]): NavGroup[] {
  const groups: NavGroup[] = [];
  let level = entries;
  for (const index of indexes.slice(0, -1)) {
    const entry = level[index];
    if (entry?.type !== "group") break;
    groups.push(entry);
    level = entry.entries;
  }
  return groups;
}

/** Lists the entries next to divisions, each with its first page. Pages in the divisions link to these entries. */
export function listOuterEntries(
  entries: readonly NavEntry[],
): readonly { readonly entry: Exclude<NavEntry, { type: "link" }>; readonly path: string }[] {
  return entries.flatMap((entry) => {
    const path = entry.type === "link" ? undefined : findFirstEntryPage(entry);
    return entry.type === "link" || path === undefined ? [] : [{ entry, path }];
  });
}

/** Returns the path of the first page that an entry shows. */
function findFirstEntryPage(entry: NavEntry): string | undefined {
  return listEntryPages(entry).next().value;
}

/** Yields the pages that an entry shows, in order. A group's root comes before its entries. */
function* listEntryPages(entry: NavEntry): Generator<string, undefined> {
  if (entry.type === "page") yield entry.path;
  if (entry.type !== "group" || entry.hidden) return;
  if (entry.root !== undefined) yield entry.root;
  for (const child of entry.entries) yield* listEntryPages(child);
}

function* listEntryPagesBackwards(entry: NavEntry): Generator<string, undefined> {
  if (entry.type === "page") yield entry.path;
  if (entry.type !== "group" || entry.hidden) return;
  for (let index = entry.entries.length - 1; index >= 0; index--) {
    const child = entry.entries[index];
    if (child) yield* listEntryPagesBackwards(child);
  }
  if (entry.root !== undefined) yield entry.root;
}

/** Returns the lists of entries from the outermost list to the list that contains the entry at `indexes`. */
function listLevelsTo(
  entries: readonly NavEntry[],
  indexes: readonly number[],
): (readonly NavEntry[])[] {
  return [entries, ...listGroupsTo(entries, indexes).map((group) => group.entries)];
}

function* listPagesAfter(
  entries: readonly NavEntry[],
  indexes: readonly number[],
): Generator<string, undefined> {
  const levels = listLevelsTo(entries, indexes);
  const entry = levels.at(-1)?.[indexes.at(-1) ?? 0];
  if (entry?.type === "group") for (const child of entry.entries) yield* listEntryPages(child);
  for (let depth = levels.length - 1; depth >= 0; depth--) {
    const level = levels[depth] ?? [];
    for (let index = (indexes[depth] ?? 0) + 1; index < level.length; index++) {
      const sibling = level[index];
      if (sibling) yield* listEntryPages(sibling);
    }
  }
}

function* listPagesBefore(
  entries: readonly NavEntry[],
  indexes: readonly number[],
): Generator<string, undefined> {
  const levels = listLevelsTo(entries, indexes);
  for (let depth = levels.length - 1; depth >= 0; depth--) {
    const level = levels[depth] ?? [];
    for (let index = (indexes[depth] ?? 0) - 1; index >= 0; index--) {
      const sibling = level[index];
      if (sibling) yield* listEntryPagesBackwards(sibling);
    }
    const group = levels[depth - 1]?.[indexes[depth - 1] ?? 0];
    if (group?.type === "group" && group.root !== undefined) yield group.root;
  }
}

/** Returns the first path other than `ownPath`. A group's root may also be in the group's list and be its own neighbor. */
function findFirstOther(paths: Iterable<string>, ownPath: string): string | undefined {
  for (const path of paths) if (path !== ownPath) return path;
  return undefined;
}

/**
 * Creates a function that finds the page that the format shows at the address of a folder without an index, which is
 * the first page in the navigation that is below the folder. The index is built when it is first used, because few
 * sites link to such a folder.
 */
export function createFolderPageFinder(
  site: Pick<Site, "navigation">,
  hasPage: (path: string) => boolean,
): (folder: string) => string | undefined {
  let firstPages: ReadonlyMap<string, string> | undefined;
  return (folder) => {
    firstPages ??= indexFolders([...listDivisionPages(site.navigation)].filter(hasPage));
    return firstPages.get(folder);
  };
}

function indexFolders(pages: readonly string[]): ReadonlyMap<string, string> {
  const firstPages = new Map<string, string>();
  for (const page of pages) {
    for (let end = page.lastIndexOf("/"); end > 0; end = page.lastIndexOf("/", end - 1)) {
      const folder = page.slice(0, end);
      if (firstPages.has(folder)) break;
      firstPages.set(folder, page);
    }
  }
  return firstPages;
}

/**
 * Returns the codes of all languages of a site that its navigation contains, and `undefined` if there are pages without
 * a language.
 */
export function collectSiteLanguages({ navigation, pages }: Site): ReadonlySet<string | undefined> {
  const languages = new Set<string | undefined>([undefined]);
  for (const { language } of pages) languages.add(language);
  addLanguages(navigation, languages);
  return languages;
}

function addLanguages(
  { kind, label, divisions }: NavDivision,
  languages: Set<string | undefined>,
): void {
  if (kind === "language") languages.add(label);
  for (const division of divisions) addLanguages(division, languages);
}
