import { listDivisionsTo } from "../../site/index.ts";
import type { NavDivision, NavPosition, Site, SitePage } from "../../site/index.ts";
import { getParentFolder } from "../../core/index.ts";

/** A page's position in the navigation that the layout shows. */
export interface Trail {
  /** The divisions from the root to the division whose sidebar is shown. There is at least one. */
  readonly divisions: readonly [NavDivision, ...NavDivision[]];
  /**
   * The indexes that lead from the root to the last of `divisions`. There is one fewer index than there are divisions.
   */
  readonly divisionIndexes: readonly number[];
  /** The indexes within that division's entries; undefined for a page that is in no sidebar. */
  readonly entryIndexes?: readonly number[];
}

/**
 * Creates a function that finds a page's trail. An unlisted page gets the trail of a listed page in its folder or a
 * parent folder.
 */
export function createTrails(site: Site): (page: SitePage | undefined) => Trail {
  let positions: ReadonlyMap<string, NavPosition> | undefined;

  function follow(position: NavPosition): Trail["divisions"] {
    return [site.navigation, ...listDivisionsTo(site, position)];
  }

  return function findTrail(page) {
    const ownPosition = page?.positions[0];
    if (ownPosition !== undefined && ownPosition.entries.length > 0) {
      return {
        divisions: follow(ownPosition),
        divisionIndexes: ownPosition.divisions,
        entryIndexes: ownPosition.entries,
      };
    }
    const position = ownPosition ??
      findNearestPosition((positions ??= mapFolderPositions(site)), page?.path ?? "") ?? {
        divisions: [],
        entries: [],
      };
    return { divisions: follow(position), divisionIndexes: position.divisions };
  };
}

/**
 * Maps each folder to the position of the first listed page in the folder and its subfolders. An empty string means the
 * site's folder.
 */
function mapFolderPositions(site: Site): ReadonlyMap<string, NavPosition> {
  const positions = new Map<string, NavPosition>();
  /** Records the position for the folder if it precedes the recorded one, and reports whether it does. */
  const offer = (folder: string, position: NavPosition): boolean => {
    const recorded = positions.get(folder);
    const isFirst = !recorded || compareIndexes(position.divisions, recorded.divisions) < 0;
    if (isFirst) positions.set(folder, position);
    return isFirst;
  };
  for (const page of site.pages) {
    const position = page.positions[0];
    if (position === undefined) continue;
    // If the recorded position comes first, it also comes first in the parent folders.
    for (
      let folder = getParentFolder(page.path);
      offer(folder, position);
      folder = getParentFolder(folder)
    ) {
      if (folder === "") break;
    }
  }
  return positions;
}

function findNearestPosition(
  positions: ReadonlyMap<string, NavPosition>,
  path: string,
): NavPosition | undefined {
  for (let folder = getParentFolder(path); ; folder = getParentFolder(folder)) {
    const position = positions.get(folder);
    if (position !== undefined || folder === "") return position;
  }
}

function compareIndexes(left: readonly number[], right: readonly number[]): number {
  for (const [level, index] of left.entries()) {
    const difference = index - (right[level] ?? -1);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
