import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { toFileStat, type FileStat, getParentFolder } from "../core/index.ts";

/** Folders below the root of a bundle, by their path in it. */
export interface BundleFolders {
  /**
   * Returns the stat of a folder as of the first request for it. Undefined if there is no such folder, or if its path
   * contains a link.
   */
  statOf(folder: string): FileStat | undefined;
}

/** Reads the stat of each folder only once, because a bundle has a folder for every few files. */
export function createBundleFolders(root: string): BundleFolders {
  const known = new Map<string, FileStat | undefined>();
  function look(folder: string): FileStat | undefined {
    const parent = getParentFolder(folder);
    if (parent !== "" && statOf(parent) === undefined) return undefined;
    return readFolderStat(`${root}/${folder}`);
  }
  function statOf(folder: string): FileStat | undefined {
    const found = known.get(folder);
    if (found !== undefined || known.has(folder)) return found;
    const stat = look(folder);
    known.set(folder, stat);
    return stat;
  }
  return { statOf };
}

/** Returns undefined if there is no folder at this path, or if it is a link to one. */
export function readFolderStat(path: string): FileStat | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() ? toFileStat(stats) : undefined;
}

/** Creates a `getParentFolder` that is fast if most paths are in the same folder as the previous path. */
export function createParentFinder(): (path: string) => string {
  let last = "";
  return (path) => {
    const end = Math.max(0, path.lastIndexOf("/"));
    if (end !== last.length || !path.startsWith(last)) last = path.slice(0, end);
    return last;
  };
}

/**
 * Adds the folders above a path, except the root. `last` contains the folder of the previous path, which most paths
 * share.
 */
export function addParents(path: string, folders: Set<string>, last = { folder: "" }): void {
  const end = path.lastIndexOf("/");
  if (end === last.folder.length && end > 0 && path.startsWith(last.folder)) return;
  let folder = getParentFolder(path);
  last.folder = folder;
  for (; folder !== "" && !folders.has(folder); folder = getParentFolder(folder))
    folders.add(folder);
}

/** Reports whether there is a folder at this path that is not a link. */
export function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Reports whether there is a folder at this path that is reached from a folder in `known` without following a link.
 * Adds the folders that it finds to `known`.
 */
export function isRealFolder(path: string, known: Set<string>): boolean {
  if (known.has(path)) return true;
  const parent = dirname(path);
  if (parent === path || !isRealFolder(parent, known) || !isFolder(path)) return false;
  known.add(path);
  return true;
}

/**
 * Reports whether a path in a bundle's folder belongs to the publisher: `.git`, `.nojekyll` and the like. Such files
 * may contain data that exists nowhere else. Of these names, exports write only `.well-known`.
 */
export function isPublisherFile(path: string): boolean {
  return /^\.(?!well-known(?:\/|$))/.test(path);
}
