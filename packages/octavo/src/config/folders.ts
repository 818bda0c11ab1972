import { mkdtempSync, rmdirSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { OctavoError, makeFolder } from "@octavo/site/core";
import { systemRefusal } from "../core/index.ts";

/** A folder that a person named, and the words of the message if it cannot be used. */
export interface NamedFolder {
  readonly path: string;
  /** `The data folder`. */
  readonly name: string;
  /** What to do instead: `name another place`. */
  readonly advice: string;
  /** The mode of folders that are created. */
  readonly mode?: number;
}

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
