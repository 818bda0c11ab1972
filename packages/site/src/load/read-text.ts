import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { OctavoError, realPathInside } from "../core/index.ts";

/**
 * The text of a regular file of the site. Throws `not_found` where there is none, `invalid_input`
 * where it is a link that leads out or not a file, `too_large` beyond `maxBytes`.
 */
export async function readTextInside(
  root: string,
  path: string,
  maxBytes: number,
): Promise<string> {
  // Without O_NONBLOCK a named pipe would keep a thread waiting for a writer that never comes.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK;
  await using file = await open(await realPathInside(root, path), flags);
  const stats = await file.stat();
  if (!stats.isFile()) throw new OctavoError("invalid_input", `${path} is not a file.`);
  if (stats.size > maxBytes) {
    throw new OctavoError("too_large", `${path} is larger than ${maxBytes} bytes.`);
  }
  return file.readFile("utf8");
}
