/**
 * Starts the program of a child: `start-child.ts <program> [<folder of compiled code>]`. What the program is made
 * of is loaded, and kept compiled, before it is given anything to work on; then the right to write is given back.
 */
import { enableCompileCache, flushCompileCache } from "node:module";
import { holdYoungGeneration, optimizeLittle } from "./optimization.ts";

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
// When the program is loaded, since compiled code is kept for the flags that were set.
optimizeLittle();
holdYoungGeneration();
main();
