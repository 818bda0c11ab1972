/**
 * Starts the program of a child: `start-child.ts <program> [<compile cache>]`. The program is loaded and its compiled
 * code is cached before it receives any page. Then write access is dropped.
 */
import { enableCompileCache, flushCompileCache } from "node:module";
import { tuneNewChild } from "./engine-flags.ts";

/** The part of `process.permission` that is used here. Node's types do not declare all of it yet. */
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
  if (permission.has("fs.write")) throw new Error("Write access could not be dropped.");
}
tuneNewChild();
main();
