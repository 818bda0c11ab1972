import type { FileHandle } from "node:fs/promises";

/** A file in a zip archive, as the archive's directory describes it. */
export interface ZipEntry {
  /** The unchanged path from the archive. */
  readonly path: string;
  /** The size of the content. */
  readonly bytes: number;
  /** The size of the content as it is stored. */
  readonly packedBytes: number;
  readonly crc32: number;
  readonly isDeflated: boolean;
  /** The position of the entry's own header, which precedes the content. */
  readonly headerAt: number;
}

/** The maximum size of a directory, which is enough for 400,000 files with paths of ordinary length. */
const maxDirectoryBytes = 64 * 1024 * 1024;
const endSignature = Buffer.from("PK\u0005\u0006", "latin1");
const endBytes = 22;
/** A comment follows the end of the directory. */
const maxEndBytes = endBytes + 0xffff;
const locatorSignature = 0x07064b50;
const locatorBytes = 20;
const largeEndSignature = 0x06064b50;
const largeEndBytes = 56;
const entrySignature = 0x02014b50;
const entryBytes = 46;
/** The extra field with the numbers of large archives (zip64). */
const largeFieldId = 1;
const max16 = 0xffff;
const max32 = 0xffff_ffff;
const stored = 0;
const deflated = 8;

/**
 * Reads the directory of an archive in two reads, where a general reader of archives needs two for each file. Omits
 * folders, and files that are encrypted or packed in an unusual way. Throws if the archive is damaged.
 */
export async function readZipDirectory(
  handle: FileHandle,
  size: number,
): Promise<ReadonlyMap<string, ZipEntry>> {
  const tail = await readAt(handle, Math.max(0, size - maxEndBytes - locatorBytes), size);
  const { start, bytes } = await findDirectory(handle, tail);
  if (bytes > maxDirectoryBytes) throw new Error("The archive has too many files.");
  const directory = await readAt(handle, start, start + bytes);
  const entries = new Map<string, ZipEntry>();
  let at = 0;
  while (at < directory.length) {
    if (directory.readUInt32LE(at) !== entrySignature) throw new Error("An entry is damaged.");
    const entry = parseEntry(directory, at);
    if (entry) entries.set(entry.path, entry);
    const [name, extra, comment] = [28, 30, 32].map((field) => directory.readUInt16LE(at + field));
    at += entryBytes + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
  }
  return entries;
}

async function readAt(handle: FileHandle, start: number, end: number): Promise<Buffer> {
  const target = Buffer.allocUnsafe(Math.max(0, end - start));
  const { bytesRead } = await handle.read({ buffer: target, position: start });
  if (bytesRead < target.length) throw new Error("The archive ends too early.");
  return target;
}

interface DirectoryPosition {
  readonly start: number;
  readonly bytes: number;
}

async function findDirectory(handle: FileHandle, tail: Buffer): Promise<DirectoryPosition> {
  const end = tail.lastIndexOf(endSignature);
  if (end < 0) throw new Error("The archive has no directory.");
  const position = { bytes: tail.readUInt32LE(end + 12), start: tail.readUInt32LE(end + 16) };
  const isLarge =
    tail.readUInt16LE(end + 10) === max16 || position.start === max32 || position.bytes === max32;
  if (!isLarge) return position;
  const locator = end - locatorBytes;
  if (tail.readUInt32LE(locator) !== locatorSignature) return position;
  const at = Number(tail.readBigUInt64LE(locator + 8));
  const large = await readAt(handle, at, at + largeEndBytes);
  if (large.readUInt32LE(0) !== largeEndSignature) throw new Error("The directory is damaged.");
  return {
    bytes: Number(large.readBigUInt64LE(40)),
    start: Number(large.readBigUInt64LE(48)),
  };
}

function parseEntry(directory: Buffer, at: number): ZipEntry | undefined {
  const isEncrypted = (directory.readUInt16LE(at + 8) & 1) !== 0;
  const method = directory.readUInt16LE(at + 10);
  const nameEnd = at + entryBytes + directory.readUInt16LE(at + 28);
  const path = directory.toString("utf8", at + entryBytes, nameEnd);
  if (isEncrypted || (method !== stored && method !== deflated) || path.endsWith("/"))
    return undefined;
  const extra = directory.subarray(nameEnd, nameEnd + directory.readUInt16LE(at + 30));
  // A large archive stores in the extra field only the numbers that do not fit, in this order.
  const large = readLargeNumbers(extra);
  const readNumber = (field: number) => {
    const number = directory.readUInt32LE(at + field);
    return number === max32 ? (large.shift() ?? number) : number;
  };
  const bytes = readNumber(24);
  const packedBytes = readNumber(20);
  return {
    path,
    bytes,
    packedBytes,
    crc32: directory.readUInt32LE(at + 16),
    isDeflated: method === deflated,
    headerAt: readNumber(42),
  };
}

function readLargeNumbers(extra: Buffer): number[] {
  for (let at = 0; at + 4 <= extra.length; at += 4 + extra.readUInt16LE(at + 2)) {
    if (extra.readUInt16LE(at) !== largeFieldId) continue;
    const count = Math.floor(extra.readUInt16LE(at + 2) / 8);
    return Array.from({ length: count }, (_, index) =>
      Number(extra.readBigUInt64LE(at + 4 + 8 * index)),
    );
  }
  return [];
}
