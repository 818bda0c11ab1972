import { lstatSync, readdirSync } from "node:fs";
import type { Dirent } from "node:fs";
import { toFileStat, hasStatAt, isSettled, joinStats, getStatAt } from "../core/index.ts";
import type { FileStat } from "../core/index.ts";

/**
 * The folders of a listing as parallel lists: their paths, the names and kinds of their entries, and their stats from
 * before they were read. While the stat of a folder is unchanged, no entry was added, removed or replaced.
 */
export interface FolderRecord {
  /** Paths relative to the site's folder. The empty path is the site's folder itself. */
  readonly folders: readonly string[];
  readonly entries: readonly string[];
  /**
   * The stats in the form that `joinStats` returns; unknown for a folder that had changed too recently when it was
   * read.
   */
  readonly stats: Float64Array;
}

export interface FolderRecorder {
  /** Records a folder's stat. Must be called before the folder is read. */
  begin(folder: string): void;
  add(folder: string, entries: readonly Dirent[]): void;
  /** Discards the record because the listing depends on more than the entries of folders. */
  discard(): void;
  /** Returns the record; undefined after `discard`. */
  finish(): FolderRecord | undefined;
}

export function createFolderRecorder(root: string): FolderRecorder {
  const startedMs = Date.now();
  const folders: string[] = [];
  const entryTexts: string[] = [];
  const stats: (FileStat | undefined)[] = [];
  let isWhole = true;
  let stat: FileStat | undefined;
  return {
    begin(folder) {
      stat = readSettledStat(`${root}/${folder}`, startedMs);
    },
    add(folder, entries) {
      folders.push(folder);
      entryTexts.push(formatEntries(entries));
      stats.push(stat);
    },
    discard() {
      isWhole = false;
    },
    finish: () => (isWhole ? { folders, entries: entryTexts, stats: joinStats(stats) } : undefined),
  };
}

/** Reports whether all folders still have the same entries. Reads the folders that may have changed. */
export function hasSameEntries(root: string, record: FolderRecord): boolean {
  const { folders, stats } = record;
  return folders.every((folder, at) => {
    const path = `${root}/${folder}`;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isDirectory()) return false;
    return hasStatAt(stats, at, found) || readEntriesText(path) === record.entries[at];
  });
}

/**
 * Adds the missing stats of folders that had changed too recently when they were read, which is usual in a new
 * checkout. A stat is added if it is now old enough and the folder still has the same entries.
 */
export function settleFolders(root: string, record: FolderRecord): FolderRecord {
  const { folders, stats } = record;
  const now = Date.now();
  const settledStats = folders.map((folder, at) => {
    const recordedStat = getStatAt(stats, at);
    if (!recordedStat.some(Number.isNaN)) return recordedStat;
    const path = `${root}/${folder}`;
    const stat = readSettledStat(path, now);
    return stat && readEntriesText(path) === record.entries[at] ? stat : undefined;
  });
  return { ...record, stats: joinStats(settledStats) };
}

function readSettledStat(folder: string, startedMs: number): FileStat | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  const stat = stats?.isDirectory() ? toFileStat(stats) : undefined;
  return stat && isSettled(stat, startedMs) ? stat : undefined;
}

/** Returns undefined for a folder that cannot be read. */
function readEntriesText(folder: string): string | undefined {
  try {
    return formatEntries(readdirSync(folder, { withFileTypes: true }));
  } catch {
    return undefined;
  }
}

/** Joins the names and kinds of entries with slashes, which names cannot contain. */
function formatEntries(entries: readonly Dirent[]): string {
  return entries
    .map((entry) => getEntryKind(entry) + entry.name)
    .toSorted()
    .join("/");
}

function getEntryKind(entry: Dirent): string {
  if (entry.isFile()) return "f";
  if (entry.isDirectory()) return "d";
  return entry.isSymbolicLink() ? "l" : "o";
}
