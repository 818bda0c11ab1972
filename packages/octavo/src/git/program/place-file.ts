import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { flush } from "../../core/index.ts";

/**
 * Puts a file that git reads where it belongs, in one step; leaves one that holds the same as it is. Other gits
 * run meanwhile, of this process and of others: written over, the file would be empty to them for a moment, and
 * a program that one of them has started could not be written at all. After a loss of power it is whole or not there.
 */
export async function placeFile(file: string, content: string, mode = 0o644): Promise<void> {
  if ((await readFile(file, "utf8").catch(() => undefined)) === content) return;
  const partial = `${file}.${randomUUID()}`;
  try {
    await writeFile(partial, content, { mode });
    await flush(partial);
    await rename(partial, file);
  } catch (error) {
    await rm(partial, { force: true });
    throw error;
  }
}
