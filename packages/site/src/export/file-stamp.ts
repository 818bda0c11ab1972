import type { Stats } from "node:fs";

/**
 * How a file looked: size, the times of its content and of its entry, and its number. One of them changes when
 * anybody writes to the file, puts another in its place, or sets its times, which changes the second time.
 */
export type FileStamp = readonly [size: number, mtimeMs: number, ctimeMs: number, ino: number];

export function stampOf({ size, mtimeMs, ctimeMs, ino }: Stats): FileStamp {
  return [size, mtimeMs, ctimeMs, ino];
}

export function isStamp(stats: Stats, [size, mtimeMs, ctimeMs, ino]: FileStamp): boolean {
  return (
    stats.ctimeMs === ctimeMs &&
    stats.mtimeMs === mtimeMs &&
    stats.size === size &&
    stats.ino === ino
  );
}

/** A file that was changed no longer ago than this may be changed again within the same tick of its clock, as `git` knows. */
const settledMs = 2_000;

/** Whether a file that is read now and looks the same later is the same. */
export function isSettled([, mtimeMs, ctimeMs]: FileStamp, now: number): boolean {
  return Math.max(mtimeMs, ctimeMs) < now - settledMs;
}
