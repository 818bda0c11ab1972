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
 * Reads the directory of an archive in two reads, whereas a general archive reader needs two for each file. Omits
 * folders, and files that are encrypted or packed in an unusual way. Throws if the archive is corrupt.
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
const maxReadAtOnce = 256 * 1024;

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
  const starts = new Map<string, number>();
  let readers = 0;
  let isClosing = false;

  const closeIfUnused = () => {
    // The archive was only read, so closing it cannot lose anything.
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
    const known = starts.get(path);
    if (known !== undefined) return known;
    const entry = entries.get(path);
    if (!entry) throw new Error("The entry belongs to another bundle.");
    const header = await readExactly(entry.headerAt, localHeaderBytes);
    if (header.readUInt32LE(0) !== localHeaderSignature) throw new Error("An entry has no header.");
    const names = header.readUInt16LE(26) + header.readUInt16LE(28);
    const start = entry.headerAt + localHeaderBytes + names;
    starts.set(path, start);
    return start;
  }

  /** Yields stored bytes from `from` up to, but not including, `to`. */
  async function* readStored(entry: BundleEntry, from: number, to: number): AsyncGenerator<Buffer> {
    const start = await findStart(entry);
    for (let at = from; at < to; at += maxReadAtOnce) {
      yield await readExactly(start + at, Math.min(maxReadAtOnce, to - at));
    }
  }

  async function* readAsGzip(entry: BundleEntry): AsyncGenerator<Buffer> {
    yield gzipHeader;
    yield* readStored(entry, 0, entry.packedBytes);
    yield createGzipTrailer(entry);
  }

  async function* count(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
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
      const plain = entry.isDeflated
        ? readDeflated(entry, range, readStored(entry, 0, entry.packedBytes))
        : readStored(entry, range.start, range.end + 1);
      return Readable.from(count(plain), { objectMode: false });
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
    readGzip: (entry) => Readable.from(count(readAsGzip(entry)), { objectMode: false }),
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
  let at = 0;
  for await (const chunk of decompressChunks(packed)) {
    const part = chunk.subarray(Math.max(0, start - at), Math.max(0, end + 1 - at));
    at += chunk.length;
    if (at > bytes) break;
    if (part.length > 0) yield part;
    if (at > end && end < bytes - 1) return;
  }
  if (at !== bytes) throw new Error("The content of an entry does not have the declared size.");
}

/** Inflates chunk by chunk. Ending the iteration early closes all streams. */
async function* decompressChunks(chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  const source = Readable.from(chunks, { objectMode: false });
  const inflating = createInflateRaw();
  source.on("error", (error) => inflating.destroy(error));
  try {
    yield* source.pipe(inflating) as AsyncIterable<Buffer>;
  } finally {
    source.destroy();
    inflating.destroy();
  }
}

const inflateAtOnce = promisify<Buffer, ZlibOptions, Buffer>(inflateRaw);

async function decompressWhole(packed: Buffer, { bytes }: BundleEntry): Promise<Buffer> {
  const content = await inflateAtOnce(packed, { maxOutputLength: Math.max(bytes, 1) });
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
