import {
  constants,
  copyFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { OctavoError, makeFolder } from "../core/index.ts";
import { isOfPublisher } from "./publisher-files.ts";
import { isFolder, isRealFolder } from "./real-folder.ts";
import { isAlive, ownerName, ownerProcess } from "./staging-owner.ts";
import { readPlan, writePlan } from "./staging-plan.ts";
import type { Removals } from "./staging-plan.ts";

/** The folder in a bundle's folder during an export, and after one that was killed. */
export const stagingName = ".octavo-export";

/** Files of an export before they are put in place, inside the bundle's folder: always the same file system. */
export interface StagingFolder extends Disposable {
  /** Files are written below it, at the paths that they will have in the bundle. */
  readonly files: string;
  /**
   * Moves the files to their places and removes what is left of earlier exports. Once this has begun the change is
   * committed: if the process is killed meanwhile, the next `openStagingFolder` completes it. Before, nothing
   * outside the staging folder was touched.
   */
  putInPlace(removals: Removals): void;
}

/**
 * Prepares an export into `root`, which exists. Completes or discards what a killed export left there. Throws
 * `conflict` while another process of this machine exports into it.
 */
export function openStagingFolder(root: string): StagingFolder {
  const stagingRoot = join(root, stagingName);
  if (!isFolder(stagingRoot)) {
    rmSync(stagingRoot, { force: true });
    makeFolder(stagingRoot);
  }
  finishAbandoned(root, stagingRoot);
  const own = join(stagingRoot, ownerName());
  const files = join(own, "files");
  makeFolder(files);
  // Another that began at the same moment sees this one too; then both give up.
  try {
    refuseIfRivals(
      root,
      readdirSync(stagingRoot).filter((name) => name !== basename(own)),
    );
  } catch (error) {
    removeStaging(stagingRoot, own);
    throw error;
  }
  const { ino, birthtimeMs } = statSync(files);
  let isCommitted = false;
  return {
    files,
    putInPlace(removals) {
      // A process of another machine cannot know that this one is alive, and takes the folder over.
      const now = statSync(files, { throwIfNoEntry: false });
      if (now?.ino !== ino || now.birthtimeMs !== birthtimeMs) throw takenOverError(root);
      writePlan(own, removals);
      isCommitted = true;
      completePlan(root, own);
      removeStaging(stagingRoot, own);
    },
    [Symbol.dispose]() {
      // If something was in the way, the next export must complete it.
      if (!isCommitted) removeStaging(stagingRoot, own);
    },
  };
}

function finishAbandoned(root: string, place: string): void {
  refuseIfRivals(root, readdirSync(place));
  for (const name of readdirSync(place)) {
    const left = join(place, name);
    completePlan(root, left);
    rmSync(left, { recursive: true, force: true });
  }
}

function refuseIfRivals(root: string, names: readonly string[]): void {
  const rival = names.find(isAlive);
  if (rival === undefined) return;
  const message = `Another export (process ${ownerProcess(rival)}) is writing to ${root}; wait for it to end, or stop it.`;
  throw new OctavoError("conflict", message);
}

function takenOverError(root: string): OctavoError {
  return new OctavoError(
    "conflict",
    `An export on another machine has taken over ${root}; nothing was changed there by this one.`,
  );
}

function removeStaging(place: string, own: string): void {
  rmSync(own, { recursive: true, force: true });
  removeFolder(place);
}

/** Does what is left of a plan: every step can be repeated. Whoever wrote the plan, it changes nothing outside `root`. */
function completePlan(root: string, folder: string): void {
  const files = join(folder, "files");
  const plan = isFolder(folder) && isFolder(files) ? readPlan(folder) : undefined;
  if (!plan) return;
  removeAll(root, plan.obstacles);
  for (const name of readdirSync(files)) {
    if (!isOfPublisher(name)) moveEntry(join(files, name), join(root, name));
  }
  removeAll(root, plan.stale);
}

function removeAll(root: string, paths: readonly string[]): void {
  const real = new Set([resolve(root)]);
  for (const path of paths) {
    const file = resolve(root, path);
    if (!isRealFolder(dirname(file), real)) continue;
    // An entry of the other kind was put here by an earlier attempt.
    if (isFolder(file) !== path.endsWith("/")) continue;
    if (path.endsWith("/")) removeFolder(file);
    else rmSync(file, { force: true });
  }
}

/** Leaves a folder that is not empty. */
function removeFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(code)) throw error;
  }
}

/** A folder that is not there yet is moved as a whole. */
function moveEntry(source: string, target: string): void {
  if (!isFolder(source) || !isFolder(target)) return move(source, target);
  for (const name of readdirSync(source)) moveEntry(join(source, name), join(target, name));
}

function move(source: string, target: string): void {
  try {
    renameSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    // A folder of the bundle lies on a file system of its own.
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
    rmSync(source);
  }
}
