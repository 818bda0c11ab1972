import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { isOfPublisher } from "./publisher-files.ts";
import { isFolder } from "./real-folder.ts";
import { stagingName } from "./staging-folder.ts";
import type { Removals } from "./staging-plan.ts";

/** The files of a bundle, by path. */
interface BundlePaths {
  /** Files that stay as they are. */
  readonly unchanged: ReadonlyMap<string, unknown>;
  /** Files that are put in place. */
  readonly written: ReadonlyMap<string, unknown>;
}

export interface Leftovers extends Removals {
  /** Size of the publisher's files, which stay. */
  readonly publisherBytes: number;
}

/** What is in a folder but not part of the bundle that it becomes. */
export function findLeftovers(root: string, { unchanged, written }: BundlePaths): Leftovers {
  const folders = foldersOf(unchanged.keys(), written.keys());
  const obstacles: string[] = [];
  const stale: string[] = [];
  let publisherBytes = 0;

  function collectAll(path: string, into: string[]): void {
    const file = join(root, path);
    if (!isFolder(file)) return void into.push(path);
    for (const name of readdirSync(file)) collectAll(`${path}/${name}`, into);
    into.push(`${path}/`);
  }

  function walk(below: string): void {
    for (const name of readdirSync(join(root, below))) {
      const path = below + name;
      if (unchanged.has(path)) continue;
      if (below === "" && isOfPublisher(name)) publisherBytes += bytesBelow(root, name);
      else if (folders.has(path)) walkFolder(path);
      else if (!written.has(path)) collectAll(path, stale);
      // A file is replaced by the move itself.
      else if (isFolder(join(root, path))) collectAll(path, obstacles);
    }
  }

  function walkFolder(path: string): void {
    if (isFolder(join(root, path))) walk(`${path}/`);
    else obstacles.push(path);
  }

  walk("");
  return { obstacles, stale, publisherBytes };
}

function foldersOf(...lists: readonly Iterable<string>[]): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const paths of lists) {
    for (const path of paths) {
      let end = path.lastIndexOf("/");
      while (end > 0 && !folders.has(path.slice(0, end))) {
        folders.add(path.slice(0, end));
        end = path.lastIndexOf("/", end - 1);
      }
    }
  }
  return folders;
}

function bytesBelow(root: string, path: string): number {
  if (path === stagingName) return 0;
  const file = join(root, path);
  const stats = lstatSync(file);
  if (!stats.isDirectory()) return stats.isFile() ? stats.size : 0;
  const names = readdirSync(file);
  return names.reduce((sum, name) => sum + bytesBelow(root, `${path}/${name}`), 0);
}
