import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { createFileWriter } from "./file-writer.ts";
import { openStagingFolder, findLeftovers, addParents } from "./staging-folder.ts";

/**
 * The files before a change in which files replace files and folders, folders replace files, and other entries are
 * added and removed.
 */
export const earlierFiles: Readonly<Record<string, string>> = {
  "index.html": "old",
  "kept.html": "kept",
  guide: "a file where a folder will be",
  "list/a.html": "in a folder where a file will be",
  "list/deep/b.html": "in a folder where a file will be",
  "old/older/x.html": "stale",
  "stale.html": "stale",
  ".git/HEAD": "of the publisher",
};
export const newFiles: Readonly<Record<string, string>> = {
  "index.html": "new",
  "guide/start.html": "new",
  list: "new",
  "more/x.html": "new",
  "more/deep/y.html": "new",
};

/**
 * The program: `<folder> hold` stages the change and waits; `<folder> <n>` is killed before the call with index n among
 * the calls that put the change in place, or prints the number of these calls if it is at most n.
 */
if (import.meta.main) {
  const [root = "", step = ""] = process.argv.slice(2);
  using staging = openStagingFolder(root);
  const writer = createFileWriter(staging.files);
  for (const [path, content] of Object.entries(newFiles)) writer.write(path, content);
  if (step === "hold") {
    process.stdout.write("staged\n");
    await new Promise((resolve) => setTimeout(resolve, 60_000));
  }
  const folders = new Set<string>();
  for (const path of Object.keys(newFiles)) addParents(path, folders);
  const bundle = {
    folders,
    isUnchanged: (path: string) => path === "kept.html",
    isWritten: (path: string) => path in newFiles,
  };
  const leftovers = findLeftovers(root, bundle);
  killAt(Number(step), join(root, ".octavo-export"));
  staging.putInPlace(leftovers);
}

/** Counts the calls that change something, beginning with the call that commits the change. */
function killAt(step: number, stagingRoot: string): void {
  let count = 0;
  for (const name of ["renameSync", "rmSync", "rmdirSync"] as const) {
    const call = fs[name] as (...args: unknown[]) => unknown;
    const countAndCall = (...args: unknown[]): unknown => {
      // The last calls remove the staging folder itself.
      if (count++ === step) process.kill(process.pid, "SIGKILL");
      return Reflect.apply(call, fs, args);
    };
    Object.assign(fs, { [name]: countAndCall });
  }
  syncBuiltinESMExports();
  process.on("exit", () => process.stdout.write(`${count} calls in ${stagingRoot}\n`));
}
