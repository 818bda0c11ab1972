import { extname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { crc32, deflateRaw, deflateRawSync } from "node:zlib";
import {
  packItems,
  type BlockFormat,
  type PackedBlock,
  createChangedError,
  deflatePieces,
} from "./archive-items.ts";
import type { LongFile, BlockCache } from "./archive-items.ts";
import { deflateEnd, joinCrc, type PackedPart } from "./deflate.ts";
import { compression, entryMode, entryYear, type PackedFile } from "./packed-file.ts";

/**
 * The values in a file's records in a zip. PKWARE's `APPNOTE.TXT` 6.3.10 defines the records in sections 4.3.7 (local
 * file header), 4.3.12 (central directory header), 4.3.14 to 4.3.16 (end of central directory, with and without zip64)
 * and 4.5.3 (zip64 extra field).
 */

interface ZipEntry {
  readonly path: string;
  readonly method: (typeof compressionMethods)[keyof typeof compressionMethods];
  /** The CRC-32 of the uncompressed bytes. */
  readonly crc: number;
  /** The number of uncompressed bytes. */
  readonly bytes: number;
  readonly compressedBytes: number;
}

export const compressionMethods = { store: 0, deflate: 8 } as const;

const max16 = 0xffff;
const max32 = 0xffff_ffff;
/** The versions of the format that a reader must support: 2.0 for `deflate`, 4.5 for 64-bit numbers. */
const versions = { plain: 20, zip64: 45 } as const;
/** The number of the system whose file modes the entries have: Unix. */
const unixSystem = 3;
const regularFileMode = 0o100_000;
/** General purpose bit 11: names are encoded in UTF-8. */
const utf8NamesFlag = 0x0800;
/** January 1 at midnight, in local time, because zip archives have no other kind of time. */
const dosDate = ((entryYear - 1980) << 9) | (1 << 5) | 1;
const dosTime = 0;
const zip64FieldId = 0x0001;

const signatureBytes = 4;
/** The number of bytes that `writeSharedFields` writes. */
const sharedFieldBytes = 26;
/** The length of a record without the file's name. */
const recordBytes = { local: 30, central: 46 } as const;
/** The offsets of the last fields before the name in a central directory header. */
const externalAttributesAt = 38;
const offsetAt = 42;

/** Encodes the local file header, which precedes a file's bytes. */
export function encodeLocalHeader(entry: ZipEntry): Buffer {
  const zip64 = encodeZip64Field(listLargeSizes(entry));
  const record = createRecord(recordBytes.local, entry, zip64);
  record.writeUInt32LE(0x0403_4b50);
  writeSharedFields(record, signatureBytes, { entry, zip64 });
  return record;
}

/** Returns the length of the local file header in bytes. */
function countLocalHeaderBytes(entry: ZipEntry): number {
  const zip64 = encodeZip64Field(listLargeSizes(entry));
  return recordBytes.local + Buffer.byteLength(entry.path) + zip64.length;
}

/** Encodes the central directory header of a file; `offset` is the offset of its local header. */
export function encodeCentralHeader(entry: ZipEntry, offset: number): Buffer {
  const zip64 = encodeZip64Field([...listLargeSizes(entry), ...(offset >= max32 ? [offset] : [])]);
  const record = createRecord(recordBytes.central, entry, zip64);
  record.writeUInt32LE(0x0201_4b50);
  record.writeUInt16LE((unixSystem << 8) | versions.zip64, signatureBytes);
  writeSharedFields(record, signatureBytes + 2, { entry, zip64 });
  record.fill(0, signatureBytes + 2 + sharedFieldBytes, externalAttributesAt);
  record.writeUInt32LE(((regularFileMode | entryMode) << 16) >>> 0, externalAttributesAt);
  record.writeUInt32LE(Math.min(offset, max32), offsetAt);
  return record;
}

interface Directory {
  readonly entries: number;
  readonly bytes: number;
  /** The offset of the directory in the archive. */
  readonly offset: number;
}

/**
 * Encodes the end of central directory record, preceded by the zip64 record if numbers do not fit into the normal
 * record.
 */
export function encodeEndOfDirectory({ entries, bytes, offset }: Directory): Buffer {
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Math.min(entries, max16), 4);
  end.writeUInt16LE(Math.min(entries, max16), 6);
  end.writeUInt32LE(Math.min(bytes, max32), 8);
  end.writeUInt32LE(Math.min(offset, max32), 12);
  const isLarge = entries >= max16 || bytes >= max32 || offset >= max32;
  const zip64 = isLarge ? [encodeZip64End({ entries, bytes, offset })] : [];
  return Buffer.concat([...zip64, encodeSignature(0x0605_4b50), end]);
}

/** Encodes the zip64 end of central directory record and its locator. */
function encodeZip64End({ entries, bytes, offset }: Directory): Buffer {
  const end = Buffer.alloc(52);
  end.writeBigUInt64LE(44n);
  end.writeUInt16LE((unixSystem << 8) | versions.zip64, 8);
  end.writeUInt16LE(versions.zip64, 10);
  end.writeBigUInt64LE(BigInt(entries), 20);
  end.writeBigUInt64LE(BigInt(entries), 28);
  end.writeBigUInt64LE(BigInt(bytes), 36);
  end.writeBigUInt64LE(BigInt(offset), 44);
  const locator = Buffer.alloc(16);
  locator.writeBigUInt64LE(BigInt(offset + bytes), 4);
  locator.writeUInt32LE(1, 12);
  return Buffer.concat([encodeSignature(0x0606_4b50), end, encodeSignature(0x0706_4b50), locator]);
}

function encodeSignature(number: number): Buffer {
  const record = Buffer.alloc(4);
  record.writeUInt32LE(number);
  return record;
}

/** Returns both sizes if either exceeds 32 bits, because a local header must not contain only one of them. */
function listLargeSizes({ bytes, compressedBytes }: ZipEntry): number[] {
  return bytes >= max32 || compressedBytes >= max32 ? [bytes, compressedBytes] : [];
}

const emptyField = Buffer.alloc(0);

function encodeZip64Field(numbers: readonly number[]): Buffer {
  if (numbers.length === 0) return emptyField;
  const field = Buffer.alloc(4 + 8 * numbers.length);
  field.writeUInt16LE(zip64FieldId);
  field.writeUInt16LE(8 * numbers.length, 2);
  numbers.forEach((number, at) => field.writeBigUInt64LE(BigInt(number), 4 + 8 * at));
  return field;
}

/** Creates a record and writes the name and the zip64 field from `start` on. The bytes before `start` are not set. */
function createRecord(start: number, { path }: ZipEntry, zip64: Buffer): Buffer {
  const record = Buffer.allocUnsafe(start + Buffer.byteLength(path) + zip64.length);
  const nameBytes = record.write(path, start);
  zip64.copy(record, start + nameBytes);
  return record;
}

/** Writes the fields that the local and central headers share, beginning at `start`. */
function writeSharedFields(
  record: Buffer,
  start: number,
  { entry, zip64 }: { readonly entry: ZipEntry; readonly zip64: Buffer },
): void {
  const areSizesLarge = listLargeSizes(entry).length > 0;
  record.writeUInt16LE(zip64.length > 0 ? versions.zip64 : versions.plain, start);
  record.writeUInt16LE(utf8NamesFlag, start + 2);
  record.writeUInt16LE(entry.method, start + 4);
  record.writeUInt16LE(dosTime, start + 6);
  record.writeUInt16LE(dosDate, start + 8);
  record.writeUInt32LE(entry.crc, start + 10);
  record.writeUInt32LE(areSizesLarge ? max32 : entry.compressedBytes, start + 14);
  record.writeUInt32LE(areSizesLarge ? max32 : entry.bytes, start + 18);
  record.writeUInt16LE(Buffer.byteLength(entry.path), start + 22);
  record.writeUInt16LE(zip64.length, start + 24);
}

/**
 * The extensions of formats that are already compressed. Deflating such files again would take time without saving
 * space.
 */
const storedExtensions = new Set([
  ".avif",
  ".gif",
  ".gz",
  ".jpeg",
  ".jpg",
  ".mp4",
  ".png",
  ".webm",
  ".webp",
  ".woff2",
  ".zip",
]);

/**
 * Yields the bytes of a `.zip` of `files`, in their order.
 *
 * Groups of files are packed with their local headers, which do not contain positions in the archive. A group that is
 * the same as in an earlier archive therefore has the same bytes, which are taken from the cache.
 */
export async function* packZip(
  files: readonly PackedFile[],
  cache?: BlockCache,
): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  const addEntry = (entry: ZipEntry) => {
    directory.push(encodeCentralHeader(entry, offset));
    offset += countLocalHeaderBytes(entry) + entry.compressedBytes;
  };
  for await (const item of packItems(files, format, cache)) {
    if ("block" in item) {
      yield item.block.content;
      for (const entry of listEntries(item)) addEntry(entry);
    } else {
      const entry = await describeLongFile(item);
      yield encodeLocalHeader(entry);
      yield* packLongFile(item, entry);
      addEntry(entry);
    }
  }
  const bytes = Buffer.concat(directory);
  yield bytes;
  yield encodeEndOfDirectory({ entries: directory.length, bytes: bytes.length, offset });
}

/** The number of bytes to compress before yielding to other tasks. */
const maxTurnBytes = 256 * 1024;
/** The number of facts in a block per file: its CRC-32 and both sizes. */
const factsPerFile = 3;

const format: BlockFormat = {
  name: "zip",
  async pack(files) {
    const pieces: Uint8Array[] = [];
    const facts: number[] = [];
    let bytesInTurn = 0;
    for (const { path, content } of files) {
      bytesInTurn += content.length;
      if (bytesInTurn > maxTurnBytes) {
        await nextTurn();
        bytesInTurn = 0;
      }
      const method = getMethod(path);
      const packed = method === compressionMethods.store ? content : await compress(content);
      const numbers = {
        crc: crc32(content),
        bytes: content.length,
        compressedBytes: packed.length,
      };
      pieces.push(encodeLocalHeader({ path, method, ...numbers }), packed);
      facts.push(numbers.crc, numbers.bytes, numbers.compressedBytes);
    }
    return { content: Buffer.concat(pieces), facts };
  },
};

function listEntries({ files, block: { facts } }: PackedBlock): ZipEntry[] {
  return files.map(({ path }, at) => {
    const fileFacts = facts.slice(at * factsPerFile, (at + 1) * factsPerFile);
    const [crc = 0, bytes = 0, compressedBytes = 0] = fileFacts;
    return { path, method: getMethod(path), crc, bytes, compressedBytes };
  });
}

function getMethod(path: string): ZipEntry["method"] {
  return storedExtensions.has(extname(path).toLowerCase())
    ? compressionMethods.store
    : compressionMethods.deflate;
}

/**
 * The minimum size of a file that is compressed in a thread. Compressing a smaller file takes less time than passing it
 * to a thread and back.
 */
const minThreadBytes = 128 * 1024;
const compressInThread = promisify(deflateRaw);

async function compress(content: Uint8Array): Promise<Uint8Array> {
  if (content.length < minThreadBytes) return deflateRawSync(content, compression);
  return await compressInThread(content, compression);
}

/** Reads the file to compute the values of its header; `packLongFile` reads it again. */
async function describeLongFile(file: LongFile): Promise<ZipEntry> {
  const { path } = file;
  const method = getMethod(path);
  const numbers = { crc: 0, bytes: 0, compressedBytes: 0 };
  for await (const part of readParts(file, method)) addPart(numbers, part);
  return { path, method, ...numbers };
}

/** Packs a long file. Throws `conflict` if the file no longer matches its entry. */
async function* packLongFile(file: LongFile, entry: ZipEntry): AsyncGenerator<Uint8Array> {
  const numbers = { crc: 0, bytes: 0, compressedBytes: 0 };
  for await (const part of readParts(file, entry.method)) {
    yield part.packed;
    addPart(numbers, part);
  }
  const { crc, bytes, compressedBytes } = numbers;
  const isSame =
    crc === entry.crc && bytes === entry.bytes && compressedBytes === entry.compressedBytes;
  if (!isSame) throw createChangedError(file.path);
  await file.checkUnchanged();
}

type EntryNumbers = Pick<ZipEntry, "crc" | "bytes" | "compressedBytes">;

function addPart(
  numbers: { -readonly [Name in keyof EntryNumbers]: number },
  { packed, crc, bytes }: PackedPart,
): void {
  numbers.crc = joinCrc(numbers.crc, crc, bytes);
  numbers.bytes += bytes;
  numbers.compressedBytes += packed.length;
}

async function* readParts(file: LongFile, method: ZipEntry["method"]): AsyncGenerator<PackedPart> {
  if (method === compressionMethods.deflate) {
    yield* deflatePieces(file);
    yield { packed: deflateEnd, crc: 0, bytes: 0 };
    return;
  }
  for (const piece of file.pieces) {
    const packed = await piece.read();
    yield { packed, crc: crc32(packed), bytes: packed.length };
  }
}
