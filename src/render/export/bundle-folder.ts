import { constants } from "node:fs";
import {
  access,
  chmod,
  copyFile,
  mkdir,
  readFile,
  readdir,
  rm,
  rmdir,
  writeFile,
} from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { realPathInside, resolveInside } from "../../core/index.ts";
import type { BundleFile } from "../bundle.ts";

/** A copy of a read-only file would stand in the way of the next export. */
const writable = 0o644;

/** A folder that becomes a bundle. What an earlier export left in it and this one did not write is removed at the end; `.git` and the like stay. */
export interface BundleFolder {
  write(file: BundleFile): Promise<void>;
  /** Changes the text of a file that was written. */
  rewrite(path: string, change: (text: string) => string): Promise<void>;
  /** Copies a file of the site to its own path. Throws where it leads out of the site or is gone. */
  copyAsset(siteRoot: string, path: string): Promise<void>;
  /** Whether a file stands at this path, or one stands where it would need a folder. */
  isTaken(path: string): boolean;
  removeStale(): Promise<void>;
}

/**
 * Exports write no other names of this kind: `.git` and `.nojekyll` are of whoever publishes the folder,
 * and may hold what is nowhere else.
 */
const ofPublisher = /^\.(?!well-known\/)/;

export function openBundleFolder(root: string): BundleFolder {
  const written = new Set<string>();
  const folders = new Map<string, Promise<unknown>>();

  function ensureFolder(file: string): Promise<unknown> {
    const folder = dirname(file);
    let made = folders.get(folder);
    if (!made) folders.set(folder, (made = mkdir(folder, { recursive: true })));
    return made;
  }
  async function claim(path: string): Promise<string> {
    const file = resolveInside(root, path);
    written.add(path);
    await ensureFolder(file);
    return file;
  }
  return {
    isTaken: (path) => isTaken(written, path),
    async write({ path, content }) {
      await writeFile(await claim(path), content);
    },
    async rewrite(path, change) {
      const file = resolveInside(root, path);
      await writeFile(file, change(await readFile(file, "utf8")));
    },
    async copyAsset(siteRoot, path) {
      const source = await realPathInside(siteRoot, path);
      const copy = await claim(path);
      await rm(copy, { force: true });
      await copyFile(source, copy, constants.COPYFILE_FICLONE);
      await chmod(copy, writable);
    },
    async removeStale() {
      const entries = await readdir(root, { recursive: true, withFileTypes: true });
      for (const entry of entries) {
        if (entry.isDirectory()) continue;
        const file = join(entry.parentPath, entry.name);
        const path = relative(root, file).split(sep).join("/");
        if (!written.has(path) && !ofPublisher.test(path)) await rm(file);
      }
      const emptied = entries.filter((entry) => entry.isDirectory());
      for (const folder of emptied.toReversed()) {
        const path = join(folder.parentPath, folder.name);
        if (!folders.has(path)) await rmdir(path).catch(() => {});
      }
    },
  };
}

/** A bundle that is not kept: it claims paths as a folder would and finds files that cannot be read, but writes nothing. */
export function createBundleTrial(): BundleFolder {
  const claimed = new Set<string>();
  return {
    isTaken: (path) => isTaken(claimed, path),
    async write({ path }) {
      claimed.add(path);
    },
    async rewrite() {},
    async copyAsset(siteRoot, path) {
      claimed.add(path);
      await access(await realPathInside(siteRoot, path), constants.R_OK);
    },
    async removeStale() {},
  };
}

function isTaken(paths: ReadonlySet<string>, path: string): boolean {
  for (let at = path; at !== "."; at = dirname(at)) if (paths.has(at)) return true;
  return false;
}
