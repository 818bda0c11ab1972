import { randomUUID } from "node:crypto";
import { readFile, rename, rm, writeFile } from "node:fs/promises";
import { flush } from "../../core/index.ts";

/**
 * Writes a file that git reads, in one step; leaves a file with the same content unchanged. Git processes of this
 * process and others run at the same time. If the file were overwritten in place, they would briefly see it empty, and
 * a file that is running as a program could not be written at all. After a power loss, the file is either complete or
 * missing.
 */
export async function placeFile(file: string, content: string, mode = 0o644): Promise<void> {
  if ((await readFile(file, "utf8").catch(() => undefined)) === content) return;
  const partialFile = `${file}.${randomUUID()}`;
  try {
    await writeFile(partialFile, content, { mode });
    await flush(partialFile);
    await rename(partialFile, file);
  } catch (error) {
    await rm(partialFile, { force: true });
    throw error;
  }
}
