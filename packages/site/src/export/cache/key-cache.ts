import { readdirSync, realpathSync, rmSync, statSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { sha256 } from "../../core/index.ts";
import { readCachedValue, writeCachedValue } from "./value-file.ts";

/** Stores one value per key. A key can be a folder's path. Values can be lost at any time; no method throws. */
export interface KeyCache<Value> {
  /** Returns the size of the file that contains the value; 0 if there is no value. */
  bytesOf(key: string): number;
  read(key: string): Value | undefined;
  write(key: string, value: Value): void;
}

/** The maximum number of values. The values that were used least recently are removed. */
const maxValues = 8;

/** Creates a cache like `createKeyCache` whose keys are folders; symbolic links to the same folder are the same key. */
export function createFolderCache<Value>(dir: string, version: string): KeyCache<Value> {
  return createKeyCache(dir, version, (folder) => {
    try {
      return sha256(realpathSync(folder));
    } catch {
      return undefined;
    }
  });
}

/**
 * Creates a cache whose keys are hashes, or are converted to hashes by `hashOf`. `version` is the version of the
 * renderer: values from other versions are not read.
 */
export function createKeyCache<Value>(
  dir: string,
  version: string,
  hashOf: (key: string) => string | undefined = (key) => key,
): KeyCache<Value> {
  function fileOf(key: string): string | undefined {
    const hash = hashOf(key);
    return hash === undefined ? undefined : join(dir, hash.slice(0, 32));
  }
  return {
    bytesOf(key) {
      try {
        return statSync(fileOf(key) ?? "").size;
      } catch {
        return 0;
      }
    },
    read(key) {
      const file = fileOf(key);
      if (file === undefined) return undefined;
      const value = readCachedValue(file, version) as Value | undefined;
      if (value !== undefined) markRead(file);
      return value;
    },
    write(key, value) {
      const file = fileOf(key);
      if (file === undefined) return;
      writeCachedValue(file, version, value);
      removeOldest(dir);
    },
  };
}

/** Marks an unchanged value as used, because the next export needs it even though it is not written again. */
function markRead(file: string): void {
  const now = Date.now() / 1_000;
  try {
    utimesSync(file, now, now);
  } catch {
    // Another process removed the file, or it belongs to another user.
  }
}

function removeOldest(dir: string): void {
  try {
    const found = readdirSync(dir).map((name) => {
      const file = join(dir, name);
      return { file, usedMs: statSync(file).mtimeMs };
    });
    const surplus = found.toSorted((a, b) => b.usedMs - a.usedMs).slice(maxValues);
    for (const { file } of surplus) rmSync(file, { force: true });
  } catch {
    // Another process removed one of the files first, or the folder does not exist.
  }
}
