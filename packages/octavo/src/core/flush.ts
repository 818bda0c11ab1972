import { open, readdir } from "node:fs/promises";
import { dirname, join } from "node:path";

/** More than one, because file systems combine flushes that wait for the disk at the same time. */
const concurrentFlushes = 4;

/**
 * Flushes a file's content, or a folder's list of entries, to the disk so that it survives a loss of power. A new
 * file needs both: its own content, and its folder's entries.
 */
export async function flush(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Flushes a folder with everything below it. Nothing below it may be removed meanwhile. */
export async function flushTree(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile() || entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .values();
  const flushNext = async () => {
    for (const path of paths) await flush(path);
  };
  await Promise.all(Array.from({ length: concurrentFlushes }, flushNext));
  await flush(folder);
}

/** Flushes the entries of a folder and of its parents up to `topmost`, of which some may have been created just now. */
export async function flushParents(folder: string, topmost = "/"): Promise<void> {
  for (let at = folder; ; at = dirname(at)) {
    try {
      await flush(at);
    } catch (error) {
      // A folder that this process may not read, it has not created.
      if (at === folder || (error as NodeJS.ErrnoException).code !== "EACCES") throw error;
    }
    if (at === topmost || at === dirname(at)) return;
  }
}
