import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import { buffer } from "node:stream/consumers";
import { callbackify } from "node:util";
import { OctavoError, isOctavoError } from "@octavo/site/core";
import { RandomAccessReader, fromRandomAccessReaderPromise } from "yauzl";
import type { Entry } from "yauzl";
import type { ByteRange, Storage } from "../storage/index.ts";
import { extract } from "./tar-stream.bundled.ts";

/** A bundle's archive in the storage. Its key always names the same bytes. */
export interface StoredArchive {
  readonly key: string;
  readonly format: "tar.gz" | "zip";
  readonly bytes: number;
}

/** A file in an archive. */
interface ArchiveEntry {
  /** The unchanged path from the archive. Validate it before you use it as a path. */
  readonly path: string;
  /** The declared size. Reading throws if the content has a different size. */
  readonly bytes: number;
  /**
   * Opens the content. In a zip archive, contents can be read at any time and in any order. In a tar.gz archive, the
   * content must be read or skipped before the next file is requested.
   */
  open(): Promise<AsyncIterable<Uint8Array>>;
}

/**
 * Yields the files of a stored bundle in the archive's order. Ending the iteration early closes all streams. Iterating
 * and reading throw `not_found` if the archive is missing, and `unavailable` if it is corrupt.
 */
export async function* readArchive(
  storage: Pick<Storage, "read">,
  { key, format, bytes }: StoredArchive,
): AsyncGenerator<ArchiveEntry> {
  for await (const entry of translateErrors(readAllEntries(storage, { key, format, bytes }))) {
    if (entry.type !== "file") continue;
    yield { ...entry, open: async () => translateErrors(await entry.open()) };
  }
}

/** An entry of an archive that another program may have created. It is not always a file. */
interface TypedEntry extends ArchiveEntry {
  /** `other` is a link, a device or another special entry. */
  readonly type: "file" | "folder" | "other";
}

/**
 * Yields all entries of an archive in its order. Iterating and reading throw the archive readers' errors if the archive
 * is corrupt.
 */
export function readAllEntries(
  storage: Pick<Storage, "read">,
  { key, format, bytes }: StoredArchive,
): AsyncGenerator<TypedEntry> {
  return format === "zip" ? readZip(storage, key, bytes) : readTarGz(storage, key);
}

async function* readTarGz(storage: Pick<Storage, "read">, key: string): AsyncGenerator<TypedEntry> {
  const source = await storage.read(key);
  const archive = extract();
  const reading = pipeline(source, createGunzip(), archive);
  // Errors need no handling here, because the iteration also receives them. A reader that stops
  // early destroys the archive, which also causes an error.
  reading.catch(() => undefined);
  try {
    for await (const entry of archive) {
      const { name, size, type } = entry.header;
      yield {
        path: name,
        bytes: size,
        type: tarTypes[type ?? ""] ?? "other",
        open: async () => Readable.from(entry),
      };
      entry.resume();
    }
  } finally {
    archive.destroy();
    source.destroy();
  }
}

const tarTypes: Readonly<Record<string, TypedEntry["type"]>> = {
  file: "file",
  "contiguous-file": "file",
  directory: "folder",
};

/** Yields the items and passes on the storage's errors. Any other error means that the archive is corrupt. */
async function* translateErrors<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (cause) {
    if (isOctavoError(cause)) throw cause;
    const message = "The bundle's archive cannot be read here. Download it instead.";
    throw new OctavoError("unavailable", message, { cause });
  }
}

/** The number of bytes per read. The archive reader requests each directory entry separately, in two parts. */
const windowBytes = 64 * 1024;
/** The maximum number of windows: one for the directory and one for the files. */
const maxWindows = 2;

/** Yields the entries of a zip archive. A file is read only when it is opened. Throws if the archive is corrupt. */
async function* readZip(
  storage: Pick<Storage, "read">,
  key: string,
  archiveBytes: number,
): AsyncGenerator<TypedEntry> {
  const reader = new StoredReader(archiveBytes, (range) => storage.read(key, range));
  const archive = await fromRandomAccessReaderPromise(reader, archiveBytes, {
    // The archive must not be closed automatically, because files may be opened after the directory was read.
    autoClose: false,
  });
  for await (const entry of archive.eachEntry()) {
    yield {
      path: entry.fileName,
      bytes: entry.uncompressedSize,
      type: getZipType(entry),
      open: () => archive.openReadStreamPromise(entry),
    };
  }
}

/** Bits of a Unix file's mode that hold its type. */
const typeBits = 0o170_000;
const fileType = 0o100_000;

function getZipType({ fileName, externalFileAttributes }: Entry): TypedEntry["type"] {
  if (fileName.endsWith("/")) return "folder";
  // Archives that were not made on Unix have no mode.
  const type = (externalFileAttributes >>> 16) & typeBits;
  return type === 0 || type === fileType ? "file" : "other";
}

type ReadRange = (range: ByteRange) => Promise<Readable>;

interface CachedWindow {
  readonly start: number;
  readonly bytes: Buffer;
}

class StoredReader extends RandomAccessReader {
  readonly #archiveBytes: number;
  readonly #readRange: ReadRange;
  /** The windows, most recently used first. */
  #windows: readonly CachedWindow[] = [];

  constructor(archiveBytes: number, readRange: ReadRange) {
    super();
    this.#archiveBytes = archiveBytes;
    this.#readRange = readRange;
  }

  override _readStreamForRange(start: number, end: number): Readable {
    return Readable.from(readAll(this.#readRange, { start, end: end - 1 }), { objectMode: false });
  }

  override read(
    ...[target, offset, length, position, callback]: Parameters<RandomAccessReader["read"]>
  ): void {
    callbackify(async () => (await this.#readBytes(position, length)).copy(target, offset))(
      callback,
    );
  }

  async #readBytes(position: number, length: number): Promise<Buffer> {
    const isWithin = ({ start, bytes }: CachedWindow) =>
      position >= start && position + length <= start + bytes.length;
    const window = this.#windows.find(isWithin) ?? (await this.#readWindow(position, length));
    const others = this.#windows.filter((other) => other !== window);
    this.#windows = [window, ...others].slice(0, maxWindows);
    const offset = position - window.start;
    return window.bytes.subarray(offset, offset + length);
  }

  async #readWindow(start: number, length: number): Promise<CachedWindow> {
    const end = Math.min(start + Math.max(length, windowBytes), this.#archiveBytes);
    const bytes = await buffer(await this.#readRange({ start, end: end - 1 }));
    if (bytes.length < length) throw new Error("The archive ends too early.");
    return { start, bytes };
  }
}

async function* readAll(readRange: ReadRange, range: ByteRange): AsyncGenerator<Buffer> {
  yield* await readRange(range);
}
