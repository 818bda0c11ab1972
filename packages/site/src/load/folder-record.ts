import { lstatSync, readdirSync } from "node:fs";
import type { Dirent } from "node:fs";
import { fileStat, hasStatAt, isSettled, joinStats } from "../core/index.ts";
import type { FileStat } from "../core/index.ts";

/**
 * The folders that a listing was made of, in lists: names and kinds of their entries, and their stats from before they
 * were read. While a folder's stat is the same nothing was added, removed or replaced in it.
 */
export interface FolderRecord {
  /** Relative to the site's folder, which is the empty path. */
  readonly folders: readonly string[];
  readonly entries: readonly string[];
  /** As `joinStats` gives them; that of a folder that changed too shortly before it was read is unknown. */
  readonly stats: Float64Array;
}

export interface FolderRecorder {
  /** To be called before the folder is read. */
  begin(folder: string): void;
  add(folder: string, entries: readonly Dirent[]): void;
  /** What is listed depends on more than the folders' entries. */
  giveUp(): void;
  /** Undefined after `giveUp`. */
  finish(): FolderRecord | undefined;
}

export function createFolderRecorder(root: string): FolderRecorder {
  const startedMs = Date.now();
  const folders: string[] = [];
  const texts: string[] = [];
  const stats: (FileStat | undefined)[] = [];
  let isWhole = true;
  let stat: FileStat | undefined;
  return {
    begin(folder) {
      stat = settledStat(`${root}/${folder}`, startedMs);
    },
    add(folder, entries) {
      folders.push(folder);
      texts.push(entriesText(entries));
      stats.push(stat);
    },
    giveUp() {
      isWhole = false;
    },
    finish: () => (isWhole ? { folders, entries: texts, stats: joinStats(stats) } : undefined),
  };
}

/** Whether all folders have the entries that they had. Reads those that may have changed. */
export function hasSameEntries(root: string, record: FolderRecord): boolean {
  const { folders, stats } = record;
  return folders.every((folder, at) => {
    const path = `${root}/${folder}`;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found?.isDirectory()) return false;
    if (hasStatAt(stats, at, found)) return true;
    return entriesText(readdirSync(path, { withFileTypes: true })) === record.entries[at];
  });
}

function settledStat(folder: string, startedMs: number): FileStat | undefined {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  const stat = stats && fileStat(stats);
  return stat && isSettled(stat, startedMs) ? stat : undefined;
}

/** No name contains a slash. */
function entriesText(entries: readonly Dirent[]): string {
  return entries
    .map((entry) => kindOf(entry) + entry.name)
    .toSorted()
    .join("/");
}

function kindOf(entry: Dirent): string {
  if (entry.isFile()) return "f";
  if (entry.isDirectory()) return "d";
  return entry.isSymbolicLink() ? "l" : "o";
}
