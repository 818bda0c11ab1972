import { readdirSync, realpathSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../core/index.ts";
import { readCachedValue, writeCachedValue } from "./value-file.ts";

/**
 * Stores one value per folder, by the folder's real path. Values can be lost at any time; no method throws.
 */
export interface FolderCache<Value> {
  /** Size of the file that contains the value; 0 if there is none. */
  bytesOf(folder: string): number;
  read(folder: string): Value | undefined;
  write(folder: string, value: Value): void;
}

/** The maximum number of values; the oldest are removed. Each checkout of a service is a new folder, used only once. */
const maxFolders = 8;

/** `version` is the version of the renderer: values from other versions are not read. */
export function createFolderCache<Value>(dir: string, version: string): FolderCache<Value> {
  function fileOf(folder: string): string | undefined {
    try {
      return join(dir, sha256(realpathSync(folder)).slice(0, 32));
    } catch {
      return undefined;
    }
  }
  return {
    bytesOf(folder) {
      try {
        return statSync(fileOf(folder) ?? "").size;
      } catch {
        return 0;
      }
    },
    read(folder) {
      const file = fileOf(folder);
      if (file === undefined) return undefined;
      const value = readCachedValue(file, version) as Value | undefined;
      if (value !== undefined) markRead(file);
      return value;
    },
    write(folder, value) {
      const file = fileOf(folder);
      if (file === undefined) return;
      writeCachedValue(file, version, value);
      removeOldest(dir);
    },
  };
}

/** Marks an unchanged value as used, since the next export needs it although it is not written again. */
function markRead(file: string): void {
  const now = Date.now() / 1_000;
  try {
    utimesSync(file, now, now);
  } catch {
    // Another process removed it, or it belongs to another user.
  }
}

function removeOldest(dir: string): void {
  try {
    const found = readdirSync(dir).map((name) => {
      const file = join(dir, name);
      return { file, usedMs: statSync(file).mtimeMs };
    });
    const oldest = found.toSorted((a, b) => b.usedMs - a.usedMs).slice(maxFolders);
    for (const { file } of oldest) rmSync(file, { force: true });
  } catch {
    // Another process removed one of the files first, or the folder does not exist.
  }
}
