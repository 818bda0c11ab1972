import { realpathSync } from "node:fs";
import { realpath } from "node:fs/promises";
import { isAbsolute, join, relative, resolve, sep } from "node:path";
import { OctavoError, createInputError } from "./error.ts";
import { describeSystemRefusal } from "./file-system.ts";

/**
 * The only resolver of external paths (from repositories, archives and requests). All code that reads or writes files
 * at such paths uses it.
 */

/**
 * Returns the path relative to a folder, with forward slashes and without `.`, empty parts and a leading slash (sites
 * write `/images/a.png` for a file of the site). Returns undefined if the path leads out of the folder, names a drive,
 * or contains NUL or a backslash.
 */
export function cleanRelativePath(path: string): string | undefined {
  if (path.includes("\0") || path.includes("\\")) return undefined;
  if (/^[a-zA-Z]:/.test(path)) return undefined;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (parts.pop() === undefined) return undefined;
      continue;
    }
    parts.push(part);
  }
  return parts.join("/");
}

/**
 * Returns the absolute path of `path` below `root` without disk access. Throws `invalid_input` if it leads out of
 * `root`.
 */
export function resolveInside(root: string, path: string): string {
  const clean = cleanRelativePath(path);
  if (clean === undefined) {
    throw createInputError(`The path ${JSON.stringify(path)} points outside its folder.`);
  }
  return join(root, clean);
}

/**
 * Works like `resolveInside`, but follows symbolic links: throws `invalid_input` if the file that would be read is
 * outside `root`, and `not_found` if it does not exist.
 */
export async function resolveRealPath(root: string, path: string): Promise<string> {
  const absolute = resolveInside(root, path);
  try {
    const [realRoot, real] = await Promise.all([realpath(root), realpath(absolute)]);
    if (isBelow(realRoot, real)) return resolve(real);
  } catch (cause) {
    throw createMissingFileError(path, cause);
  }
  throw createOutsideLinkError(path);
}

/**
 * Works like `resolveRealPath` but synchronously, because promises cost more than the call itself when thousands of
 * small files are read.
 */
export function resolveRealPathSync(root: string, path: string): string {
  const absolute = resolveInside(root, path);
  try {
    const real = realpathSync.native(absolute);
    if (isBelow(realpathSync.native(root), real)) return resolve(real);
  } catch (cause) {
    throw createMissingFileError(path, cause);
  }
  throw createOutsideLinkError(path);
}

function isBelow(root: string, path: string): boolean {
  const fromRoot = relative(root, path);
  return fromRoot !== ".." && !fromRoot.startsWith(`..${sep}`) && !isAbsolute(fromRoot);
}

function createMissingFileError(path: string, cause: unknown): OctavoError {
  const refusal = describeSystemRefusal(cause);
  if (refusal !== undefined) {
    const message = `${JSON.stringify(path)} cannot be read: ${refusal}.`;
    return new OctavoError("not_found", message, { cause });
  }
  return new OctavoError("not_found", `There is no file ${JSON.stringify(path)}.`, { cause });
}

function createOutsideLinkError(path: string): OctavoError {
  const message = `${JSON.stringify(path)} is a link that points outside its folder; it was not read.`;
  return createInputError(message);
}

/** Returns the last part of a path with forward slashes. */
export function getBaseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** Returns the folder of a path with forward slashes, without a trailing slash. The result is empty for the root. */
export function getParentFolder(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf("/")));
}

/**
 * Percent-encodes a path, except its slashes, for the path or the query of an address. A lone surrogate becomes U+FFFD.
 */
export function encodePath(path: string): string {
  // Nearly every path contains only these characters. Skipping the encoding saves time, because some outputs contain
  // the paths of all pages.
  if (/^[\w\-./~]*$/.test(path)) return path;
  return path.toWellFormed().split("/").map(encodeURIComponent).join("/");
}
