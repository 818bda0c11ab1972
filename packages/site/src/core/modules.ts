import { getCompileCacheDir } from "node:module";
import { dirname, extname } from "node:path";

/**
 * The folder of this process's compile cache, for its children and threads; undefined if it has none.
 * In it, Node makes a folder for each of its versions and sets of flags.
 */
export function findCompileCacheFolder(): string | undefined {
  const folder = getCompileCacheDir();
  return folder && dirname(folder);
}

/** A module in the folder of the one at `moduleUrl`: TypeScript in the repository, JavaScript in an installed package. */
export function resolveSiblingModule(moduleUrl: string, name: string): URL {
  return new URL(`${name}${extname(new URL(moduleUrl).pathname)}`, moduleUrl);
}
