import { pipeline } from "node:stream/promises";
import { constants, crc32, createDeflateRaw } from "node:zlib";
import { compression } from "./packed-file.ts";

/** A self-contained part of an archive: several files, or a piece of a long file. */
export interface ArchiveBlock {
  readonly content: Uint8Array;
  /** The numbers that the archive format needs to know about the content without reading it. */
  readonly facts: readonly number[];
}

/** A part of a compressed stream, as stored in an archive. */
export interface PackedPart {
  readonly packed: Uint8Array;
  /** The CRC-32 of the uncompressed bytes. */
  readonly crc: number;
  /** The number of uncompressed bytes. */
  readonly bytes: number;
}

/** The end of a stream of parts: a final block without content (RFC 1951). */
export const deflateEnd = Uint8Array.of(3, 0);

/**
 * The minimum number of bytes to compress per call, because passing a call to a thread and back costs as much as
 * compressing a few kilobytes.
 */
const pieceBytes = 256 * 1024;

/** The polynomial of CRC-32, in which the highest bit is the coefficient of x^0. */
const polynomial = 0xedb88320;
const one = 0x8000_0000;
/** x^8: the effect of one more byte on a checksum. */
const byteShift = 0x0080_0000;

/** Compresses bytes into a self-contained part of a stream that ends at a byte boundary. */
export async function deflate(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<PackedPart> {
  let crc = 0;
  let bytes = 0;
  async function* countPieces() {
    for await (const piece of joinPieces(pieces)) {
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
  await pipeline(countPieces, stream, async (compressed: AsyncIterable<Buffer>) => {
    for await (const chunk of compressed) chunks.push(chunk);
  });
  return { packed: Buffer.concat(chunks), crc, bytes };
}

export function packBlock({ packed, crc, bytes }: PackedPart): ArchiveBlock {
  return { content: packed, facts: [crc, bytes] };
}

/** Converts a block built by `packBlock` back to a part. */
export function unpackBlock({ content, facts }: ArchiveBlock): PackedPart {
  const [crc = 0, bytes = 0] = facts;
  return { packed: content, crc, bytes };
}

/** Returns the CRC-32 of two concatenated byte sequences, given their checksums and the length of the second. */
export function joinCrc(first: number, second: number, secondBytes: number): number {
  let shift = one;
  let power = byteShift;
  for (let rest = secondBytes; rest > 0; rest = Math.floor(rest / 2)) {
    if (rest % 2 === 1) shift = computeProduct(shift, power);
    power = computeProduct(power, power);
  }
  return (computeProduct(shift, first) ^ second) >>> 0;
}

/** Joins small pieces into larger ones. */
async function* joinPieces(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    pending.push(piece);
    bytes += piece.length;
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(pending);
    pending = [];
    bytes = 0;
  }
  yield Buffer.concat(pending);
}

/** Returns the product of two polynomials modulo the CRC-32 polynomial. */
function computeProduct(a: number, b: number): number {
  let product = 0;
  let shifted = b;
  for (let bit = one; bit !== 0; bit >>>= 1) {
    if ((a & bit) !== 0) product ^= shifted;
    shifted = (shifted & 1) === 0 ? shifted >>> 1 : (shifted >>> 1) ^ polynomial;
  }
  return product >>> 0;
}
