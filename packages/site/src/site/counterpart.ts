import { listDivisionsTo, findSitePage, findFirstPage } from "./navigation.ts";
import type { NavDivision, Site, SitePage } from "./site.ts";

/**
 * Returns the path of the page that a reader of `page` gets by switching to `division` (another language, version or
 * product). This is the same page in that division, or else the first page of the corresponding part, or else the
 * division's first page. Returns undefined if the division is a link or has no page.
 *
 * Authors do not name corresponding pages, so the same page is recognized by its path, e.g. `guides/a` and
 * `es/guides/a`, or `v2/a` and `v3/a`. The time is logarithmic in the number of pages.
 */
export function findCounterpart(
  site: Site,
  page: SitePage,
  division: NavDivision,
): string | undefined {
  const same = findSamePage(site, page, division);
  if (same !== undefined) return same;
  const { indexes } = locateSwitch(site, page, division);
  return findFirstPageAtPosition(page, division, indexes.length) ?? findFirstPage(division);
}

/** Returns the path of the same page in another language, version or product, or undefined if there is none. */
export function findSamePage(
  site: Site,
  page: SitePage,
  division: NavDivision,
): string | undefined {
  const { source, indexes } = locateSwitch(site, page, division);
  if (source === division || isBelow(page, indexes)) return page.path;
  if (source) {
    for (const path of listCandidates(site, page, {
      source,
      target: division,
      depth: indexes.length,
    })) {
      const candidate = findSitePage(site, path);
      const isShown = candidate !== undefined && (page.hidden || !candidate.hidden);
      if (isShown && isBelow(candidate, indexes)) return candidate.path;
    }
  }
  return undefined;
}

interface Switch {
  readonly source: NavDivision;
  readonly target: NavDivision;
  /** The number of indexes that lead to either division. */
  readonly depth: number;
}

/** Finds the sibling of `target` that contains the page, if any, and the indexes that lead to `target`. */
function locateSwitch(
  site: Site,
  page: SitePage,
  target: NavDivision,
): { readonly source?: NavDivision; readonly indexes: readonly number[] } {
  const divisions = page.positions[0]?.divisions ?? [];
  let parent: NavDivision | undefined = site.navigation;
  for (let depth = 0; parent; depth++) {
    const index = parent.divisions.indexOf(target);
    const child: NavDivision | undefined = parent.divisions[divisions[depth] ?? -1];
    if (index !== -1) {
      const indexes = [...divisions.slice(0, depth), index];
      return child ? { source: child, indexes } : { indexes };
    }
    parent = child;
  }
  return { indexes: [] };
}

function isBelow(page: SitePage, indexes: readonly number[]): boolean {
  if (indexes.length === 0) return false;
  return page.positions.some(({ divisions }) =>
    indexes.every((index, depth) => divisions[depth] === index),
  );
}

/** Yields the paths that the same page may have in the target, from most to least likely. */
function* listCandidates(site: Site, page: SitePage, change: Switch): Generator<string, undefined> {
  yield* listFolderCandidates(site, page, change);
  yield* listLabelCandidates(page.path, change);
}

/**
 * Yields paths in which one folder is replaced. If the first pages of two divisions differ in a folder, their other
 * pages usually differ in the same folder. For example, `docs/2026/intro` and `docs/2025/intro` differ in `docs/2026`.
 * Corresponding parts are tried first, because a division may begin with a page that the other does not have.
 */
function* listFolderCandidates(
  site: Site,
  page: SitePage,
  change: Switch,
): Generator<string, undefined> {
  const [position] = page.positions;
  const pairs: [NavDivision, NavDivision][] = [[change.source, change.target]];
  for (const part of position ? listDivisionsTo(site, position).slice(change.depth) : []) {
    const [source, target] = pairs.at(-1) ?? [change.source, change.target];
    const other = target.divisions[source.divisions.indexOf(part)];
    if (other?.kind !== part.kind) break;
    pairs.push([part, other]);
  }
  for (const [source, target] of pairs.toReversed()) {
    const path = replaceHead(page.path, findFirstPage(source), findFirstPage(target));
    if (path !== undefined) yield path;
  }
}

/** Returns `path` with the folder in which `from` differs from `to` replaced with the corresponding folder of `to`. */
function replaceHead(
  path: string,
  from: string | undefined,
  to: string | undefined,
): string | undefined {
  if (from === undefined || to === undefined) return undefined;
  const [fromParts, toParts] = [from.split("/"), to.split("/")];
  let shared = 0;
  while (fromParts.length > 0 && toParts.length > 0 && fromParts.at(-1) === toParts.at(-1)) {
    fromParts.pop();
    toParts.pop();
    shared += 1;
  }
  const parts = path.split("/");
  const isInHead = fromParts.every((part, index) => parts[index] === part);
  if (shared === 0 || !isInHead) return undefined;
  return [...toParts, ...parts.slice(fromParts.length)].join("/");
}

/**
 * Yields paths with folders that are named after the language or version, e.g. `es/a` for `es`, or `docs/2025-11-25/a`
 * for “Version 2025-11-25”.
 */
function* listLabelCandidates(
  path: string,
  { source, target }: Switch,
): Generator<string, undefined> {
  const parts = path.split("/");
  const sourceNames = new Set(listFolderNames(source.label));
  const at = parts.findIndex((part) => sourceNames.has(part));
  const [before, rest] = at === -1 ? [[], parts] : [parts.slice(0, at), parts.slice(at + 1)];
  for (const name of listFolderNames(target.label)) yield [...before, name, ...rest].join("/");
  yield [...before, ...rest].join("/");
}

/** Returns the folder names that may be derived from a label, which are the label and its first eight words. */
function listFolderNames(label: string): string[] {
  return [label, ...(label.match(/[\w.-]+/g)?.slice(0, 8) ?? [])];
}

/**
 * Returns the first page of the part of `division` that has the same position as the page's own part, e.g. the second
 * tab.
 */
function findFirstPageAtPosition(
  page: SitePage,
  division: NavDivision,
  depth: number,
): string | undefined {
  let part: NavDivision | undefined = division;
  for (const index of page.positions[0]?.divisions.slice(depth) ?? [])
    part = part?.divisions[index];
  return part && part !== division ? findFirstPage(part) : undefined;
}

/** The version of a page in one language. */
export interface LanguageAlternate {
  /** The language in the form that the navigation uses, such as `en`. */
  readonly language: string;
  readonly path: string;
  readonly isDefault: boolean;
}

/**
 * Returns the versions of a page in all languages of the site, including its own. The list is empty if the page exists
 * in only one language.
 */
export function listLanguageAlternates(site: Site, page: SitePage): LanguageAlternate[] {
  const found: LanguageAlternate[] = [];
  for (const division of listSiblingLanguages(site, page)) {
    const path = findSamePage(site, page, division);
    const { label: language, isDefault } = division;
    if (path !== undefined) found.push({ language, path, isDefault });
  }
  return found.length > 1 ? found : [];
}

/** Returns the language divisions that are not hidden, at the level of the page's own language division. */
function listSiblingLanguages(site: Site, page: SitePage): NavDivision[] {
  let division: NavDivision | undefined = site.navigation;
  for (const index of page.positions[0]?.divisions ?? []) {
    const inner: NavDivision | undefined = division?.divisions[index];
    if (inner?.kind === "language") {
      return division?.divisions.filter(({ kind, hidden }) => kind === "language" && !hidden) ?? [];
    }
    division = inner;
  }
  return [];
}
