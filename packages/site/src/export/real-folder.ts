import { lstatSync } from "node:fs";
import { dirname } from "node:path";

/** Whether a folder stands here: not a link to one. */
export function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Whether a folder stands here with no link on the way from one of `known`, which gets what is found. */
export function isRealFolder(path: string, known: Set<string>): boolean {
  if (known.has(path)) return true;
  const parent = dirname(path);
  if (parent === path || !isRealFolder(parent, known) || !isFolder(path)) return false;
  known.add(path);
  return true;
}
