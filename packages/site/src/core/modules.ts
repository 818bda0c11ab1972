import { getCompileCacheDir } from "node:module";
import { dirname, extname } from "node:path";

/**
 * Returns the folder of this process's compile cache, for its children and threads, or undefined if it has none. In
 * this folder, Node creates a folder for each of its versions and sets of flags.
 */
export function findCompileCacheFolder(): string | undefined {
  const folder = getCompileCacheDir();
  return folder && dirname(folder);
}

/**
 * Returns the URL of a module in the same folder as the module at `moduleUrl`: TypeScript in the repository, JavaScript
 * in an installed package.
 */
export function resolveSiblingModule(moduleUrl: string, name: string): URL {
  return new URL(`${name}${extname(new URL(moduleUrl).pathname)}`, moduleUrl);
}
