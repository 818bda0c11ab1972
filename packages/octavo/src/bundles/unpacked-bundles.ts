import { createReadStream, createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import {
  OctavoError,
  isOctavoError,
  resolveRealPath,
  resolveInside,
  sha256,
} from "@octavo/site/core";
import { getContentType } from "../core/index.ts";
import type { Storage } from "../storage/index.ts";
import type { StoredArchive } from "./archive.ts";

/** A file of an unpacked bundle. */
export interface BundleFile {
  readonly bytes: number;
  readonly contentType: string;
  open(): Readable;
}

/** Bundles that are unpacked in a folder on this machine, where their files can be read in any order. */
export interface UnpackedBundles {
  /**
   * Finds the file at a path, which is untrusted. For a path with a trailing slash, finds the folder's `index.html`.
   * Unpacks the bundle first if necessary. Throws `not_found` if the file does not exist, `too_large` if the bundle is
   * too large to unpack, and `unavailable` if the archive is corrupt.
   */
  find(bundle: StoredArchive, path: string): Promise<BundleFile>;
}

/** The maximum number of unpacked bundles on disk. The least recently used one is removed first. */
const maxFolders = 8;
const maxUnpackedBytes = 2 * 1024 * 1024 * 1024;
const maxFiles = 200_000;

/**
 * Opens the unpacked bundles in `folder`. The folder is created when it is needed, several processes can share it, and
 * it can be deleted at any time.
 */
export function createUnpackedBundles(storage: Storage, folder: string): UnpackedBundles {
  const unpacking = new Map<string, Promise<string>>();

  async function openFolder(bundle: StoredArchive): Promise<string> {
    const target = join(folder, sha256(bundle.key).slice(0, 32));
    if (await markAsUsed(target)) return target;
    await mkdir(folder, { recursive: true });
    await removeOldest(folder, maxFolders - 1);
    const partial = await mkdtemp(join(folder, "part-"));
    try {
      await unpackBundle(storage, bundle, partial);
      await rename(partial, target).catch(async (error: NodeJS.ErrnoException) => {
        // Another process has unpacked the bundle in the meantime. The bytes are the same.
        if (!(await markAsUsed(target))) throw error;
      });
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
    return target;
  }

  return {
    async find(bundle, path) {
      let opening = unpacking.get(bundle.key);
      if (!opening) {
        opening = openFolder(bundle).finally(() => unpacking.delete(bundle.key));
        unpacking.set(bundle.key, opening);
      }
      return await findFile(await opening, path);
    },
  };
}

async function findFile(folder: string, path: string): Promise<BundleFile> {
  const filePath = path === "" || path.endsWith("/") ? `${path}index.html` : path;
  try {
    const file = await resolveRealPath(folder, filePath);
    const stats = await stat(file);
    if (stats.isFile()) {
      const open = () => createReadStream(file);
      return { bytes: stats.size, contentType: getContentType(file), open };
    }
  } catch (error) {
    if (!isOctavoError(error)) throw error;
  }
  throw new OctavoError("not_found", "The bundle has no such file.");
}

/** Marks the folder as used now, and reports whether it exists. */
async function markAsUsed(path: string): Promise<boolean> {
  const now = new Date();
  return await utimes(path, now, now).then(
    () => true,
    () => false,
  );
}

async function removeOldest(folder: string, maxCount: number): Promise<void> {
  const paths = (await readdir(folder)).map((name) => join(folder, name));
  const folders = await Promise.all(
    paths.map(async (path) => ({ path, usedAt: await readUseTime(path) })),
  );
  const newestFirst = folders.toSorted((one, other) => other.usedAt - one.usedAt);
  for (const { path } of newestFirst.slice(maxCount))
    await rm(path, { recursive: true, force: true });
}

/**
 * Returns the time of last use, in milliseconds since 1970, or 0 for a folder that another process has just removed.
 */
async function readUseTime(path: string): Promise<number> {
  return await stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}

/**
 * Writes the files of a bundle to a folder, which is created if it does not exist. Throws `too_large` if the bundle is
 * too large to unpack, and `unavailable` if the archive is corrupt.
 */
export async function unpackBundle(
  storage: Pick<Storage, "read">,
  bundle: StoredArchive,
  target: string,
): Promise<void> {
  // Loaded for the first preview, because the service needs no archive reader to start.
  const { readArchive } = await import("./archive.ts");
  let [files, bytes] = [0, 0];
  for await (const file of readArchive(storage, bundle)) {
    files += 1;
    bytes += file.bytes;
    if (files > maxFiles || bytes > maxUnpackedBytes) {
      throw new OctavoError(
        "too_large",
        "The bundle is too large to unpack. Download its archive instead.",
      );
    }
    const path = resolveInside(target, file.path);
    await mkdir(dirname(path), { recursive: true });
    await pipeline(await file.open(), createWriteStream(path, { flags: "wx" }));
  }
}
