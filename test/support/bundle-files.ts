import { readFile, readdir } from "node:fs/promises";
import { join, relative } from "node:path";

/** The files below a folder by their paths, sorted. */
export async function bundleFiles(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
  const read = async (path: string) => [relative(folder, path), await readFile(path)] as const;
  return new Map(await Promise.all(paths.toSorted().map(read)));
}
