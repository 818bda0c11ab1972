import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder, sha256 } from "../../core/index.ts";
import { markUsed } from "../cache/mark-used.ts";

/**
 * Caches files from other hosts by address, so that the next export shows the same bytes without fetching anything.
 * Entries can be lost at any time; no method throws.
 */
export interface MediaCache {
  get(address: string): Promise<Uint8Array | undefined>;
  put(address: string, bytes: Uint8Array): Promise<void>;
}

/** Creates a media cache in a folder. It stores contents by hash and, for each address, the hash of its content. */
export function createMediaCache(folder: string): MediaCache {
  const addressFile = (address: string) => join(folder, "addresses", sha256(address));
  const contentFile = (hash: string) => join(folder, "contents", hash);
  return {
    async get(address) {
      try {
        const hash = await readFile(addressFile(address), "utf8");
        if (!/^[\da-f]{64}$/.test(hash)) return undefined;
        const bytes = await readFile(contentFile(hash));
        if (sha256(bytes) !== hash) return undefined;
        await markUsed(addressFile(address), Date.now());
        await markUsed(contentFile(hash), Date.now());
        return bytes;
      } catch {
        return undefined;
      }
    },
    async put(address, bytes) {
      const hash = sha256(bytes);
      await write(contentFile(hash), bytes);
      await write(addressFile(address), hash);
    },
  };
}

/** Writes a file. It appears whole, or not at all if the disk is full or cannot be written. */
async function write(file: string, content: string | Uint8Array): Promise<void> {
  const partial = `${file}.${randomUUID()}`;
  try {
    makeFolder(dirname(file), 0o700);
    await writeFile(partial, content);
    await rename(partial, file);
  } catch {
    await rm(partial, { force: true }).catch(() => undefined);
  }
}
