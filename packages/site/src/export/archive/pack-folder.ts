import { createHash } from "node:crypto";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { OctavoError, byCodeUnit } from "../../core/index.ts";
import type { BlockCache } from "./block-cache.ts";
import type { PackedFile } from "./packed-file.ts";
import { tarGz } from "./tar-gz.ts";
import { zip } from "./zip.ts";

export interface PackedArchive {
  /** Size of the archive. */
  readonly bytes: number;
  /** Of the archive's bytes: 64 lower-case hexadecimal digits. */
  readonly sha256: string;
}

/** Chunks, of up to some hundred kilobytes, that are written before other work gets a turn. */
const sliceLength = 16;

interface PackOptions {
  readonly blocks?: BlockCache | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Packs every regular file below `folder` into `outFile`, at the paths they have there: no top-level
 * folder. The bytes depend on paths and contents alone: order is by code unit; times, owners and modes are fixed;
 * nothing depends on the system or the time zone. Links are omitted, so that nothing from outside gets in.
 *
 * Holds only a few files in memory. `outFile` appears when it is complete; after an error nothing of it remains. Throws `cancelled` when `signal` is aborted.
 */
export async function packFolder(
  folder: string,
  format: "tar.gz" | "zip",
  outFile: string,
  options: Pick<PackOptions, "signal"> = {},
): Promise<PackedArchive> {
  return await packFiles(await listFiles(folder), format, outFile, options);
}

/**
 * The same for files in any place and order, with distinct paths. Files whose block is in `blocks` are not read; the
 * bytes are the same without it.
 */
export async function packFiles(
  unsorted: readonly PackedFile[],
  format: "tar.gz" | "zip",
  outFile: string,
  options: PackOptions = {},
): Promise<PackedArchive> {
  const { blocks, signal } = options;
  const files = unsorted.toSorted((a, b) => byCodeUnit(a.path, b.path));
  const partial = `${outFile}.part`;
  try {
    const content = format === "zip" ? zip(files, blocks) : tarGz(files, blocks);
    const packed = await write(content, partial, signal);
    await rename(partial, outFile);
    return packed;
  } catch (cause) {
    await rm(partial, { force: true });
    if (signal?.aborted) {
      throw new OctavoError("cancelled", "Packing the bundle was cancelled.", { cause });
    }
    throw cause;
  }
}

async function listFiles(folder: string): Promise<PackedFile[]> {
  const paths: string[] = [];
  const waiting = [""];
  for (let below = waiting.pop(); below !== undefined; below = waiting.pop()) {
    for (const entry of await readdir(join(folder, below), { withFileTypes: true })) {
      if (entry.isDirectory()) waiting.push(`${below}${entry.name}/`);
      else if (entry.isFile()) paths.push(below + entry.name);
    }
  }
  return paths.map((path) => ({ path, source: join(folder, path) }));
}

/** Without a stream: a chunk is written before the next is made, which may have its memory. */
async function write(
  content: AsyncIterable<Uint8Array>,
  file: string,
  signal: AbortSignal | undefined,
): Promise<PackedArchive> {
  const hash = createHash("sha256");
  let bytes = 0;
  let count = 0;
  const descriptor = openSync(file, "w");
  try {
    for await (const chunk of content) {
      if (++count % sliceLength === 0) await nextTurn();
      signal?.throwIfAborted();
      hash.update(chunk);
      bytes += chunk.length;
      writeFileSync(descriptor, chunk);
    }
  } finally {
    closeSync(descriptor);
  }
  return { bytes, sha256: hash.digest("hex") };
}
