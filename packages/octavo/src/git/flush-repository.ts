import { readdir } from "node:fs/promises";
import { dirname, join } from "node:path";
import { flush, flushParents } from "../core/index.ts";

/** Has git flush each object and ref that it writes, of which by default it flushes packs only. For git 2.36 or newer. */
export const flushSetting = "core.fsync=committed";
export const flushArguments: readonly string[] = ["-c", flushSetting];

/**
 * Flushes the folders that a change of `refs` (full names) added files to, which git never does. With what git wrote
 * under `flushSetting`, the change is on the disk when this resolves.
 */
export async function flushRepository(path: string, refs: readonly string[]): Promise<void> {
  const objects = join(path, "objects");
  const entries = await readdir(objects, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  await Promise.all(folders.map((name) => flushIfPresent(join(objects, name))));
  await flush(objects);
  const refFolders = new Set(refs.flatMap((ref) => foldersOf(path, ref)));
  await Promise.all([...refFolders].map(flushIfPresent));
  await flushParents(path);
}

/** The folders of a ref below the repository, `refs` the last one. */
function foldersOf(path: string, ref: string): string[] {
  const folder = dirname(ref);
  return folder === "." ? [] : [join(path, folder), ...foldersOf(path, folder)];
}

/** Git removes folders that become empty. */
async function flushIfPresent(path: string): Promise<void> {
  try {
    await flush(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
}
