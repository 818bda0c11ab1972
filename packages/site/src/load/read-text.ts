import { constants } from "node:fs";
import { lstat, open, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import {
  describeSystemRefusal,
  isOctavoError,
  limits,
  OctavoError,
  resolveRealPath,
  sha256,
  createInputError,
} from "../core/index.ts";

/** Reads a file of one site, like `readTextInside`. */
export type TextReader = (path: string, maxBytes: number) => Promise<string>;

/**
 * Reads a regular file of the site as UTF-8. Throws `not_found` if it does not exist, `invalid_input` if it is not a
 * file, cannot be read, or is a symbolic link that is dangling or leads out of `root`, and `too_large` if it exceeds
 * `maxBytes`.
 */
export async function readTextInside(
  root: string,
  path: string,
  maxBytes: number,
): Promise<string> {
  await using file = await openInside(root, path);
  const stats = await file.stat();
  if (!stats.isFile()) throw createInputError(`${path} is not a file.`);
  if (stats.size > maxBytes) {
    throw new OctavoError("too_large", `${path} is larger than ${maxBytes} bytes.`);
  }
  return file.readFile("utf8");
}

async function openInside(root: string, path: string): Promise<FileHandle> {
  // Without O_NONBLOCK, opening a named pipe would block a thread until the pipe has a writer.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  try {
    return await open(await resolveRealPath(root, path), flags);
  } catch (cause) {
    const isMissing = isOctavoError(cause, "not_found");
    const refusal = describeSystemRefusal(isMissing ? cause.cause : cause);
    if (refusal !== undefined) {
      const message = `${path} cannot be read: ${refusal}.`;
      throw new OctavoError("invalid_input", message, { cause });
    }
    // A site must not be read without the rules or settings of a file that exists.
    if (isMissing && (await isLink(join(root, path)))) {
      const message = `${path} is a symbolic link that leads nowhere.`;
      throw new OctavoError("invalid_input", message, { cause });
    }
    throw cause;
  }
}

async function isLink(path: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isSymbolicLink() ?? false;
}

/** Reads files and records their hashes. */
export interface TextRecorder {
  readonly read: TextReader;
  /** The SHA-256 of the text of each file that could be read, by path. */
  readonly hashes: ReadonlyMap<string, string>;
}

export function createTextRecorder(root: string): TextRecorder {
  const hashes = new Map<string, string>();
  return {
    hashes,
    async read(path, maxBytes) {
      const text = await readTextInside(root, path, maxBytes);
      hashes.set(path, sha256(text));
      return text;
    },
  };
}

/** Reports whether the text of a file that a recorder read is unchanged. Returns false if it cannot be read. */
export async function hasTextHash(root: string, path: string, hash: string): Promise<boolean> {
  const text = await readTextInside(root, path, limits.configBytes).catch(() => undefined);
  return text !== undefined && sha256(text) === hash;
}
