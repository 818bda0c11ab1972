import { readdir, rm, stat } from "node:fs/promises";
import { basename, join, relative, sep } from "node:path";
import { removeAbandonedLock } from "../program/lock.ts";
import { removeAbandonedFolders } from "../program/temporary-folder.ts";

/** Operations of git and of this room never take this long, so the process that wrote an older file is dead. */
const leftoverAgeMs = 2 * 60 * 60 * 1000;

const uuid = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";
/** Git's locks on files or refs, files of `placeFile`, and objects that git or `addPack` was receiving. */
const leftoverPattern = new RegExp(`\\.lock$|^(?!refs/).*\\.${uuid}$|^objects/(?:.*/)?tmp_[^/]*$`);
/** Repositories that were renamed for removal. */
const removedPattern = new RegExp(`\\.git\\.(?:removed|discarded)-${uuid}$`);

interface LeftoverFolders {
  /** The same folder as `GitOptions.cacheDir`. */
  readonly cacheDir: string;
  /** The folder of other repositories, which are named `<name>.git`. */
  readonly repositoriesDir: string;
}

/**
 * Removes files that dead processes left on this machine: the folders of pushes, locks, partially written files, and
 * repositories whose removal did not finish. Other processes may use the same folders meanwhile. Does not need git.
 */
export async function removeLeftovers({
  cacheDir,
  repositoriesDir,
}: LeftoverFolders): Promise<void> {
  const cutoffMs = Date.now() - leftoverAgeMs;
  await removeAbandonedFolders(cacheDir);
  const homeFiles = await listFiles(join(cacheDir, "home"));
  await removeOldPaths(
    homeFiles.filter((path) => basename(path).startsWith("index-")),
    cutoffMs,
  );
  for (const root of [join(cacheDir, "mirrors"), repositoriesDir]) {
    await removeFromRepositories(root, cutoffMs);
  }
}

async function removeFromRepositories(root: string, cutoffMs: number): Promise<void> {
  for (const name of await readdir(root).catch(() => [])) {
    const path = join(root, name);
    if (name.endsWith(".git.lock")) await removeAbandonedLock(path);
    else if (name.endsWith(".git.lock.removal")) await removeOldPaths([path], cutoffMs);
    else if (removedPattern.test(name)) await remove(path);
    else if (name.endsWith(".git")) {
      const isLeftover = (file: string) =>
        leftoverPattern.test(relative(path, file).replaceAll(sep, "/"));
      await removeOldPaths((await listFiles(path)).filter(isLeftover), cutoffMs);
    }
  }
}

/** Lists files and folders below a folder. The result is empty if the folder does not exist. */
async function listFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.map((name) => join(folder, name));
}

async function removeOldPaths(paths: readonly string[], cutoffMs: number): Promise<void> {
  for (const path of paths) {
    const stats = await stat(path).catch(() => undefined);
    if (stats !== undefined && stats.mtimeMs < cutoffMs) await remove(path);
  }
}

/** Removes a path. Another process may be removing the same path. */
async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true, maxRetries: 3 });
}
