import { constants } from "node:fs";
import { lstat, open, readdir } from "node:fs/promises";
import { join } from "node:path";
import { cleanRelativePath, resolveInside } from "@octavo/site/core";

/** The maximum size of a guide. Larger files are ignored. */
export const maxGuideBytes = 256 * 1024;

/**
 * Reads regular files of a repository by paths from its root. Does not follow symbolic links, does not enter
 * submodules, and does not throw; files that cannot be read are treated as missing.
 */
export interface RepositoryReader {
  /** Returns the sorted names of the files in a folder; empty if there is no such folder. The root is "". */
  list(folder: string): Promise<readonly string[]>;
  /** Returns a file's text; undefined if the file does not exist or is larger than `maxGuideBytes`. */
  read(path: string): Promise<string | undefined>;
}

/** Reads a folder on disk that is a repository's root. `root` is an absolute path with symbolic links resolved. */
export function createFolderReader(root: string): RepositoryReader {
  return {
    async list(folder) {
      try {
        await refuseLink(root, folder);
        const entries = await readdir(join(root, folder), { withFileTypes: true });
        return entries
          .filter((entry) => entry.isFile())
          .map(({ name }) => name)
          .toSorted();
      } catch {
        return [];
      }
    },
    async read(path) {
      try {
        if (cleanRelativePath(path) !== path) return undefined;
        await refuseLink(root, path);
        return await readText(resolveInside(root, path));
      } catch {
        return undefined;
      }
    },
  };
}

/** Without `O_NONBLOCK`, opening a named pipe would block until a writer appears. */
const readFlags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

async function readText(path: string): Promise<string | undefined> {
  await using handle = await open(path, readFlags);
  const stats = await handle.stat();
  if (!stats.isFile() || stats.size > maxGuideBytes) return undefined;
  return await handle.readFile("utf8");
}

/** Throws if a folder on the path is a symbolic link or belongs to a different repository. */
async function refuseLink(root: string, path: string): Promise<void> {
  let place = root;
  for (const part of path.split("/").filter((name) => name !== "")) {
    place = join(place, part);
    const stats = await lstat(place);
    if (stats.isSymbolicLink()) throw new Error(`${part} is a link`);
    if (stats.isDirectory() && (await isRepository(place)))
      throw new Error(`${part} is a submodule`);
  }
}

async function isRepository(folder: string): Promise<boolean> {
  return await lstat(join(folder, ".git")).then(
    () => true,
    () => false,
  );
}
