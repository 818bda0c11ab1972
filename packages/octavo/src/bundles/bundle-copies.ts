import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { join } from "node:path";
import { Transform } from "node:stream";
import { pipeline } from "node:stream/promises";
import { OctavoError, sha256 } from "@octavo/site/core";
import { createSlots, flush } from "../core/index.ts";
import type { Storage } from "../storage/index.ts";
import { openBundle, type OpenBundle } from "./open-bundle.ts";
import type { StoredArchive } from "./archive.ts";

/** Copies of stored zip archives in a folder on this machine, from which files are read by position. */
export interface BundleCopies extends Disposable {
  /**
   * Returns an open bundle. It is fetched from the storage if this node has no copy. It is readable for at least half a
   * minute, and a stream that has begun can be read to its end. Throws `not_found` if the storage has no such archive,
   * and `unavailable` if the storage cannot be reached or the bytes do not match the archive's key.
   */
  open(archive: StoredArchive): Promise<OpenBundle>;
  /**
   * Returns the path of the copy for another process, and creates the copy if it does not exist. The copy can be
   * removed at any time. Throws in the same cases as `open`.
   */
  locate(archive: StoredArchive): Promise<string>;
}

export interface BundleCopiesOptions {
  /**
   * The folder of the copies, created when it is needed. Several processes can share it, and it can be deleted at any
   * time.
   */
  readonly folder: string;
  /** The maximum size of all copies. A single larger archive is copied nevertheless. */
  readonly maxBytes: number;
}

/** The maximum number of open bundles, and of files in their directories, which take about 200 bytes each. */
const maxOpenBundles = 200;
const maxOpenEntries = 400_000;
/**
 * A bundle that has not been read for this long is closed when another bundle is opened, so that its space can be
 * freed.
 */
const idleTimeoutMs = 10 * 60_000;
/** The time for which a bundle that is no longer kept open stays readable for its current users. */
const closeDelayMs = 30_000;
/**
 * The interval at which the use of a copy is recorded as its modification time, for all processes that share the
 * folder.
 */
const touchIntervalMs = 60_000;
/** The maximum number of archives that are fetched concurrently. */
const maxFetches = 4;
/** A partial copy of this age was left by a process that died. */
const maxPartialAgeMs = 60 * 60_000;

/** Opens the copies in a folder. If they exceed `maxBytes`, the least recently used copies are removed. */
export function createBundleCopies(storage: Storage, options: BundleCopiesOptions): BundleCopies {
  const openBundles = createOpenBundles();
  const copies = createCopyFolder(storage, options, (path) => openBundles.closeByPath(path));
  const pendingOpens = new Map<string, Promise<OpenBundle>>();

  async function openCopy(archive: StoredArchive): Promise<OpenBundle> {
    if (archive.format !== "zip")
      throw new OctavoError("invalid_input", "Only zip archives can be served.");
    const { bundle, path } = await copies.open(archive);
    openBundles.add(archive.key, bundle, path);
    return bundle;
  }

  return {
    async open(archive) {
      const found = openBundles.find(archive.key) ?? pendingOpens.get(archive.key);
      if (found) return await found;
      const bundle = openCopy(archive).finally(() => pendingOpens.delete(archive.key));
      pendingOpens.set(archive.key, bundle);
      return await bundle;
    },
    async locate(archive) {
      const { bundle, path } = await copies.open(archive);
      bundle.close();
      return path;
    },
    [Symbol.dispose]: () => openBundles.closeAll(),
  };
}

interface UsedBundle {
  readonly bundle: OpenBundle;
  readonly path: string;
  usedAt: number;
  touchedAt: number;
}

/** The bundles that are open, by their keys. */
interface OpenBundles {
  add(key: string, bundle: OpenBundle, path: string): void;
  find(key: string): OpenBundle | undefined;
  /** Closes the bundle of a copy that was removed. */
  closeByPath(path: string): void;
  closeAll(): void;
}

function createOpenBundles(): OpenBundles {
  /** The bundles by path. The most recently used bundle comes last. */
  const bundles = new Map<string, UsedBundle>();

  function closeLater(key: string, bundle: OpenBundle): void {
    bundles.delete(key);
    setTimeout(() => bundle.close(), closeDelayMs).unref();
  }

  /** Closes excess and idle bundles, except the last bundle, which was just opened. */
  function closeUnused(newestKey: string): void {
    let entries = 0;
    for (const { bundle } of bundles.values()) entries += bundle.entries.size;
    for (const [key, { bundle, usedAt }] of bundles) {
      const exceedsLimits = bundles.size > maxOpenBundles || entries > maxOpenEntries;
      if (key === newestKey || (!exceedsLimits && Date.now() - usedAt < idleTimeoutMs)) continue;
      entries -= bundle.entries.size;
      closeLater(key, bundle);
    }
  }

  return {
    add(key, bundle, path) {
      const now = Date.now();
      bundles.set(key, { bundle, path, usedAt: now, touchedAt: now });
      closeUnused(key);
    },
    find(key) {
      const openBundle = bundles.get(key);
      if (!openBundle) return undefined;
      const now = Date.now();
      openBundle.usedAt = now;
      if (now - openBundle.touchedAt > touchIntervalMs) {
        openBundle.touchedAt = now;
        // Another process may have removed the copy, which stays readable here.
        void markAsUsed(openBundle.path);
        bundles.delete(key);
        bundles.set(key, openBundle);
      }
      return openBundle.bundle;
    },
    closeByPath(path) {
      for (const [key, used] of bundles) {
        if (used.path === path) closeLater(key, used.bundle);
      }
    },
    closeAll() {
      for (const { bundle } of bundles.values()) bundle.close();
      bundles.clear();
    },
  };
}

interface CopyFolder {
  /** Opens the copy of an archive. Creates the copy first if it does not exist. */
  open(archive: StoredArchive): Promise<{ readonly bundle: OpenBundle; readonly path: string }>;
}

function createCopyFolder(
  storage: Storage,
  { folder, maxBytes }: BundleCopiesOptions,
  onRemoved: (path: string) => void,
): CopyFolder {
  const fetches = createSlots(maxFetches);

  async function fetchCopy(archive: StoredArchive, path: string): Promise<OpenBundle> {
    await mkdir(folder, { recursive: true });
    await makeRoom(archive.bytes);
    const partial = await mkdtemp(join(folder, "part-"));
    try {
      const file = join(partial, "copy");
      await copyVerified(storage, archive, file);
      await flush(file);
      // The copy is opened first, because another process may remove it as soon as it is in place.
      const bundle = await openBundle(file);
      await rename(file, path);
      return bundle;
    } finally {
      await rm(partial, { recursive: true, force: true });
    }
  }

  /** Removes the least recently used copies until another copy of the given size fits. */
  async function makeRoom(bytes: number): Promise<void> {
    let total = bytes;
    for (const copy of await listCopies(folder)) {
      if (!copy.isPartial) total += copy.bytes;
      const isAbandoned = copy.isPartial && Date.now() - copy.usedAt > maxPartialAgeMs;
      if (!isAbandoned && (copy.isPartial || total <= maxBytes)) continue;
      onRemoved(copy.path);
      await rm(copy.path, { recursive: true, force: true });
    }
  }

  return {
    async open(archive) {
      const path = join(folder, `${sha256(archive.key).slice(0, 32)}.zip`);
      const existing = await openCompleteCopy(path, archive).catch(() => undefined);
      const bundle = existing ?? (await fetches.run(() => fetchCopy(archive, path)));
      await markAsUsed(path);
      return { bundle, path };
    },
  };
}

/** Opens a copy. Throws if the copy does not exist or is incomplete. */
async function openCompleteCopy(path: string, { bytes }: StoredArchive): Promise<OpenBundle> {
  if ((await stat(path)).size !== bytes) throw new Error("The copy has a different size.");
  return await openBundle(path);
}

async function copyVerified(storage: Storage, { key }: StoredArchive, file: string): Promise<void> {
  const hash = createHash("sha256");
  const hasher = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(undefined, chunk);
    },
  });
  await pipeline(await storage.read(key), hasher, createWriteStream(file, { flags: "wx" }));
  if (key.includes(hash.digest("hex"))) return;
  throw new OctavoError("unavailable", `The stored archive ${key} is damaged.`);
}

interface Copy {
  readonly path: string;
  readonly isPartial: boolean;
  readonly bytes: number;
  /** The time of the last use, in milliseconds since 1970. */
  readonly usedAt: number;
}

/** Lists the copies, most recently used first. */
async function listCopies(folder: string): Promise<readonly Copy[]> {
  const copies = await Promise.all(
    (await readdir(folder)).map(async (name): Promise<Copy[]> => {
      const path = join(folder, name);
      const stats = await stat(path).catch(() => undefined);
      if (!stats) return [];
      return [{ path, isPartial: stats.isDirectory(), bytes: stats.size, usedAt: stats.mtimeMs }];
    }),
  );
  return copies.flat().toSorted((one, other) => other.usedAt - one.usedAt);
}

/** Marks a copy as used now. Does nothing if another process has removed it. */
async function markAsUsed(path: string): Promise<void> {
  const now = new Date();
  await utimes(path, now, now).catch(() => undefined);
}
