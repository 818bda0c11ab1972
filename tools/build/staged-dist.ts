import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
} from "node:fs";
import { join } from "node:path";

/** The folder that a build writes to before it becomes the `dist/` of a package. */
export interface StagedDist extends Disposable {
  /** The path of the folder, which is next to `dist/`, so that source maps have the same relative paths to `src/`. */
  readonly path: string;
  /**
   * Makes `dist/` equal to the written files. A program that reads from `dist/` meanwhile finds every file: changed
   * files are replaced atomically, files with the same bytes are left untouched, and files that no longer exist are
   * removed last.
   */
  putInPlace(): void;
}

const prefix = "dist-";

/**
 * Creates the folder of a build, and removes the folders that killed builds left behind. Only one build at a time may
 * call this function.
 */
export function openStagedDist(folder: string): StagedDist {
  for (const name of readdirSync(folder)) {
    if (name.startsWith(prefix)) removeLeft(join(folder, name));
  }
  const path = mkdtempSync(join(folder, prefix));
  const dist = join(folder, "dist");
  return {
    path,
    putInPlace() {
      const paths = readPaths(path);
      place(path, dist, paths);
      removeOthers(dist, paths);
    },
    [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }),
  };
}

function removeLeft(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch {
    // The compiler of a killed build may still be writing there; a later build removes it.
  }
}

function readPaths(folder: string): ReadonlySet<string> {
  return new Set(readdirSync(folder, { recursive: true, encoding: "utf8" }).toSorted());
}

/** `paths` lists each folder before its entries. */
function place(staged: string, dist: string, paths: ReadonlySet<string>): void {
  mkdirSync(dist, { recursive: true });
  for (const path of paths) {
    const [source, target] = [join(staged, path), join(dist, path)];
    const isFolder = lstatSync(source).isDirectory();
    const found = lstatSync(target, { throwIfNoEntry: false });
    const isOfKind = found?.isDirectory() === isFolder;
    if (found && !isOfKind) rmSync(target, { recursive: true });
    if (isFolder) mkdirSync(target, { recursive: true });
    else if (!isOfKind || !isSame(source, target)) renameSync(source, target);
  }
}

function isSame(one: string, other: string): boolean {
  return readFileSync(one).equals(readFileSync(other));
}

function removeOthers(dist: string, paths: ReadonlySet<string>): void {
  for (const path of readPaths(dist)) {
    if (!paths.has(path)) rmSync(join(dist, path), { recursive: true, force: true });
  }
}
