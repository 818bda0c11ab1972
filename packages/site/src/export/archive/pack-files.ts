import { createHash } from "node:crypto";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { OctavoError, compareCodeUnits } from "../../core/index.ts";
import type { BlockCache } from "./archive-items.ts";
import type { PackedFile } from "./packed-file.ts";
import { packTarGz } from "./tar-gz.ts";
import { packZip } from "./zip.ts";

export interface PackedArchive {
  /** The size of the archive in bytes. */
  readonly bytes: number;
  /** The SHA-256 hash of the archive: 64 lowercase hexadecimal digits. */
  readonly sha256: string;
}

/** The number of chunks, each up to a few hundred kilobytes, to write before yielding to other tasks. */
const chunksPerTurn = 16;

export interface PackOptions {
  readonly blocks?: BlockCache | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Packs files with distinct paths, from any location and in any order, into `outFile`. The bytes depend only on paths
 * and contents: entries are sorted by code unit; times, owners and modes are fixed; nothing depends on the system or
 * the time zone. Files whose blocks are cached in `blocks` are not read; the cache does not affect the archive's bytes.
 *
 * Keeps only a few files in memory, and only a piece of each long file. `outFile` appears only when it is complete; an
 * error leaves nothing behind. Throws `cancelled` when `signal` is aborted.
 */
export async function packFiles(
  unsorted: readonly PackedFile[],
  format: "tar.gz" | "zip",
  outFile: string,
  options: PackOptions = {},
): Promise<PackedArchive> {
  const { blocks, signal } = options;
  const files = unsorted.toSorted((a, b) => compareCodeUnits(a.path, b.path));
  const partialFile = `${outFile}.part`;
  try {
    const content = format === "zip" ? packZip(files, blocks) : packTarGz(files, blocks);
    const packed = await write(content, partialFile, signal);
    await rename(partialFile, outFile);
    return packed;
  } catch (cause) {
    await rm(partialFile, { force: true });
    if (signal?.aborted) {
      throw new OctavoError("cancelled", "Packing the bundle was cancelled.", { cause });
    }
    throw cause;
  }
}

/**
 * Writes synchronously, not through a stream, because each chunk must be written before the next chunk is built, which
 * may reuse its memory.
 */
async function write(
  content: AsyncIterable<Uint8Array>,
  file: string,
  signal: AbortSignal | undefined,
): Promise<PackedArchive> {
  const hash = createHash("sha256");
  let bytes = 0;
  let chunkCount = 0;
  const descriptor = openSync(file, "w");
  try {
    for await (const chunk of content) {
      if (++chunkCount % chunksPerTurn === 0) await nextTurn();
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
