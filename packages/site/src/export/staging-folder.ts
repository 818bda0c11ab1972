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
  lstatSync,
  existsSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { hostname } from "node:os";
import { z } from "zod";
import { OctavoError, makeFolder, sha256, toFileStat, getParentFolder } from "../core/index.ts";
import type { FileStat } from "../core/index.ts";

/** The name of a folder that exists in a bundle's folder during an export and after an export that was killed. */
export const stagingName = ".octavo-export";

/**
 * A folder for the files of an export before they are moved into place. It is inside the bundle's folder, so it is
 * always on the same file system.
 */
export interface StagingFolder extends Disposable {
  /** The folder below which files are written, at the paths that they will have in the bundle. */
  readonly files: string;
  /**
   * Moves the files into place and removes the leftovers of earlier exports. Once this has begun, the change is
   * committed: if the process is killed, the next `openStagingFolder` completes the change. Before that, nothing
   * outside the staging folder is touched.
   */
  putInPlace(removals: Removals): void;
}

/**
 * A path in a plan. It is validated because the folder that contains the plan may come from an untrusted repository.
 */
const Path = z.string().refine((path) => {
  return /^[^/]/.test(path) && !path.split("/").includes("..") && !isPublisherFile(path);
});
const Removals = z.object({ obstacles: z.array(Path), stale: z.array(Path) });

/**
 * Paths to remove, relative to the bundle's folder. Folders end in a slash. The contents of a folder come before the
 * folder, which is not removed unless it is empty by then.
 */
interface Removals {
  /** Entries at a path where the new bundle has an entry of a different kind. */
  readonly obstacles: readonly string[];
  /** Entries to remove once all new files are in place. */
  readonly stale: readonly string[];
}

const planName = "plan.json";

/**
 * Prepares an export into `root`, which must exist. Completes or discards the changes that a killed export left there.
 * Throws `conflict` while another process on this machine is exporting into `root`.
 */
export function openStagingFolder(root: string): StagingFolder {
  const stagingRoot = join(root, stagingName);
  if (!isFolder(stagingRoot)) {
    rmSync(stagingRoot, { force: true });
    makeFolder(stagingRoot);
  }
  finishAbandoned(root, stagingRoot);
  const ownFolder = join(stagingRoot, createOwnerName());
  const files = join(ownFolder, "files");
  makeFolder(files);
  // Another export that began at the same moment sees this export too. In that case both give up.
  try {
    refuseIfRivals(
      root,
      readdirSync(stagingRoot).filter((name) => name !== basename(ownFolder)),
    );
  } catch (error) {
    removeStaging(stagingRoot, ownFolder);
    throw error;
  }
  const { ino, birthtimeMs } = statSync(files);
  let isCommitted = false;
  return {
    files,
    putInPlace(removals) {
      // A process on another machine cannot detect that this process is running, so it may have taken over the folder.
      const now = statSync(files, { throwIfNoEntry: false });
      if (now?.ino !== ino || now.birthtimeMs !== birthtimeMs) throw createTakenOverError(root);
      writePlan(ownFolder, removals);
      isCommitted = true;
      completePlan(root, ownFolder);
      removeStaging(stagingRoot, ownFolder);
    },
    [Symbol.dispose]() {
      // If the change is committed but not complete, the staging folder stays so that the next export can complete it.
      if (!isCommitted) removeStaging(stagingRoot, ownFolder);
    },
  };
}

function finishAbandoned(root: string, stagingRoot: string): void {
  refuseIfRivals(root, readdirSync(stagingRoot));
  for (const name of readdirSync(stagingRoot)) {
    const abandoned = join(stagingRoot, name);
    completePlan(root, abandoned);
    rmSync(abandoned, { recursive: true, force: true });
  }
}

function refuseIfRivals(root: string, names: readonly string[]): void {
  const rival = names.find(isOwnerRunning);
  if (rival === undefined) return;
  const message = `Another export (process ${rival.split("-")[0]}) is writing to ${root}; wait for it to end, or stop it.`;
  throw new OctavoError("conflict", message);
}

function createTakenOverError(root: string): OctavoError {
  return new OctavoError(
    "conflict",
    `An export on another machine has taken over ${root}; this export did not change anything there.`,
  );
}

function removeStaging(stagingRoot: string, ownFolder: string): void {
  rmSync(ownFolder, { recursive: true, force: true });
  removeFolder(stagingRoot);
}

/**
 * Performs the remaining steps of a plan, each of which can be repeated. Changes nothing outside `root`, even if the
 * plan is malicious.
 */
function completePlan(root: string, folder: string): void {
  const files = join(folder, "files");
  const plan = isFolder(folder) && isFolder(files) ? readPlan(folder) : undefined;
  if (!plan) return;
  removeAll(root, plan.obstacles);
  for (const name of readdirSync(files)) {
    if (!isPublisherFile(name)) moveEntry(join(files, name), join(root, name));
  }
  removeAll(root, plan.stale);
}

function removeAll(root: string, paths: readonly string[]): void {
  const realFolders = new Set([resolve(root)]);
  for (const path of paths) {
    const file = resolve(root, path);
    if (!isRealFolder(dirname(file), realFolders)) continue;
    // An earlier attempt already moved an entry of the other kind to this path.
    if (isFolder(file) !== path.endsWith("/")) continue;
    if (path.endsWith("/")) removeFolder(file);
    else rmSync(file, { force: true });
  }
}

/** Removes a folder if it is empty. */
function removeFolder(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    const { code = "" } = error as NodeJS.ErrnoException;
    if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(code)) throw error;
  }
}

/** Moves an entry. A folder that does not exist yet is moved as a whole. */
function moveEntry(source: string, target: string): void {
  if (!isFolder(source) || !isFolder(target)) return move(source, target);
  for (const name of readdirSync(source)) moveEntry(join(source, name), join(target, name));
}

function move(source: string, target: string): void {
  try {
    renameSync(source, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    // A folder of the bundle is on a different file system.
    copyFileSync(source, target, constants.COPYFILE_FICLONE);
    rmSync(source);
  }
}

/** Returns a name for this process by which other processes can check whether it is still running. */
function createOwnerName(): string {
  return [process.pid, readStartTime(process.pid), getMachineId()].join("-");
}

/** Reports whether the process with this name is running on this machine. */
function isOwnerRunning(name: string): boolean {
  const [pid, start, host] = name.split("-");
  return host === getMachineId() && start !== "" && start === readStartTime(Number(pid));
}

function getMachineId(): string {
  return sha256(hostname()).slice(0, 8);
}

/**
 * Returns the start time of a process, which distinguishes it from a later process with the same ID. The result is
 * empty if it is not running.
 */
function readStartTime(pid: number): string {
  if (!Number.isSafeInteger(pid) || pid <= 0) return "";
  if (process.platform !== "linux") return isRunning(pid) ? "0" : "";
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The fields follow the program name, which may contain spaces and parentheses.
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
    // EPERM means that the process is running and belongs to another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** Writes a plan atomically. A change is committed as soon as its plan exists. */
function writePlan(folder: string, removals: Removals): void {
  const draft = join(folder, `${planName}.part`);
  writeFileSync(draft, JSON.stringify(removals));
  renameSync(draft, join(folder, planName));
}

/** Reads a plan. Returns undefined if nothing was committed. */
function readPlan(folder: string): Removals | undefined {
  try {
    const plan: unknown = JSON.parse(readFileSync(join(folder, planName), "utf8"));
    return Removals.parse(plan);
  } catch {
    return undefined;
  }
}

/** The contents of a bundle, by path. */
interface BundlePaths {
  /** The folders that contain the bundle's files. */
  readonly folders: ReadonlySet<string>;
  /** Reports whether a file stays unchanged. */
  readonly isUnchanged: (path: string) => boolean;
  /** Reports whether this export writes a file. */
  readonly isWritten: (path: string) => boolean;
}

interface Leftovers extends Removals {
  /** Size of the publisher's files, which are not removed, in bytes. */
  readonly publisherBytes: number;
}

interface KnownFolders {
  readonly folders: BundleFolders;
  /** Reports whether a folder is known to contain only files of the bundle, so that it need not be read. */
  readonly isClean: (folder: string) => boolean;
}

/** Finds the files and folders in a folder that are not part of the new bundle. */
export function findLeftovers(
  root: string,
  { folders, isUnchanged, isWritten }: BundlePaths,
  known: KnownFolders = { folders: createBundleFolders(root), isClean: () => false },
): Leftovers {
  const obstacles: string[] = [];
  const stale: string[] = [];
  let publisherBytes = 0;

  function collectAll(path: string, removals: string[]): void {
    const file = join(root, path);
    if (!isFolder(file)) return void removals.push(path);
    for (const name of readdirSync(file)) collectAll(`${path}/${name}`, removals);
    removals.push(`${path}/`);
  }

  /** Reads one folder. The bundle's folders below it are read separately. */
  function readFolder(folder: string): void {
    const prefix = folder === "" ? "" : `${folder}/`;
    for (const name of readdirSync(`${root}/${folder}`)) {
      const path = prefix + name;
      if (isUnchanged(path)) continue;
      if (prefix === "" && isPublisherFile(name)) publisherBytes += measureFiles(root, name);
      else if (folders.has(path)) collectObstacle(path);
      else if (!isWritten(path)) collectAll(path, stale);
      // A file need not be removed, because moving the new file into place replaces it.
      else if (isFolder(join(root, path))) collectAll(path, obstacles);
    }
  }

  function collectObstacle(path: string): void {
    if (!isFolder(join(root, path))) obstacles.push(path);
  }

  readFolder("");
  for (const folder of folders) {
    if (known.folders.statOf(folder) && !known.isClean(folder)) readFolder(folder);
  }
  return { obstacles, stale, publisherBytes };
}

/** Reports whether a folder is empty or contains an earlier export, which the next export may replace. */
export function isEmptyOrExport(folder: string): boolean {
  const names = readdirSync(folder);
  if (names.length === 0 || names.includes(stagingName)) return true;
  return existsSync(join(folder, "_octavo", "report.json"));
}

function measureFiles(root: string, path: string): number {
  if (path === stagingName) return 0;
  const file = join(root, path);
  const stats = lstatSync(file);
  if (!stats.isDirectory()) return stats.isFile() ? stats.size : 0;
  const names = readdirSync(file);
  return names.reduce((sum, name) => sum + measureFiles(root, `${path}/${name}`), 0);
}

/** Folders below the root of a bundle, by their path in it. */
export interface BundleFolders {
  /**
   * Returns the stat that a folder had when it was first requested. Returns undefined if the folder does not exist, or
   * if its path contains a link.
   */
  statOf(folder: string): FileStat | undefined;
}

/** Caches the stat of each folder, because checking each path would otherwise read its parents again. */
export function createBundleFolders(root: string): BundleFolders {
  const stats = new Map<string, FileStat | undefined>();
  function readStat(folder: string): FileStat | undefined {
    const parent = getParentFolder(folder);
    if (parent !== "" && statOf(parent) === undefined) return undefined;
    return readFolderStat(`${root}/${folder}`);
  }
  function statOf(folder: string): FileStat | undefined {
    const found = stats.get(folder);
    if (found !== undefined || stats.has(folder)) return found;
    const stat = readStat(folder);
    stats.set(folder, stat);
    return stat;
  }
  return { statOf };
}

/** Returns undefined if there is no folder at this path, or if it is a link to a folder. */
export function readFolderStat(path: string): FileStat | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats?.isDirectory() ? toFileStat(stats) : undefined;
}

/** Creates a `getParentFolder` that is fast if most paths are in the same folder as the previous path. */
export function createParentFinder(): (path: string) => string {
  let lastFolder = "";
  return (path) => {
    const end = Math.max(0, path.lastIndexOf("/"));
    if (end !== lastFolder.length || !path.startsWith(lastFolder)) lastFolder = path.slice(0, end);
    return lastFolder;
  };
}

/**
 * Adds the folders above a path, except the root. `last` contains the folder of the previous path, which most paths
 * share.
 */
export function addParents(path: string, folders: Set<string>, last = { folder: "" }): void {
  const end = path.lastIndexOf("/");
  if (end === last.folder.length && end > 0 && path.startsWith(last.folder)) return;
  let folder = getParentFolder(path);
  last.folder = folder;
  for (; folder !== "" && !folders.has(folder); folder = getParentFolder(folder))
    folders.add(folder);
}

/** Reports whether there is a folder at this path that is not a link. */
function isFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/**
 * Reports whether there is a folder at this path that is reached from one of `realFolders` without following a link.
 * Adds the folders on the way to `realFolders`.
 */
function isRealFolder(path: string, realFolders: Set<string>): boolean {
  if (realFolders.has(path)) return true;
  const parent = dirname(path);
  if (parent === path || !isRealFolder(parent, realFolders) || !isFolder(path)) return false;
  realFolders.add(path);
  return true;
}

/**
 * Reports whether a path in a bundle's folder belongs to the publisher: names such as `.git` and `.nojekyll`. These
 * files may contain data that exists nowhere else. Of these names, exports write only `.well-known`.
 */
function isPublisherFile(path: string): boolean {
  return /^\.(?!well-known(?:\/|$))/.test(path);
}
