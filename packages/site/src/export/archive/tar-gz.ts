import { once } from "node:events";
import { packItems, countBytes, createChangedError, deflatePieces } from "./archive-items.ts";
import type { BlockFormat, LoadedFile, LongFile, BlockCache } from "./archive-items.ts";
import {
  joinCrc,
  deflate,
  deflateEnd,
  unpackBlock,
  packBlock,
  type PackedPart,
} from "./deflate.ts";
import { entryMode, entryYear } from "./packed-file.ts";
import type { PackedFile } from "./packed-file.ts";
import { pack } from "./tar-stream.bundled.ts";
import type { Pack } from "./tar-stream.bundled.ts";

/** A gzip header (RFC 1952): deflate, no name or time, unknown system. */
const gzipHeader = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
/** The block size of a tar file. Headers and contents are padded to multiples of it. */
const tarBlockBytes = 512;
/** The end-of-archive marker of a tar file. */
const tarEnd = new Uint8Array(1024);

/**
 * Yields the bytes of a `.tar.gz` of `files`, in their order.
 *
 * Groups of files are compressed independently within one gzip stream. A group that is the same as in an earlier
 * archive therefore has the same compressed bytes, which are taken from the cache.
 */
export async function* packTarGz(
  files: readonly PackedFile[],
  cache?: BlockCache,
): AsyncGenerator<Uint8Array> {
  yield gzipHeader;
  let crc = 0;
  let bytes = 0;
  for await (const part of deflateFiles(files, cache)) {
    yield part.packed;
    crc = joinCrc(crc, part.crc, part.bytes);
    bytes += part.bytes;
  }
  yield deflateEnd;
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc);
  trailer.writeUInt32LE(bytes % 2 ** 32, 4);
  yield trailer;
}

async function* deflateFiles(
  files: readonly PackedFile[],
  cache: BlockCache | undefined,
): AsyncGenerator<PackedPart> {
  for await (const item of packItems(files, format, cache)) {
    if ("block" in item) yield unpackBlock(item.block);
    else yield* deflateLongFile(item);
  }
  yield await deflate([tarEnd]);
}

/** Compresses a long file. Throws `conflict` if the file changes in the meantime. */
async function* deflateLongFile(file: LongFile): AsyncGenerator<PackedPart> {
  const bytes = await countBytes(file);
  yield await deflate([await encodeHeader(file.path, bytes)]);
  let remainingBytes = bytes;
  for await (const part of deflatePieces(file)) {
    yield part;
    remainingBytes -= part.bytes;
  }
  if (remainingBytes !== 0) throw createChangedError(file.path);
  await file.checkUnchanged();
  const padding = (tarBlockBytes - (bytes % tarBlockBytes)) % tarBlockBytes;
  yield await deflate([new Uint8Array(padding)]);
}

/** Encodes the header of a file. For a long or non-ASCII path, an extra header precedes it. */
async function encodeHeader(path: string, bytes: number): Promise<Uint8Array> {
  const archive = pack();
  // No content is written for the entry, so the error about its premature end is expected.
  archive.entry(createHeader(path, bytes)).on("error", () => undefined);
  try {
    await once(archive, "readable");
    const chunks: Buffer[] = [];
    for (;;) {
      const chunk = archive.read() as Buffer | null;
      if (chunk === null) return Buffer.concat(chunks);
      chunks.push(chunk);
    }
  } finally {
    archive.destroy();
  }
}

const format: BlockFormat = {
  name: "tar.gz",
  async pack(files) {
    const archive = pack();
    const filling = fillArchive(archive, files);
    // An error is passed to the loop below, which reads the archive.
    filling.catch((error: Error) => archive.destroy(error));
    try {
      const deflated = await deflate(stripEndMarker(archive as AsyncIterable<Buffer>));
      await filling;
      return packBlock(deflated);
    } finally {
      archive.destroy();
    }
  },
};

/** Yields the pieces without the end-of-archive marker, which belongs only to the last block. */
async function* stripEndMarker(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let last: Buffer | undefined;
  for await (const piece of pieces) {
    if (last) yield last;
    last = piece;
  }
  if (last) yield last.subarray(0, -tarEnd.length);
}

async function fillArchive(archive: Pack, files: readonly LoadedFile[]): Promise<void> {
  for (const file of files) await addFile(archive, file);
  archive.finalize();
}

async function addFile(archive: Pack, { path, content }: LoadedFile): Promise<void> {
  const { buffer, byteOffset, length } = content;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  archive.entry(createHeader(path, length), Buffer.from(buffer, byteOffset, length), (error) =>
    error ? reject(error) : resolve(),
  );
  await promise;
}

const entryTime = new Date(Date.UTC(entryYear, 0, 1));

function createHeader(path: string, size: number) {
  return { name: path, mode: entryMode, mtime: entryTime, size };
}
