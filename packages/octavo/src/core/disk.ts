import { open, readdir, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OctavoError, describeSystemRefusal } from "@octavo/site/core";

/** Milliseconds between two checks of the disks. */
const defaultEveryMs = 1_000;

/** A folder whose disk needs free space. `name` appears in messages and metrics, for example `data`. */
interface WatchedFolder {
  readonly name: string;
  readonly path: string;
}

interface FreeSpace {
  readonly folder: string;
  readonly freeBytes: number;
}

/** The disk state that jobs depend on. */
export interface SpaceWatch {
  /**
   * Aborted while a disk has too little space left, with an `unavailable` error that says what to do. Once there is
   * enough space again, a new signal replaces it.
   */
  readonly shortage: AbortSignal;
}

export interface DiskSpace extends SpaceWatch, Disposable {
  /** The results of the last check, without folders that could not be read. */
  readonly free: readonly FreeSpace[];
  /** Checks again now. Throws the error of `shortage`. */
  check(): Promise<void>;
}

interface DiskSpaceOptions {
  /** Every folder must exist. */
  readonly folders: readonly WatchedFolder[];
  /** The minimum for each disk. */
  readonly minFreeBytes: number;
  readonly everyMs?: number;
}

/** More than one, because file systems combine flushes that wait for the disk at the same time. */
const concurrentFlushes = 4;

/** Checks the disks of some folders periodically until disposed. */
export async function openDiskSpace(options: DiskSpaceOptions): Promise<DiskSpace> {
  let free: readonly FreeSpace[] = [];
  let short = new AbortController();
  let looking: Promise<void> | undefined;
  // Run one check at a time: each one that a network file system leaves hanging occupies a thread.
  const look = () => (looking ??= lookOnce().finally(() => (looking = undefined)));
  const lookOnce = async () => {
    const found = await Promise.all(options.folders.map(measureFolder));
    free = found.flatMap((each) => ("freeBytes" in each ? [each] : []));
    const problem = describeShortage(found, options.minFreeBytes);
    if (problem === undefined && short.signal.aborted) short = new AbortController();
    if (problem !== undefined && !short.signal.aborted) short.abort(unavailable(problem));
  };
  await look();
  const timer = setInterval(() => void look(), options.everyMs ?? defaultEveryMs).unref();
  return {
    get free() {
      return free;
    },
    get shortage() {
      return short.signal;
    },
    async check() {
      await look();
      short.signal.throwIfAborted();
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

type Found = FreeSpace | { readonly folder: string; readonly refusal: string };

async function measureFolder({ name, path }: WatchedFolder): Promise<Found> {
  try {
    const { bavail, bsize } = await statfs(path);
    return { folder: name, freeBytes: bavail * bsize };
  } catch (error) {
    return { folder: name, refusal: describeSystemRefusal(error) ?? "it does not exist" };
  }
}

function describeShortage(found: readonly Found[], minFreeBytes: number): string | undefined {
  for (const each of found) {
    if ("refusal" in each) {
      return `The ${each.folder} folder of the service cannot be used: ${each.refusal}.`;
    }
    if (each.freeBytes >= minFreeBytes) continue;
    return (
      `The disk of the service's ${each.folder} folder has ${toMegabytes(each.freeBytes)} MB left, and the service ` +
      `needs ${toMegabytes(minFreeBytes)} MB. Ask the operator to free some space.`
    );
  }
  return undefined;
}

function unavailable(message: string): OctavoError {
  return new OctavoError("unavailable", message, { details: { isOfNode: true } });
}

function toMegabytes(bytes: number): number {
  return Math.floor(bytes / 1_000_000);
}

/**
 * Flushes a file's content, or a folder's list of entries, to the disk so that it survives a power failure. A new file
 * needs both flushes: of its content and of its folder's entries.
 */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes a folder and everything in it. Its entries must not be removed during the call. */
export async function flushTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .values();
  const flushNext = async () => {
    for (const path of paths) await flush(path);
  };
  await Promise.all(Array.from({ length: concurrentFlushes }, flushNext));
  await flush(folder);
}

/** Flushes the entries of a folder and of its parents up to `topmost`, some of which may have just been created. */
export async function flushParents(folder: string, topmost = "/"): Promise<void> {
  for (let at = folder; ; at = dirname(at)) {
    try {
      await flush(at);
    } catch (error) {
      // This process cannot have created a folder that it may not read.
      if (at === folder || (error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    }
    if (at === topmost || at === dirname(at)) return;
  }
}
