import { mkdir, mkdtemp, rmdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { OctavoError } from "@octavo/site/core";

/**
 * Creates the data folder if it is missing, accessible to its owner only, and checks that it is writable.
 * Throws `invalid_input` with the reason if it cannot be used.
 */
export async function prepareDataFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found && !found.isDirectory()) {
    throw unusable(`The data folder ${folder} is a file, not a folder`);
  }
  try {
    if (!found) await makeFolder(folder);
  } catch (cause) {
    throw unusable(`The data folder ${folder} cannot be created: ${reasonOf(cause)}`, cause);
  }
  try {
    await rmdir(await mkdtemp(join(folder, ".probe-")));
  } catch (cause) {
    throw unusable(`The data folder ${folder} cannot be written: ${reasonOf(cause)}`, cause);
  }
}

/** Node's recursive `mkdir` never returns below a folder such as /proc, which answers ENOENT for new children. */
async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const parent = dirname(folder);
    if (codeOf(error) === "EEXIST") return;
    if (codeOf(error) !== "ENOENT" || parent === folder) throw error;
    const isParentThere = (await stat(parent).catch(() => undefined)) !== undefined;
    if (isParentThere) throw error;
    await makeFolder(parent);
    await mkdir(folder, { mode: 0o700 });
  }
}

function reasonOf(error: unknown): string {
  const code = codeOf(error) ?? "";
  const reasons: Readonly<Record<string, string>> = {
    EACCES: "this user has no write permission",
    EPERM: "the system does not permit it",
    EROFS: "the file system is read-only",
    ENOSPC: "the disk is full",
    ENOENT: "this file system does not accept new files",
    ENOTDIR: "a part of the path is a file",
  };
  return reasons[code] ?? `the system refused it (${code})`;
}

function unusable(what: string, cause?: unknown): OctavoError {
  const message = `${what}; choose another folder with --data or OCTAVO_DATA.`;
  return new OctavoError("invalid_input", message, { cause });
}

function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException).code;
}
