import { chmodSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { describeSystemRefusal, makeFolder, OctavoError } from "@octavo/site/core";

/** A folder that the user specified, and the message to show if it cannot be used. */
interface NamedFolder {
  readonly path: string;
  /** The name at the start of the message, e.g. `The data folder`. */
  readonly name: string;
  /** The advice at the end of the message, e.g. `name another folder`. */
  readonly advice: string;
  /** The mode of created folders. */
  readonly mode?: number;
}

const groupAccess = 0o070;
const othersAccess = 0o007;
const root = 0;

/**
 * Creates a folder and its missing parents, and checks that it is writable. Returns the topmost folder that was
 * created, or undefined if all existed. On failure, removes the created folders and throws `invalid_input` with the
 * reason.
 */
export function prepareFolder(folder: NamedFolder): string | undefined {
  const { path, mode } = folder;
  const topmost = tryFolderChange(folder, "created", () => {
    if (isFile(path)) throw createUnusableFolderError(folder, "is a file, not a folder");
    return makeFolder(path, mode);
  });
  try {
    tryFolderChange(folder, "written", () => rmdirSync(mkdtempSync(join(path, ".probe-"))));
  } catch (error) {
    if (topmost !== undefined) removeEmptyFolders(path, topmost);
    throw error;
  }
  return topmost;
}

/** Removes a folder and its parents up to `topmost`. Stops at the first folder that is not empty. */
export function removeEmptyFolders(path: string, topmost: string): void {
  for (let folder = path; folder.length >= topmost.length; folder = dirname(folder)) {
    try {
      rmdirSync(folder);
    } catch {
      return;
    }
  }
}

function isFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isDirectory();
}

function tryFolderChange<Result>(folder: NamedFolder, action: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof OctavoError) throw cause;
    throw createUnusableFolderError(
      folder,
      `cannot be ${action}: ${describeFolderRefusal(cause)}`,
      cause,
    );
  }
}

function createUnusableFolderError(
  { path, name, advice }: NamedFolder,
  problem: string,
  cause?: unknown,
): OctavoError {
  return new OctavoError("invalid_input", `${name} ${path} ${problem}; ${advice}.`, { cause });
}

const refusalReasons: Readonly<Record<string, string>> = {
  ENOENT: "this file system does not accept new files",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "a symbolic link in the path is broken",
  ELOOP: "symbolic links in the path form a loop",
};

/** Describes why a folder cannot be created or written, for the end of a sentence. */
export function describeFolderRefusal(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return describeSystemRefusal(error) ?? refusalReasons[code] ?? `the system refused it (${code})`;
}

/**
 * Creates the data folder if it is missing, accessible only to its owner, and checks that it is writable. If other
 * users can read or write an existing data folder, removes their access and returns a sentence that reports this. After
 * this call, everything that this process creates is accessible only to its owner. Throws `invalid_input` with the
 * reason if the folder cannot be used, or if it belongs to another user and others have access.
 */
export function prepareDataFolder(path: string): string | undefined {
  // The mask is necessary because the embedded database creates files that everyone may write.
  process.umask(0o077);
  const advice = "choose another folder with --data or OCTAVO_DATA";
  prepareFolder({ path, name: "The data folder", advice, mode: 0o700 });
  // On Windows, a folder's mode does not describe who has access.
  if (process.platform === "win32") return undefined;
  return removeOthersAccess(path, advice);
}

function removeOthersAccess(path: string, advice: string): string | undefined {
  const { mode, uid } = statSync(path);
  // A container's volume belongs to root and to a group whose only member is the service.
  const isVolume = uid === root && process.getuid?.() !== root;
  const exposedBits = mode & (isVolume ? othersAccess : groupAccess | othersAccess);
  if (exposedBits === 0) return undefined;
  const canWrite = (exposedBits & 0o022) !== 0;
  const access = canWrite ? "write to" : "read";
  try {
    chmodSync(path, mode & 0o7700);
  } catch (cause) {
    throw new OctavoError(
      "invalid_input",
      `Other users of this machine can ${access} the data folder ${path}, which belongs to another user. Ask its ` +
        `owner to run chmod go= on it, or ${advice}.`,
      { cause },
    );
  }
  const backupAdvice = canWrite
    ? " Replace its contents with a backup if another user may have changed files."
    : "";
  return (
    `Other users of this machine could ${access} the data folder ${path}. Now only its owner can access ` +
    `it.${backupAdvice}`
  );
}
