import { randomUUID } from "node:crypto";
import { copyFile, mkdir, open, readdir, rename, rm, stat, utimes } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OctavoError, cleanRelativePath, resolveInside } from "@octavo/site/core";
import { flush, flushParents } from "../core/index.ts";
import type { Storage } from "./storage.ts";

/** Incomplete copies of a dead process are removed after this time. */
const stalePartMs = 24 * 60 * 60 * 1000;

/** Stores files below `dir` on this machine; creates the folder with the first file. */
export function createFileStorage(dir: string): Storage {
  const parts = join(dir, ".parts");

  const pathOf = (key: string): string => {
    const isClean = key !== "" && cleanRelativePath(key) === key && !key.startsWith(".parts");
    if (!isClean) {
      throw new OctavoError("invalid_input", `${JSON.stringify(key)} is not a storage key.`);
    }
    return resolveInside(dir, key);
  };

  const moveInto = async (target: string, sourceFile: string): Promise<void> => {
    try {
      await rename(sourceFile, target);
    } catch (error) {
      if (codeOf(error) !== "EXDEV") throw error;
      await copyAtomically(sourceFile, target, parts);
    }
  };

  return {
    async put(key, sourceFile) {
      const target = pathOf(key);
      const folder = dirname(target);
      const created = await mkdir(folder, { recursive: true });
      if ((await statOf(target)) !== undefined) {
        const now = new Date();
        await utimes(target, now, now);
      } else {
        await flush(sourceFile);
        await moveInto(target, sourceFile);
      }
      // A file that existed too: whoever is storing it may not have come as far.
      await flushParents(folder, created === undefined ? dir : dirname(created));
    },

    async stat(key) {
      return statOf(pathOf(key));
    },

    async read(key, range) {
      try {
        const handle = await open(pathOf(key));
        return handle.createReadStream(range ?? {});
      } catch (cause) {
        if (codeOf(cause) !== "ENOENT") throw cause;
        throw new OctavoError("not_found", `There is no stored file ${key}.`, { cause });
      }
    },

    async delete(key) {
      await rm(pathOf(key), { force: true });
    },

    async ping() {
      try {
        await mkdir(parts, { recursive: true });
        const file = join(parts, randomUUID());
        await (await open(file, "wx")).close();
        await rm(file);
      } catch (cause) {
        throw new OctavoError("unavailable", "The storage folder is not writable.", { cause });
      }
    },
  };
}

/** From another file system: copies into the storage's own folder first, so that the last step is a rename. */
async function copyAtomically(source: string, target: string, parts: string): Promise<void> {
  await mkdir(parts, { recursive: true });
  await removeStale(parts);
  const part = join(parts, randomUUID());
  try {
    await copyFile(source, part);
    await flush(part);
    await rename(part, target);
  } finally {
    await rm(part, { force: true });
  }
}

async function removeStale(parts: string): Promise<void> {
  for (const name of await readdir(parts)) {
    const file = join(parts, name);
    const found = await statOf(file);
    if (found && Date.now() - found.modifiedAt.getTime() > stalePartMs) {
      await rm(file, { force: true });
    }
  }
}

async function statOf(path: string): Promise<{ bytes: number; modifiedAt: Date } | undefined> {
  try {
    const found = await stat(path);
    return found.isFile() ? { bytes: found.size, modifiedAt: found.mtime } : undefined;
  } catch (error) {
    if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return undefined;
    throw error;
  }
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
