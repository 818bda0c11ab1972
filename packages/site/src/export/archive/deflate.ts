import { pipeline } from "node:stream/promises";
import { constants, crc32, createDeflateRaw } from "node:zlib";
import type { ArchiveBlock } from "./block-cache.ts";
import { compression } from "./packed-file.ts";

/** Bytes as an archive holds them. */
export interface PackedPart {
  readonly packed: Uint8Array;
  /** CRC-32 of the bytes before they were packed. */
  readonly crc: number;
  /** Their number. */
  readonly bytes: number;
}

/** Ends a stream of parts. RFC 1951: a last block with nothing in it. */
export const deflateEnd = Uint8Array.of(3, 0);

/** Bytes compressed in one call: each call goes to a thread and back, which costs as much as compressing a few KB. */
const pieceBytes = 256 * 1024;

/** The part of a stream refers to nothing outside it, and ends at a byte boundary. */
export async function deflate(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<PackedPart> {
  let crc = 0;
  let bytes = 0;
  async function* counted() {
    for await (const piece of inPieces(pieces)) {
      crc = crc32(piece, crc);
      bytes += piece.length;
      yield piece;
    }
  }
  const stream = createDeflateRaw({
    ...compression,
    chunkSize: pieceBytes,
    finishFlush: constants.Z_FULL_FLUSH,
  });
  const chunks: Buffer[] = [];
  await pipeline(counted, stream, async (compressed: AsyncIterable<Buffer>) => {
    for await (const chunk of compressed) chunks.push(chunk);
  });
  return { packed: Buffer.concat(chunks), crc, bytes };
}

export function toBlock({ packed, crc, bytes }: PackedPart): ArchiveBlock {
  return { content: packed, facts: [crc, bytes] };
}

/** Of a block that was made by `toBlock`. */
export function fromBlock({ content, facts }: ArchiveBlock): PackedPart {
  const [crc = 0, bytes = 0] = facts;
  return { packed: content, crc, bytes };
}

/** The same bytes in larger pieces. */
async function* inPieces(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  yield Buffer.concat(waiting);
}
