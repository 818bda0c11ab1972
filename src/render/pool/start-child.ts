/**
 * Starts the program of a child: `start-child.ts <program> [<folder of compiled code>]`. What the program is made
 * of is loaded, and kept compiled, before it is given anything to work on; then the right to write is given back.
 */
import { enableCompileCache, flushCompileCache } from "node:module";
import { setFlagsFromString } from "node:v8";

/** What Node's types do not know of yet. */
interface Permission {
  has(scope: "fs.write"): boolean;
  drop(scope: "fs.write"): void;
}

const [, , program = "", cacheFolder] = process.argv;
if (cacheFolder !== undefined) enableCompileCache(cacheFolder);
const { main } = (await import(program)) as { readonly main: () => void };
if (cacheFolder !== undefined) {
  flushCompileCache();
  const permission = process.permission as unknown as Permission;
  permission.drop("fs.write");
  if (permission.has("fs.write")) throw new Error("The right to write could not be given back.");
}
// V8 optimizes less, and later: 0.5 s of CPU less of 3 on a site of 340 pages, and no more on one of 3,400. Set when
// the program is loaded, since compiled code is kept for the flags that were set.
setFlagsFromString("--battery-saver-mode");
setFlagsFromString("--invocation-count-for-maglev=2000");
main();
