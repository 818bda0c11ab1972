import { divisionsTo, findSitePage, firstPage } from "./navigation.ts";
import type { NavDivision, Site, SitePage } from "./site.ts";

/**
 * Where a reader of `page` lands who switches to `division` (another language, version or product):
 * the same page there, else the first page of the part that corresponds, else the division's first
 * page. Undefined where the division leads elsewhere or holds no page.
 *
 * Authors name no pairs, so the same page is recognised by its path: `guides/a` and `es/guides/a`,
 * `v2/a` and `v3/a`. Takes no longer on larger sites, apart from a search in the sorted pages.
 */
export function counterpart(site: Site, page: SitePage, division: NavDivision): string | undefined {
  const same = samePage(site, page, division);
  if (same !== undefined) return same;
  const { way } = locateSwitch(site, page, division);
  return firstPageAtSamePlace(page, division, way.length) ?? firstPage(division);
}

/** The same page in another language, version or product; undefined where there is none. */
export function samePage(site: Site, page: SitePage, division: NavDivision): string | undefined {
  const { source, way } = locateSwitch(site, page, division);
  if (source === division || isBelow(page, way)) return page.path;
  if (source) {
    for (const path of candidates(site, page, { source, target: division, depth: way.length })) {
      const candidate = findSitePage(site, path);
      const isShown = candidate !== undefined && (page.hidden || !candidate.hidden);
      if (isShown && isBelow(candidate, way)) return candidate.path;
    }
  }
  return undefined;
}

interface Switch {
  readonly source: NavDivision;
  readonly target: NavDivision;
  /** Number of indexes that lead to either. */
  readonly depth: number;
}

/** The division that the page stands in beside `target`, and the indexes that lead to `target`. */
function locateSwitch(
  site: Site,
  page: SitePage,
  target: NavDivision,
): { readonly source?: NavDivision; readonly way: readonly number[] } {
  const divisions = page.places[0]?.divisions ?? [];
  let parent: NavDivision | undefined = site.navigation;
  for (let depth = 0; parent; depth++) {
    const index = parent.divisions.indexOf(target);
    const child: NavDivision | undefined = parent.divisions[divisions[depth] ?? -1];
    if (index !== -1) {
      const way = [...divisions.slice(0, depth), index];
      return child ? { source: child, way } : { way };
    }
    parent = child;
  }
  return { way: [] };
}

function isBelow(page: SitePage, way: readonly number[]): boolean {
  if (way.length === 0) return false;
  return page.places.some(({ divisions }) =>
    way.every((index, depth) => divisions[depth] === index),
  );
}

/** Paths that the same page may have in the target, the likeliest first. */
function* candidates(site: Site, page: SitePage, change: Switch): Generator<string, undefined> {
  yield* byFirstPages(site, page, change);
  yield* byLabels(page.path, change);
}

/**
 * What tells the first pages of two divisions apart tells their other pages apart too:
 * `docs/2026/intro` and `docs/2025/intro` differ in the folder `docs/2026`. Asks the parts that
 * correspond first, since a whole division may open with a page of its own.
 */
function* byFirstPages(site: Site, page: SitePage, change: Switch): Generator<string, undefined> {
  const [place] = page.places;
  const pairs: [NavDivision, NavDivision][] = [[change.source, change.target]];
  for (const part of place ? divisionsTo(site, place).slice(change.depth) : []) {
    const [source, target] = pairs.at(-1) ?? [change.source, change.target];
    const other = target.divisions[source.divisions.indexOf(part)];
    if (other?.kind !== part.kind) break;
    pairs.push([part, other]);
  }
  for (const [source, target] of pairs.toReversed()) {
    const path = replaceHead(page.path, firstPage(source), firstPage(target));
    if (path !== undefined) yield path;
  }
}

/** `path` with the folder that `from` has before what it shares with `to` replaced by that of `to`. */
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

/** Folders named for the language or version: `es/a` for `es`, `docs/2025-11-25/a` for “Version 2025-11-25”. */
function* byLabels(path: string, { source, target }: Switch): Generator<string, undefined> {
  const parts = path.split("/");
  const own = new Set(namesIn(source.label));
  const at = parts.findIndex((part) => own.has(part));
  const [before, rest] = at === -1 ? [[], parts] : [parts.slice(0, at), parts.slice(at + 1)];
  for (const name of namesIn(target.label)) yield [...before, name, ...rest].join("/");
  yield [...before, ...rest].join("/");
}

/** The words of a label that a folder may be named for; labels have few. */
function namesIn(label: string): string[] {
  return [label, ...(label.match(/[\w.-]+/g)?.slice(0, 8) ?? [])];
}

/** The first page of the part of `division` that stands where the page's own part does: the second tab of both. */
function firstPageAtSamePlace(
  page: SitePage,
  division: NavDivision,
  depth: number,
): string | undefined {
  let part: NavDivision | undefined = division;
  for (const index of page.places[0]?.divisions.slice(depth) ?? []) part = part?.divisions[index];
  return part && part !== division ? firstPage(part) : undefined;
}
