import { open, readdir, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OctavoError } from "@octavo/site/core";

/** The time between two looks at the disks. */
const defaultEveryMs = 1_000;

/** A folder whose disk needs free space, as it is called in messages and metrics: `data`. */
interface WatchedFolder {
  readonly name: string;
  readonly path: string;
}

interface FreeSpace {
  readonly folder: string;
  readonly freeBytes: number;
}

/** What work needs to know of the disks. */
export interface SpaceWatch {
  /**
   * Aborted, with an error `unavailable` that says what to do, from the moment that a disk has too little space left
   * until it has enough again; then another signal takes its place.
   */
  readonly shortage: AbortSignal;
}

export interface DiskSpace extends SpaceWatch, Disposable {
  /** What the last look found; nothing of folders that could not be looked at. */
  readonly free: readonly FreeSpace[];
  /** Looks again now. Throws the error of `shortage`. */
  check(): Promise<void>;
}

interface DiskSpaceOptions {
  /** Each exists. */
  readonly folders: readonly WatchedFolder[];
  /** Of each disk. */
  readonly minFreeBytes: number;
  readonly everyMs?: number;
}

/** More than one, because file systems combine flushes that wait for the disk at the same time. */
const concurrentFlushes = 4;

const refusals: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "the name is too long for the file system",
  EMFILE: "too many open files",
  EIO: "the device failed to read or write",
};

/** Looks at the disks of some folders from time to time, until disposed. */
export async function openDiskSpace(options: DiskSpaceOptions): Promise<DiskSpace> {
  let free: readonly FreeSpace[] = [];
  let short = new AbortController();
  let looking: Promise<void> | undefined;
  // One look at a time: each that a network file system leaves hanging holds a thread.
  const look = () => (looking ??= lookOnce().finally(() => (looking = undefined)));
  const lookOnce = async () => {
    const found = await Promise.all(options.folders.map(lookAt));
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

async function lookAt({ name, path }: WatchedFolder): Promise<Found> {
  try {
    const { bavail, bsize } = await statfs(path);
    return { folder: name, freeBytes: bavail * bsize };
  } catch (error) {
    return { folder: name, refusal: systemRefusal(error) ?? "it is gone" };
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
      `needs ${toMegabytes(minFreeBytes)} MB. Its operator has to free some space.`
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
 * Flushes a file's content, or a folder's list of entries, to the disk so that it survives a loss of power. A new
 * file needs both: its own content, and its folder's entries.
 */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes a folder with everything below it. Nothing below it may be removed meanwhile. */
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

/** Flushes the entries of a folder and of its parents up to `topmost`, of which some may have been created just now. */
export async function flushParents(folder: string, topmost = "/"): Promise<void> {
  for (let at = folder; ; at = dirname(at)) {
    try {
      await flush(at);
    } catch (error) {
      // A folder that this process may not read, it has not created.
      if (at === folder || (error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    }
    if (at === topmost || at === dirname(at)) return;
  }
}

/** Why the file system refused something, as the end of a sentence; undefined for other errors. */
export function systemRefusal(error: unknown): string | undefined {
  return error instanceof Error ? refusals[(error as NodeJS.ErrnoException).code ?? ""] : undefined;
}
