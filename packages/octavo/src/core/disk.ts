import { statfs } from "node:fs/promises";
import { OctavoError } from "@octavo/site/core";
import { systemRefusal } from "./system-refusal.ts";

/** The time between two looks at the disks. */
const defaultEveryMs = 1_000;

/** A folder whose disk needs free space, as it is called in messages and metrics: `data`. */
export interface WatchedFolder {
  readonly name: string;
  readonly path: string;
}

export interface FreeSpace {
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

export interface DiskSpaceOptions {
  /** Each exists. */
  readonly folders: readonly WatchedFolder[];
  /** Of each disk. */
  readonly minFreeBytes: number;
  readonly everyMs?: number;
}

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
