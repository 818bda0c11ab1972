import { open } from "node:fs/promises";
import type { FilePart } from "../../core/index.ts";
import type { BlockCache } from "./block-cache.ts";
import { blockKey, cacheBlock, findBlock, maxCachedBytes } from "./cached-block.ts";
import { deflate, fromBlock, toBlock } from "./deflate.ts";
import type { PackedPart } from "./deflate.ts";
import { groupByName } from "./groups.ts";

/** A file that is packed piece by piece, so that it need not be in memory, or be compressed again, as a whole. */
export interface LongFile {
  /** Path in the archive. */
  readonly path: string;
  readonly bytes: number;
  readonly pieces: readonly Piece[];
}

interface Piece {
  /** Undefined if the piece cannot be cached. */
  readonly key: string | undefined;
  readonly bytes: number;
  /** May be called again. Throws if the file is no longer as long as it was. */
  read(): Promise<Uint8Array>;
}

const sliceBytes = 1024 * 1024;

export function openParts(
  path: string,
  parts: readonly FilePart[],
  cache: BlockCache | undefined,
): LongFile {
  const pieces = groupByName(parts, { nameOf: ({ fingerprint = "" }) => fingerprint }).map(
    (group) => pieceOf(group, cache),
  );
  return { path, pieces, bytes: pieces.reduce((sum, { bytes }) => sum + bytes, 0) };
}

function pieceOf(parts: readonly FilePart[], cache: BlockCache | undefined): Piece {
  const about = parts.flatMap(({ fingerprint = [] }) => fingerprint);
  const key = about.length < parts.length ? undefined : blockKey("deflated parts", about);
  const [, known] = (key !== undefined && cache?.factsOf(key)) || [];
  return {
    key,
    bytes: known ?? parts.reduce((sum, part) => sum + part.bytes().length, 0),
    read: async () => Buffer.concat(parts.map((part) => part.bytes())),
  };
}

/** A file on the disk, of `bytes`. */
export function openSlices(
  path: string,
  {
    source,
    bytes,
    fingerprint,
  }: {
    readonly source: string;
    readonly bytes: number;
    readonly fingerprint: string | undefined;
  },
): LongFile {
  const isCached = fingerprint !== undefined && bytes <= maxCachedBytes;
  const pieces = Array.from({ length: Math.ceil(bytes / sliceBytes) }, (_, at): Piece => {
    const slice = { start: at * sliceBytes, length: Math.min(sliceBytes, bytes - at * sliceBytes) };
    return {
      key: isCached ? blockKey("deflated slice", [fingerprint, String(at)]) : undefined,
      bytes: slice.length,
      read: () => readSlice(source, slice),
    };
  });
  return { path, bytes, pieces };
}

async function readSlice(
  file: string,
  { start, length }: { readonly start: number; readonly length: number },
): Promise<Uint8Array> {
  await using handle = await open(file);
  const content = Buffer.allocUnsafe(length);
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await handle.read(content, filled, length - filled, start + filled);
    if (bytesRead === 0) throw changed(file);
    filled += bytesRead;
  }
  return content;
}

export function changed(file: string): Error {
  return new Error(`${file} changed while it was packed. Export again.`);
}

/** Together, and followed by `deflateEnd`, they are the compressed file. */
export async function* deflatePieces(
  { pieces }: LongFile,
  cache: BlockCache | undefined,
): AsyncGenerator<PackedPart> {
  for (const piece of pieces) {
    const block = findBlock(piece.key, cache);
    if (block) {
      yield fromBlock(block);
      continue;
    }
    const deflated = await deflate([await piece.read()]);
    cacheBlock(piece.key, toBlock(deflated), cache);
    yield deflated;
  }
}
