import { randomUUID } from "node:crypto";
import { copyFile, mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import {
  OctavoError,
  describeSystemRefusal,
  resolveInside,
  isSystemError,
} from "@octavo/site/core";
import { flush, flushParents } from "../core/index.ts";
import { requireStorageKey } from "./storage.ts";
import type { Storage } from "./storage.ts";

/** Creates a storage in `dir` on this machine. The folder is created when the first file is stored. */
export function createFileStorage(dir: string): Storage {
  const partsFolder = join(dir, ".parts");

  const pathOf = (key: string): string => {
    requireStorageKey(key);
    return resolveInside(dir, key);
  };

  const moveInto = async (target: string, sourceFile: string): Promise<void> => {
    try {
      await rename(sourceFile, target);
    } catch (error) {
      if (!isSystemError(error, "EXDEV")) throw error;
      await copyAtomically(sourceFile, target, partsFolder);
    }
  };

  return {
    async put(key, sourceFile) {
      const target = pathOf(key);
      const folder = dirname(target);
      const created = await mkdir(folder, { recursive: true });
      if ((await statFile(target)) === undefined) {
        await flush(sourceFile);
        await moveInto(target, sourceFile);
      }
      // Flush the folders even if the file already existed, because its writer may not have flushed them yet.
      await flushParents(folder, created === undefined ? dir : dirname(created));
    },

    async stat(key) {
      return statFile(pathOf(key));
    },

    async read(key, range) {
      try {
        const handle = await open(pathOf(key));
        return handle.createReadStream(range ?? {});
      } catch (cause) {
        if (!isSystemError(cause, "ENOENT")) throw cause;
        throw new OctavoError("not_found", `There is no stored file ${key}.`, { cause });
      }
    },

    async delete(key) {
      await rm(pathOf(key), { force: true });
    },

    async ping() {
      try {
        await writePing(partsFolder);
      } catch (cause) {
        const reason = describeSystemRefusal(cause) ?? "its disk does not respond correctly";
        const message = `The storage folder is not writable: ${reason}.`;
        throw new OctavoError("unavailable", message, { cause });
      }
    },

    async removeUnfinished(before) {
      for (const name of await readdir(partsFolder).catch(() => [])) {
        const file = join(partsFolder, name);
        const found = await statFile(file);
        if (found && found.modifiedAt < before) await rm(file, { force: true });
      }
    },

    directLink: undefined,
  };
}

/** Writes a test file with some bytes, because an empty file can be created even on a full disk. */
async function writePing(parts: string): Promise<void> {
  await mkdir(parts, { recursive: true });
  const file = join(parts, randomUUID());
  try {
    await using handle = await open(file, "wx");
    await handle.writeFile("ping");
    await handle.sync();
  } finally {
    await rm(file, { force: true });
  }
}

/**
 * Copies a file from another file system. The copy is first written to a different folder of the storage, so that the
 * last step is a rename.
 */
async function copyAtomically(source: string, target: string, parts: string): Promise<void> {
  await mkdir(parts, { recursive: true });
  const part = join(parts, randomUUID());
  try {
    await copyFile(source, part);
    await flush(part);
    await rename(part, target);
  } finally {
    await rm(part, { force: true });
  }
}

async function statFile(path: string): Promise<{ bytes: number; modifiedAt: Date } | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? { bytes: found.size, modifiedAt: found.mtime } : undefined;
  } catch (error) {
    if (isSystemError(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}
