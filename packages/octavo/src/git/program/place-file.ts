import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { flush } from "../../core/index.ts";

/**
 * Writes a file that git reads, in one step; leaves a file with the same content unchanged. Other git processes run at
 * the same time, from this process and others: if the file were overwritten, they would briefly see it empty, and a
 * program that one of them has started could not be written at all. After a power loss, the file is either complete or
 * absent.
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
