import {
  constants,
  copyFileSync,
  readdirSync,
  renameSync,
  rmSync,
  rmdirSync,
  statSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { hostname } from "node:os";
import { z } from "zod";
import { OctavoError, makeFolder, sha256 } from "../core/index.ts";
import { isOfPublisher, isFolder, isRealFolder } from "./bundle-paths.ts";

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

/** The folder may come from an untrusted repository. */
const Path = z.string().refine((path) => {
  return /^[^/]/.test(path) && !path.split("/").includes("..") && !isOfPublisher(path);
});
const Removals = z.object({ obstacles: z.array(Path), stale: z.array(Path) });

/**
 * Paths below the bundle's folder; those of folders end in a slash. The content of a folder comes before the folder,
 * which stays if it is not empty then.
 */
export interface Removals {
  /** What is in the place of a file or folder of the bundle. */
  readonly obstacles: readonly string[];
  /** What is removed when everything new is in place. */
  readonly stale: readonly string[];
}

const planName = "plan.json";

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

/** A name for this process, by which others can tell whether it still runs. */
function ownerName(): string {
  return [process.pid, startTimeOf(process.pid), machineId()].join("-");
}

/** The process ID in a name, for a message. */
function ownerProcess(name: string): string {
  return name.split("-")[0] ?? "";
}

/** Whether the process that has this name runs on this machine. */
function isAlive(name: string): boolean {
  const [pid, start, host] = name.split("-");
  return host === machineId() && start !== "" && start === startTimeOf(Number(pid));
}

function machineId(): string {
  return sha256(hostname()).slice(0, 8);
}

/** When a process began, which tells it from a later one with the same ID; empty if it does not run. */
function startTimeOf(pid: number): string {
  if (!Number.isSafeInteger(pid) || pid <= 0) return "";
  if (process.platform !== "linux") return isRunning(pid) ? "0" : "";
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name of the program before it may hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const hasEnded = fields[0] === "Z" || fields[0] === "X";
    return hasEnded ? "" : (fields[19] ?? "");
  } catch {
    return "";
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // EPERM: it runs and belongs to somebody else.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** The plan appears whole: a change is committed if its plan is there. */
function writePlan(folder: string, removals: Removals): void {
  const draft = join(folder, `${planName}.part`);
  writeFileSync(draft, JSON.stringify(removals));
  renameSync(draft, join(folder, planName));
}

/** Undefined if nothing was committed. */
function readPlan(folder: string): Removals | undefined {
  try {
    const plan: unknown = JSON.parse(readFileSync(join(folder, planName), "utf8"));
    return Removals.parse(plan);
  } catch {
    return undefined;
  }
}
