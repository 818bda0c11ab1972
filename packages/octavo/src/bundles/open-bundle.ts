import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import { createInflateRaw, inflateRaw } from "node:zlib";
import type { ZlibOptions } from "node:zlib";
import { OctavoError } from "@octavo/site/core";
import type { ByteRange } from "../storage/index.ts";

/** A file in a zip archive, as the archive's directory describes it. */
interface ZipEntry {
  /** The unchanged path from the archive. */
  readonly path: string;
  /** The size of the content. */
  readonly bytes: number;
  /** The size of the content as it is stored. */
  readonly packedBytes: number;
  readonly crc32: number;
  readonly isDeflated: boolean;
  /** The position of the entry's own header, which precedes the content. */
  readonly headerOffset: number;
}

/** The maximum size of a directory, which is enough for 400,000 files with paths of ordinary length. */
const maxDirectoryBytes = 64 * 1024 * 1024;
const endSignature = Buffer.from("PK\u0005\u0006", "latin1");
const endBytes = 22;
/** The directory's end record may be followed by a comment of up to 65,535 bytes. */
const maxEndBytes = endBytes + 0xffff;
const locatorSignature = 0x07064b50;
const locatorBytes = 20;
const largeEndSignature = 0x06064b50;
const largeEndBytes = 56;
const entrySignature = 0x02014b50;
const entryBytes = 46;
/** The ID of the extra field with the 64-bit numbers of large archives (zip64). */
const largeFieldId = 1;
const max16 = 0xffff;
const max32 = 0xffff_ffff;
const storedMethod = 0;
const deflatedMethod = 8;

/**
 * Reads the directory of an archive in two reads, whereas a general archive reader needs two for each file. Omits
 * folders, encrypted files, and files that are compressed with a method other than deflate. Throws if the archive is
 * corrupt.
 */
async function readZipDirectory(
  handle: FileHandle,
  size: number,
): Promise<ReadonlyMap<string, ZipEntry>> {
  const tail = await readAt(handle, Math.max(0, size - maxEndBytes - locatorBytes), size);
  const { start, bytes } = await findDirectory(handle, tail);
  if (bytes > maxDirectoryBytes) throw new Error("The archive has too many files.");
  const directory = await readAt(handle, start, start + bytes);
  const entries = new Map<string, ZipEntry>();
  let offset = 0;
  while (offset < directory.length) {
    if (directory.readUInt32LE(offset) !== entrySignature) throw new Error("An entry is damaged.");
    const entry = parseEntry(directory, offset);
    if (entry) entries.set(entry.path, entry);
    const [name, extra, comment] = [28, 30, 32].map((field) =>
      directory.readUInt16LE(offset + field),
    );
    offset += entryBytes + (name ?? 0) + (extra ?? 0) + (comment ?? 0);
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
  const offset = Number(tail.readBigUInt64LE(locator + 8));
  const large = await readAt(handle, offset, offset + largeEndBytes);
  if (large.readUInt32LE(0) !== largeEndSignature) throw new Error("The directory is damaged.");
  return {
    bytes: Number(large.readBigUInt64LE(40)),
    start: Number(large.readBigUInt64LE(48)),
  };
}

function parseEntry(directory: Buffer, offset: number): ZipEntry | undefined {
  const isEncrypted = (directory.readUInt16LE(offset + 8) & 1) !== 0;
  const method = directory.readUInt16LE(offset + 10);
  const nameEnd = offset + entryBytes + directory.readUInt16LE(offset + 28);
  const path = directory.toString("utf8", offset + entryBytes, nameEnd);
  if (isEncrypted || (method !== storedMethod && method !== deflatedMethod) || path.endsWith("/"))
    return undefined;
  const extra = directory.subarray(nameEnd, nameEnd + directory.readUInt16LE(offset + 30));
  // A large archive stores in the extra field only the numbers that do not fit in 32 bits, in this
  // order.
  const large = readLargeNumbers(extra);
  const readNumber = (field: number) => {
    const number = directory.readUInt32LE(offset + field);
    return number === max32 ? (large.shift() ?? number) : number;
  };
  const bytes = readNumber(24);
  const packedBytes = readNumber(20);
  return {
    path,
    bytes,
    packedBytes,
    crc32: directory.readUInt32LE(offset + 16),
    isDeflated: method === deflatedMethod,
    headerOffset: readNumber(42),
  };
}

function readLargeNumbers(extra: Buffer): number[] {
  for (let offset = 0; offset + 4 <= extra.length; offset += 4 + extra.readUInt16LE(offset + 2)) {
    if (extra.readUInt16LE(offset) !== largeFieldId) continue;
    const count = Math.floor(extra.readUInt16LE(offset + 2) / 8);
    return Array.from({ length: count }, (_, index) =>
      Number(extra.readBigUInt64LE(offset + 4 + 8 * index)),
    );
  }
  return [];
}

/** A file of a bundle, as the archive's directory describes it. */
export type BundleEntry = Omit<ZipEntry, "headerAt">;

/** A zip archive on this machine, whose files are read by position. */
export interface OpenBundle {
  /** The files by their paths. */
  readonly entries: ReadonlyMap<string, BundleEntry>;
  /** Streams the content, or a range of it. A deflated entry that is larger than declared makes the stream fail. */
  read(entry: BundleEntry, range?: ByteRange): Readable;
  /** Reads the whole content into memory. */
  readWhole(entry: BundleEntry): Promise<Buffer>;
  /** Streams the content of a deflated entry as gzip, without inflating it. `getGzipSize` returns the number of bytes. */
  readGzip(entry: BundleEntry): Readable;
  /** Closes the file once all streams have ended. */
  close(): void;
}

const gzipHeader = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
const gzipTrailerBytes = 8;
const localHeaderBytes = 30;
const localHeaderSignature = 0x04034b50;
/** The maximum size of content that is read in one piece. */
const maxReadBytes = 256 * 1024;

/** Returns the number of bytes that `readGzip` streams. */
export function getGzipSize({ packedBytes }: BundleEntry): number {
  return gzipHeader.length + packedBytes + gzipTrailerBytes;
}

function createGzipTrailer({ crc32, bytes }: BundleEntry): Buffer {
  const trailer = Buffer.alloc(gzipTrailerBytes);
  trailer.writeUInt32LE(crc32, 0);
  trailer.writeUInt32LE(bytes % 2 ** 32, 4);
  return trailer;
}

/** Opens the zip archive at `path` and reads its directory. Throws `unavailable` if the archive is corrupt. */
export async function openBundle(path: string): Promise<OpenBundle> {
  const handle = await open(path);
  try {
    const { size } = await handle.stat();
    return createOpenBundle(handle, await readZipDirectory(handle, size));
  } catch (cause) {
    await handle.close();
    throw new OctavoError("unavailable", "The bundle's archive cannot be read.", { cause });
  }
}

function createOpenBundle(handle: FileHandle, entries: ReadonlyMap<string, ZipEntry>): OpenBundle {
  const contentStarts = new Map<string, number>();
  let readers = 0;
  let isClosing = false;

  const closeIfUnused = () => {
    // The archive was only read, so a failure to close it loses no data.
    if (isClosing && readers === 0) handle.close().catch(() => undefined);
  };

  async function readExactly(position: number, length: number): Promise<Buffer> {
    const { buffer: bytes, bytesRead } = await handle.read({
      buffer: Buffer.allocUnsafe(length),
      position,
    });
    if (bytesRead < length) throw new Error("The archive ends too early.");
    return bytes;
  }

  /** Finds the start of the content: after the entry's own header, which may differ from the directory. */
  async function findStart({ path }: BundleEntry): Promise<number> {
    const knownStart = contentStarts.get(path);
    if (knownStart !== undefined) return knownStart;
    const entry = entries.get(path);
    if (!entry) throw new Error("The entry belongs to another bundle.");
    const header = await readExactly(entry.headerOffset, localHeaderBytes);
    if (header.readUInt32LE(0) !== localHeaderSignature) throw new Error("An entry has no header.");
    const namesLength = header.readUInt16LE(26) + header.readUInt16LE(28);
    const start = entry.headerOffset + localHeaderBytes + namesLength;
    contentStarts.set(path, start);
    return start;
  }

  /** Yields stored bytes from `from` up to, but not including, `to`. */
  async function* readStored(entry: BundleEntry, from: number, to: number): AsyncGenerator<Buffer> {
    const start = await findStart(entry);
    for (let offset = from; offset < to; offset += maxReadBytes) {
      yield await readExactly(start + offset, Math.min(maxReadBytes, to - offset));
    }
  }

  async function* readAsGzip(entry: BundleEntry): AsyncGenerator<Buffer> {
    yield gzipHeader;
    yield* readStored(entry, 0, entry.packedBytes);
    yield createGzipTrailer(entry);
  }

  async function* trackReader(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    readers += 1;
    try {
      yield* chunks;
    } finally {
      readers -= 1;
      closeIfUnused();
    }
  }

  return {
    entries,
    read(entry, range = { start: 0, end: entry.bytes - 1 }) {
      const content = entry.isDeflated
        ? readDeflated(entry, range, readStored(entry, 0, entry.packedBytes))
        : readStored(entry, range.start, range.end + 1);
      return Readable.from(trackReader(content), { objectMode: false });
    },
    async readWhole(entry) {
      readers += 1;
      try {
        const packed = await readExactly(await findStart(entry), entry.packedBytes);
        return entry.isDeflated ? await decompressWhole(packed, entry) : packed;
      } finally {
        readers -= 1;
        closeIfUnused();
      }
    },
    readGzip: (entry) => Readable.from(trackReader(readAsGzip(entry)), { objectMode: false }),
    close() {
      isClosing = true;
      closeIfUnused();
    },
  };
}

/** Yields a range of deflated content. Throws if the content's size differs from the size that the entry declares. */
async function* readDeflated(
  { bytes }: BundleEntry,
  { start, end }: ByteRange,
  packed: AsyncIterable<Buffer>,
): AsyncGenerator<Buffer> {
  let offset = 0;
  for await (const chunk of decompressChunks(packed)) {
    const part = chunk.subarray(Math.max(0, start - offset), Math.max(0, end + 1 - offset));
    offset += chunk.length;
    if (offset > bytes) break;
    if (part.length > 0) yield part;
    if (offset > end && end < bytes - 1) return;
  }
  if (offset !== bytes) throw new Error("The content of an entry does not have the declared size.");
}

/** Inflates chunk by chunk. Ending the iteration early closes all streams. */
async function* decompressChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(chunks, { objectMode: false });
  const inflater = createInflateRaw();
  source.on("error", (error) => inflater.destroy(error));
  try {
    yield* source.pipe(inflater) as AsyncIterable<Buffer>;
  } finally {
    source.destroy();
    inflater.destroy();
  }
}

const inflateWhole = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);

async function decompressWhole(packed: Buffer, { bytes }: BundleEntry): Promise<Buffer> {
  const content = await inflateWhole(packed, { maxOutputLength: Math.max(bytes, 1) });
  if (content.length !== bytes) {
    throw new Error("The content of an entry does not have the declared size.");
  }
  return content;
}

/** Reads a whole entry. Throws `too_large` if it is larger than `maxBytes`. */
export async function readEntry(
  bundle: OpenBundle,
  entry: BundleEntry,
  maxBytes: number,
): Promise<Buffer> {
  if (entry.bytes > maxBytes) throw new OctavoError("too_large", `${entry.path} is too large.`);
  return await bundle.readWhole(entry);
}
