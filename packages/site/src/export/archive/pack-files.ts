import { createHash } from "node:crypto";
import { closeSync, openSync, writeFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { OctavoError, byCodeUnit } from "../../core/index.ts";
import type { BlockCache } from "./blocks.ts";
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

export interface PackOptions {
  readonly blocks?: BlockCache | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Packs files into `outFile`, from any place and in any order, with distinct paths. The bytes depend on paths and
 * contents alone: order is by code unit; times, owners and modes are fixed; nothing depends on the system or the time
 * zone. Files whose block is in `blocks` are not read; the bytes are the same without it.
 *
 * Holds only a few files in memory, and of long ones a part. `outFile` appears when it is complete; after an error
 * nothing of it remains. Throws `cancelled` when `signal` is aborted.
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
