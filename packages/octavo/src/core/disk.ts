import { open, readdir, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OctavoError, describeSystemRefusal, isSystemError } from "@octavo/site/core";

const defaultCheckIntervalMs = 1_000;

/** A folder whose disk needs free space. `name`, e.g. `data`, appears in messages and metrics. */
interface WatchedFolder {
  readonly name: string;
  readonly path: string;
}

interface FreeSpace {
  readonly folder: string;
  readonly freeBytes: number;
}

/** The part of `DiskSpace` that jobs use. */
export interface SpaceWatch {
  /**
   * A signal that is aborted while a disk has too little free space. The reason is an `unavailable` error that says
   * what to do. Once there is enough space again, a new signal replaces the aborted one.
   */
  readonly shortage: AbortSignal;
}

export interface DiskSpace extends SpaceWatch, Disposable {
  /** The results of the last check. Folders that could not be read are omitted. */
  readonly freeSpace: readonly FreeSpace[];
  /** Checks the disks immediately. Throws the reason of `shortage` if a disk has too little free space. */
  check(): Promise<void>;
}

interface DiskSpaceOptions {
  /** The folders to watch, all of which must exist. */
  readonly folders: readonly WatchedFolder[];
  /** The minimum free space on each disk. */
  readonly minFreeBytes: number;
  readonly checkIntervalMs?: number;
}

/**
 * The number of files that are flushed at the same time. File systems combine concurrent flushes into fewer disk
 * operations.
 */
const maxConcurrentFlushes = 4;

/** Checks the disks of the folders periodically until the result is disposed. */
export async function openDiskSpace(options: DiskSpaceOptions): Promise<DiskSpace> {
  let free: readonly FreeSpace[] = [];
  let shortageController = new AbortController();
  let pendingCheck: Promise<void> | undefined;
  // Only one check runs at a time, because each check that hangs on a network file system occupies a thread.
  const checkDisks = () =>
    (pendingCheck ??= measureDisks().finally(() => (pendingCheck = undefined)));
  const measureDisks = async () => {
    const measurements = await Promise.all(options.folders.map(measureFolder));
    free = measurements.flatMap((each) => ("freeBytes" in each ? [each] : []));
    const problem = describeShortage(measurements, options.minFreeBytes);
    if (problem === undefined && shortageController.signal.aborted)
      shortageController = new AbortController();
    if (problem !== undefined && !shortageController.signal.aborted)
      shortageController.abort(createShortageError(problem));
  };
  await checkDisks();
  const timer = setInterval(
    () => void checkDisks(),
    options.checkIntervalMs ?? defaultCheckIntervalMs,
  ).unref();
  return {
    get freeSpace() {
      return free;
    },
    get shortage() {
      return shortageController.signal;
    },
    async check() {
      await checkDisks();
      shortageController.signal.throwIfAborted();
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

type Measurement = FreeSpace | { readonly folder: string; readonly refusal: string };

async function measureFolder({ name, path }: WatchedFolder): Promise<Measurement> {
  try {
    const { bavail, bsize } = await statfs(path);
    return { folder: name, freeBytes: bavail * bsize };
  } catch (error) {
    return { folder: name, refusal: describeSystemRefusal(error) ?? "it does not exist" };
  }
}

function describeShortage(
  measurements: readonly Measurement[],
  minFreeBytes: number,
): string | undefined {
  for (const each of measurements) {
    if ("refusal" in each) {
      return `The service's ${each.folder} folder cannot be used: ${each.refusal}.`;
    }
    if (each.freeBytes >= minFreeBytes) continue;
    return (
      `The disk of the service's ${each.folder} folder has only ${toMegabytes(each.freeBytes)} MB left, but the ` +
      `service needs ${toMegabytes(minFreeBytes)} MB. Ask the operator to free some space.`
    );
  }
  return undefined;
}

function createShortageError(message: string): OctavoError {
  return new OctavoError("unavailable", message, { details: { isOfNode: true } });
}

function toMegabytes(bytes: number): number {
  return Math.floor(bytes / 1_000_000);
}

/**
 * Flushes a file's content or a folder's list of entries to the disk, so that it survives a power failure. For a new
 * file, flush both its content and the entries of its folder.
 */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes a folder and everything in it. No entries may be removed during the call. */
export async function flushTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .values();
  const flushNext = async () => {
    for (const path of paths) await flush(path);
  };
  await Promise.all(Array.from({ length: maxConcurrentFlushes }, flushNext));
  await flush(folder);
}

/**
 * Flushes the entries of a folder and of its parents up to `topmost`, in case some of these folders were just created.
 */
export async function flushParents(folder: string, topmost = "/"): Promise<void> {
  for (let current = folder; ; current = dirname(current)) {
    try {
      await flush(current);
    } catch (error) {
      // A parent that this process may not read needs no flush, because this process cannot have created it.
      if (current === folder || !isSystemError(error, "EACCES")) throw error;
    }
    if (current === topmost || current === dirname(current)) return;
  }
}
