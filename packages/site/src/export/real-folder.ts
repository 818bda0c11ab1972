import { lstatSync } from "node:fs";
import { dirname } from "node:path";

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
