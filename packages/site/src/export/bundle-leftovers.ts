import { lstatSync, readdirSync, existsSync } from "node:fs";
import { join } from "node:path";
import {
  createBundleFolders,
  isPublisherFile,
  isFolder,
  type BundleFolders,
} from "./bundle-paths.ts";
import { stagingName, type Removals } from "./staging-folder.ts";

/** The contents of a bundle, by path. */
interface BundlePaths {
  /** The folders that contain the bundle's files. */
  readonly folders: ReadonlySet<string>;
  /** Reports whether a file stays unchanged. */
  readonly isUnchanged: (path: string) => boolean;
  /** Reports whether this export writes a file. */
  readonly isWritten: (path: string) => boolean;
}

interface Leftovers extends Removals {
  /** Size of the publisher's files, which are not removed, in bytes. */
  readonly publisherBytes: number;
}

interface KnownFolders {
  readonly folders: BundleFolders;
  /** Reports whether a folder is known to contain only parts of the bundle; such a folder is not read. */
  readonly isClean: (folder: string) => boolean;
}

/** Finds the files in a folder that are not part of the new bundle. */
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

  /** Reads one folder. The bundle's folders below it are read separately. */
  function readFolder(folder: string): void {
    const below = folder === "" ? "" : `${folder}/`;
    for (const name of readdirSync(`${root}/${folder}`)) {
      const path = below + name;
      if (isUnchanged(path)) continue;
      if (below === "" && isPublisherFile(name)) publisherBytes += measureBelow(root, name);
      else if (folders.has(path)) collectObstacle(path);
      else if (!isWritten(path)) collectAll(path, stale);
      // A file needs no removal: moving the new file into place replaces it.
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

/** Reports whether a folder is empty or contains an earlier export, which the next export may replace. */
export function isEmptyOrExport(folder: string): boolean {
  const names = readdirSync(folder);
  if (names.length === 0 || names.includes(stagingName)) return true;
  return existsSync(join(folder, "_octavo", "report.json"));
}

function measureBelow(root: string, path: string): number {
  if (path === stagingName) return 0;
  const file = join(root, path);
  const stats = lstatSync(file);
  if (!stats.isDirectory()) return stats.isFile() ? stats.size : 0;
  const names = readdirSync(file);
  return names.reduce((sum, name) => sum + measureBelow(root, `${path}/${name}`), 0);
}
