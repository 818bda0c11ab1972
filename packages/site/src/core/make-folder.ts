import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and its missing parents. Returns the topmost folder that it created; undefined if the folder
 * existed. Throws the system's error, also in file systems without room for new entries, such as /proc: there Node's
 * recursive `mkdir` never returns (seen with Node 20 and 24), and its synchronous form cannot even be interrupted.
 */
export function makeFolder(path: string, mode = 0o777): string | undefined {
  if (isFolder(path)) return undefined;
  try {
    mkdirSync(path, { mode });
    return path;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Another process created it.
    if (code === "EEXIST" && isFolder(path)) return undefined;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path || existsSync(parent)) throw error;
    const topmost = makeFolder(parent, mode);
    const created = makeFolder(path, mode);
    return topmost ?? created;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
