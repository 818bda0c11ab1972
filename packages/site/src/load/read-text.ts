import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { limits, OctavoError, resolveRealPath, sha256 } from "../core/index.ts";

/** Reads a file of one site, like `readTextInside`. */
export type TextReader = (path: string, maxBytes: number) => Promise<string>;

/**
 * Reads a regular file of the site as UTF-8. Throws `not_found` if it does not exist, `invalid_input` if it is not a
 * file or is a symbolic link out of `root`, and `too_large` if it has more than `maxBytes`.
 */
export async function readTextInside(
  root: string,
  path: string,
  maxBytes: number,
): Promise<string> {
  // Without O_NONBLOCK, opening a named pipe would block a thread until the pipe has a writer.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  await using file = await open(await resolveRealPath(root, path), flags);
  const stats = await file.stat();
  if (!stats.isFile()) throw new OctavoError("invalid_input", `${path} is not a file.`);
  if (stats.size > maxBytes) {
    throw new OctavoError("too_large", `${path} is larger than ${maxBytes} bytes.`);
  }
  return file.readFile("utf8");
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

/** Reports whether the text of a file that a recorder read is unchanged; false if it cannot be read. */
export async function hasTextHash(root: string, path: string, hash: string): Promise<boolean> {
  const text = await readTextInside(root, path, limits.configBytes).catch(() => undefined);
  return text !== undefined && sha256(text) === hash;
}
