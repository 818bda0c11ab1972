import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { OctavoError, realPathInside } from "../core/index.ts";

/**
 * Reads a regular file of the site as UTF-8. Throws `not_found` if it does not exist, `invalid_input`
 * if it is not a file or a symbolic link out of `root`, `too_large` beyond `maxBytes`.
 */
export async function readTextInside(
  root: string,
  path: string,
  maxBytes: number,
): Promise<string> {
  // Without O_NONBLOCK opening a named pipe would block a thread until it has a writer.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  await using file = await open(await realPathInside(root, path), flags);
  const stats = await file.stat();
  if (!stats.isFile()) throw new OctavoError("invalid_input", `${path} is not a file.`);
  if (stats.size > maxBytes) {
    throw new OctavoError("too_large", `${path} is larger than ${maxBytes} bytes.`);
  }
  return file.readFile("utf8");
}
