import { listDivisionsTo } from "../../site/index.ts";
import type { NavDivision, NavPosition, Site, SitePage } from "../../site/index.ts";

/** A page's place in the navigation, as the layout shows it. */
export interface Trail {
  /** From the root to the division whose sidebar is shown; never empty. */
  readonly divisions: readonly [NavDivision, ...NavDivision[]];
  /** Indexes that lead from the root to the last of `divisions`; one fewer than those. */
  readonly indexes: readonly number[];
  /** Indexes within that division's entries; undefined for a page that is in no sidebar. */
  readonly entries?: readonly number[];
}

/** Finds the trail of each page of a site; an unlisted page gets that of its neighbors in the folders. */
export function createTrails(site: Site): (page: SitePage | undefined) => Trail {
  let places: ReadonlyMap<string, NavPosition> | undefined;

  function follow(place: NavPosition): Trail["divisions"] {
    return [site.navigation, ...listDivisionsTo(site, place)];
  }

  return function trailOf(page) {
    const own = page?.places[0];
    if (own !== undefined && own.entries.length > 0) {
      return { divisions: follow(own), indexes: own.divisions, entries: own.entries };
    }
    const place = own ??
      findNearestPosition((places ??= mapFolderPositions(site)), page?.path ?? "") ?? {
        divisions: [],
        entries: [],
      };
    return { divisions: follow(place), indexes: place.divisions };
  };
}

/** The place of the first listed page in each folder and its subfolders; `""` is the site's folder. */
function mapFolderPositions(site: Site): ReadonlyMap<string, NavPosition> {
  const places = new Map<string, NavPosition>();
  /** Whether the place comes first in the folder so far. */
  const offer = (folder: string, place: NavPosition): boolean => {
    const known = places.get(folder);
    const isFirst = !known || compareIndexes(place.divisions, known.divisions) < 0;
    if (isFirst) places.set(folder, place);
    return isFirst;
  };
  for (const page of site.pages) {
    const place = page.places[0];
    if (place === undefined) continue;
    // Where another place comes first, it does so in the folders above as well.
    for (
      let folder = parentFolder(page.path);
      offer(folder, place);
      folder = parentFolder(folder)
    ) {
      if (folder === "") break;
    }
  }
  return places;
}

function parentFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

function findNearestPosition(
  places: ReadonlyMap<string, NavPosition>,
  path: string,
): NavPosition | undefined {
  for (let folder = parentFolder(path); ; folder = parentFolder(folder)) {
    const place = places.get(folder);
    if (place !== undefined || folder === "") return place;
  }
}

function compareIndexes(left: readonly number[], right: readonly number[]): number {
  for (const [at, index] of left.entries()) {
    const difference = index - (right[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
