import type { Stats } from "node:fs";
import { existsSync, mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * A file's stat: size, modification time, inode change time, inode number. At least one of them changes when the file
 * is written or replaced. Setting the file's times changes the inode change time.
 */
export type FileStat = readonly [size: number, mtimeMs: number, ctimeMs: number, ino: number];

export function toFileStat({ size, mtimeMs, ctimeMs, ino }: Stats): FileStat {
  return [size, mtimeMs, ctimeMs, ino];
}

export function matchesFileStat(stats: Stats, [size, mtimeMs, ctimeMs, ino]: FileStat): boolean {
  return (
    stats.ctimeMs === ctimeMs &&
    stats.mtimeMs === mtimeMs &&
    stats.size === size &&
    stats.ino === ino
  );
}

export function isSameStat(one: FileStat, other: FileStat): boolean {
  return one[0] === other[0] && one[1] === other[1] && one[2] === other[2] && one[3] === other[3];
}

/**
 * The minimum time since a file's last change. A file that changed more recently may change again without a change of
 * its times. Git calls such a file racily clean.
 */
const minSettledAgeMs = 2_000;

/** Reports whether a later change of the file is certain to change its stat. */
export function isSettled([, mtimeMs, ctimeMs]: FileStat, nowMs: number): boolean {
  return Math.max(mtimeMs, ctimeMs) < nowMs - minSettledAgeMs;
}

/** Joins stats into a list with four numbers for each. An unknown stat is NaN, which does not equal any stat. */
export function joinStats(stats: readonly (FileStat | undefined)[]): Float64Array {
  const joined = new Float64Array(4 * stats.length).fill(Number.NaN);
  for (const [number, stat] of stats.entries()) if (stat) joined.set(stat, 4 * number);
  return joined;
}

export function getStatAt(stats: Float64Array, index: number): FileStat {
  const at = 4 * index;
  return [stats[at] ?? 0, stats[at + 1] ?? 0, stats[at + 2] ?? 0, stats[at + 3] ?? 0];
}

export function hasStatAt(stats: Float64Array, index: number, current: Stats): boolean {
  const at = 4 * index;
  return (
    stats[at + 2] === current.ctimeMs &&
    stats[at + 1] === current.mtimeMs &&
    stats[at] === current.size &&
    stats[at + 3] === current.ino
  );
}

/**
 * Creates a folder and its missing parents. Returns the topmost folder that it created, or undefined if the folder
 * existed. Throws the system's error, even in file systems that do not allow new entries, such as /proc, where Node's
 * recursive `mkdir` never returns (seen with Node 20 and 24) and its synchronous form cannot even be interrupted.
 */
export function makeFolder(path: string, mode = 0o777): string | undefined {
  if (isFolder(path)) return undefined;
  try {
    mkdirSync(path, { mode });
    return path;
  } catch (error) {
    // Another process has created the folder in the meantime.
    if (isSystemError(error, "EEXIST") && isFolder(path)) return undefined;
    const parent = dirname(path);
    if (!isSystemError(error, "ENOENT") || parent === path || existsSync(parent)) throw error;
    const topmost = makeFolder(parent, mode);
    const created = makeFolder(path, mode);
    return topmost ?? created;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

const refusalReasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the device",
  EDQUOT: "the disk quota is used up",
  ENAMETOOLONG: "the name is too long for the file system",
  EMFILE: "too many open files",
  EIO: "the device failed to read or write",
};

/** Reports whether `error` is a system error with one of the codes, e.g. `ENOENT` for a missing file. */
export function isSystemError(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && codes.includes((error as NodeJS.ErrnoException).code ?? "");
}

/** Describes why the file system refused an operation, as the end of a sentence. Returns undefined for other errors. */
export function describeSystemRefusal(error: unknown): string | undefined {
  return error instanceof Error
    ? refusalReasons[(error as NodeJS.ErrnoException).code ?? ""]
    : undefined;
}

/** Adds the path to a system error that does not name a file, such as the error for a full disk. */
export function nameFileInError(error: unknown, path: string | undefined): void {
  if (path === undefined || describeSystemRefusal(error) === undefined) return;
  const { dest, path: knownPath } = error as { readonly dest?: string; readonly path?: string };
  if ((dest ?? knownPath) === undefined) Object.assign(error as Error, { path });
}
