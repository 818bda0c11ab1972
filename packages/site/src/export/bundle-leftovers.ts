import { lstatSync, readdirSync, existsSync } from "node:fs";
import { join } from "node:path";
import {
  createBundleFolders,
  isOfPublisher,
  isFolder,
  type BundleFolders,
} from "./bundle-paths.ts";
import { stagingName, type Removals } from "./staging-folder.ts";

/** What a bundle has, by path. */
interface BundlePaths {
  /** Those of its files. */
  readonly folders: ReadonlySet<string>;
  /** Whether a file stays as it is. */
  readonly isUnchanged: (path: string) => boolean;
  /** Whether a file is put in place. */
  readonly isWritten: (path: string) => boolean;
}

interface Leftovers extends Removals {
  /** Size of the publisher's files, which stay. */
  readonly publisherBytes: number;
}

interface KnownFolders {
  readonly folders: BundleFolders;
  /** Whether a folder is known to have only what the bundle has in it; it is not read then. */
  readonly isClean: (folder: string) => boolean;
}

/** What is in a folder but not part of the bundle that it becomes. */
export function findLeftovers(
  root: string,
  { folders, isUnchanged, isWritten }: BundlePaths,
  known: KnownFolders = { folders: createBundleFolders(root), isClean: () => false },
): Leftovers {
  const obstacles: string[] = [];
  const stale: string[] = [];
  let publisherBytes = 0;

  function collectAll(path: string, into: string[]): void {
    const file = join(root, path);
    if (!isFolder(file)) return void into.push(path);
    for (const name of readdirSync(file)) collectAll(`${path}/${name}`, into);
    into.push(`${path}/`);
  }

  /** Folders of the bundle in it are read on their own. */
  function readFolder(folder: string): void {
    const below = folder === "" ? "" : `${folder}/`;
    for (const name of readdirSync(`${root}/${folder}`)) {
      const path = below + name;
      if (isUnchanged(path)) continue;
      if (below === "" && isOfPublisher(name)) publisherBytes += bytesBelow(root, name);
      else if (folders.has(path)) collectObstacle(path);
      else if (!isWritten(path)) collectAll(path, stale);
      // A file is replaced by the move itself.
      else if (isFolder(join(root, path))) collectAll(path, obstacles);
    }
  }

  function collectObstacle(path: string): void {
    if (!isFolder(join(root, path))) obstacles.push(path);
  }

  readFolder("");
  for (const folder of folders) {
    if (known.folders.statOf(folder) && !known.isClean(folder)) readFolder(folder);
  }
  return { obstacles, stale, publisherBytes };
}

/** Whether a folder is empty or holds an earlier export, which the next one replaces. */
export function isEmptyOrExport(folder: string): boolean {
  const names = readdirSync(folder);
  if (names.length === 0 || names.includes(stagingName)) return true;
  return existsSync(join(folder, "_octavo", "report.json"));
}

function bytesBelow(root: string, path: string): number {
  if (path === stagingName) return 0;
  const file = join(root, path);
  const stats = lstatSync(file);
  if (!stats.isDirectory()) return stats.isFile() ? stats.size : 0;
  const names = readdirSync(file);
  return names.reduce((sum, name) => sum + bytesBelow(root, `${path}/${name}`), 0);
}
