import { chmodSync, mkdtempSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolder, OctavoError } from "@octavo/site/core";
import { systemRefusal } from "../core/index.ts";

/** A folder that a person named, and the words of the message if it cannot be used. */
interface NamedFolder {
  readonly path: string;
  /** `The data folder`. */
  readonly name: string;
  /** What to do instead: `name another place`. */
  readonly advice: string;
  /** The mode of folders that are created. */
  readonly mode?: number;
}

const groupAccess = 0o070;
const othersAccess = 0o007;
const root = 0;

/**
 * Creates a folder with its parents if they are missing, and checks that it is writable. Returns the topmost folder
 * that was created; undefined if all existed. Throws `invalid_input` with the reason, and then leaves nothing behind.
 */
export function prepareFolder(folder: NamedFolder): string | undefined {
  const { path, mode } = folder;
  const topmost = attempt(folder, "created", () => {
    if (isFile(path)) throw unusable(folder, "is a file, not a folder");
    return makeFolder(path, mode);
  });
  try {
    attempt(folder, "written", () => rmdirSync(mkdtempSync(join(path, ".probe-"))));
  } catch (error) {
    if (topmost !== undefined) removeEmptyFolders(path, topmost);
    throw error;
  }
  return topmost;
}

/** Removes a folder and its parents up to `topmost`, until one is not empty. */
export function removeEmptyFolders(path: string, topmost: string): void {
  for (let at = path; at.length >= topmost.length; at = dirname(at)) {
    try {
      rmdirSync(at);
    } catch {
      return;
    }
  }
}

function isFile(path: string): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && !found.isDirectory();
}

function attempt<Result>(folder: NamedFolder, what: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (cause instanceof OctavoError) throw cause;
    throw unusable(folder, `cannot be ${what}: ${reasonOf(cause)}`, cause);
  }
}

function unusable({ path, name, advice }: NamedFolder, why: string, cause?: unknown): OctavoError {
  return new OctavoError("invalid_input", `${name} ${path} ${why}; ${advice}.`, { cause });
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "this file system does not accept new files",
  ENOTDIR: "a part of the path is a file",
  EEXIST: "a link on the way leads nowhere",
  ELOOP: "links on the way lead in a circle",
};

function reasonOf(error: unknown): string {
  const { code = "" } = error as NodeJS.ErrnoException;
  return systemRefusal(error) ?? reasons[code] ?? `the system refused it (${code})`;
}

/**
 * Creates the data folder if it is missing, accessible to its owner only, and checks that it is writable. An existing
 * one that other users can read or write is closed to them; returns a sentence that says so. From now on, what this
 * process creates anywhere is accessible to its owner only. Throws `invalid_input` with the reason if the folder
 * cannot be used, also where it belongs to somebody else and other users can reach into it.
 */
export function prepareDataFolder(path: string): string | undefined {
  // The embedded database asks for files that everybody can write.
  process.umask(0o077);
  const advice = "choose another folder with --data or OCTAVO_DATA";
  prepareFolder({ path, name: "The data folder", advice, mode: 0o700 });
  // Its modes say nothing of who has access.
  if (process.platform === "win32") return undefined;
  return closeToOthers(path, advice);
}

function closeToOthers(path: string, advice: string): string | undefined {
  const { mode, uid } = statSync(path);
  // A volume of a container belongs to root, and to a group that the service alone is in.
  const isVolume = uid === root && process.getuid?.() !== root;
  const open = mode & (isVolume ? othersAccess : groupAccess | othersAccess);
  if (open === 0) return undefined;
  const canWrite = (open & 0o022) !== 0;
  const access = canWrite ? "write to" : "read";
  try {
    chmodSync(path, mode & 0o7700);
  } catch (cause) {
    throw new OctavoError(
      "invalid_input",
      `Other users of this machine can ${access} the data folder ${path}, which belongs to another user; have its owner run chmod go= on it, or ${advice}.`,
      { cause },
    );
  }
  const doubt = canWrite ? " Replace it with a backup if one of them may have changed files." : "";
  return `Other users of this machine could ${access} the data folder ${path}; it is accessible to its owner only now.${doubt}`;
}
