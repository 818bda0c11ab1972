import { lstatSync } from "node:fs";
import { dirname } from "node:path";
import { fileStat, type FileStat } from "../core/index.ts";

/** Folders below the root of a bundle, by their path in it. */
export interface BundleFolders {
  /** The stat of a folder that no link leads to, when it was first asked for; undefined if there is none. */
  statOf(folder: string): FileStat | undefined;
}

/** Looks at each folder once: a bundle has a folder for every few files. */
export function createBundleFolders(root: string): BundleFolders {
  const known = new Map<string, FileStat | undefined>();
  function look(folder: string): FileStat | undefined {
    const parent = parentOf(folder);
    if (parent !== "" && statOf(parent) === undefined) return undefined;
    return folderStat(`${root}/${folder}`);
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

/** Undefined if there is no folder, or a link to one. */
export function folderStat(path: string): FileStat | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() ? fileStat(stats) : undefined;
}

/** The folder that a path is in; empty for the root. */
export function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/** `parentOf`, of paths of which most are in the folder of the one before. */
export function createParentFinder(): (path: string) => string {
  let last = "";
  return (path) => {
    const end = Math.max(0, path.lastIndexOf("/"));
    if (end !== last.length || !path.startsWith(last)) last = path.slice(0, end);
    return last;
  };
}

/**
 * Adds the folders that a path is in, up to the root, which is not among them. `last` has the folder of the path before
 * it, which is the same for most.
 */
export function addParents(path: string, folders: Set<string>, last = { folder: "" }): void {
  const end = path.lastIndexOf("/");
  if (end === last.folder.length && end > 0 && path.startsWith(last.folder)) return;
  let folder = parentOf(path);
  last.folder = folder;
  for (; folder !== "" && !folders.has(folder); folder = parentOf(folder)) folders.add(folder);
}

/** Whether there is a folder at this path, not a link to one. */
export function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Whether there is a folder at this path, with no link between it and one of `known`. Adds what it finds to `known`. */
export function isRealFolder(path: string, known: Set<string>): boolean {
  if (known.has(path)) return true;
  const parent = dirname(path);
  if (parent === path || !isRealFolder(parent, known) || !isFolder(path)) return false;
  known.add(path);
  return true;
}

/**
 * Whether a path of a bundle's folder belongs to whoever publishes it: `.git`, `.nojekyll` and the like, which may
 * contain what is nowhere else. Exports write no such names except `.well-known`.
 */
export function isOfPublisher(path: string): boolean {
  return /^\.(?!well-known(?:\/|$))/.test(path);
}
