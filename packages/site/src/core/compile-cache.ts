import { getCompileCacheDir } from "node:module";
import { dirname } from "node:path";

/**
 * Where this process keeps compiled code, to be handed to its children and threads; undefined where it keeps none.
 * Within the folder Node has one for each of its versions and sets of flags.
 */
export function compileCacheFolder(): string | undefined {
  const folder = getCompileCacheDir();
  return folder && dirname(folder);
}
