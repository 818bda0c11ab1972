import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/**
 * The folder of this process's compile cache, for its children and threads; undefined if it has none.
 * In it, Node makes a folder for each of its versions and sets of flags.
 */
export function compileCacheFolder(): string | undefined {
  const folder = getCompileCacheDir();
  return folder && dirname(folder);
}
