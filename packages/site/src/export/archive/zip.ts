import { extname } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { promisify } from "node:util";
import { crc32, deflateRaw, deflateRawSync } from "node:zlib";
import { packItems } from "./archive-items.ts";
import type { BlockFormat, PackedBlock } from "./archive-items.ts";
import type { BlockCache } from "./blocks.ts";
import { joinCrc, deflateEnd, type PackedPart } from "./deflate.ts";
import { createChangedError, deflatePieces } from "./long-file.ts";
import type { LongFile } from "./long-file.ts";
import { compression } from "./packed-file.ts";
import type { PackedFile } from "./packed-file.ts";
import {
  encodeEndOfDirectory,
  encodeCentralHeader,
  encodeLocalHeader,
  countLocalHeader,
  compressionMethods,
} from "./zip-records.ts";
import type { ZipEntry } from "./zip-records.ts";

/** Extensions of formats that are already compressed; deflating them again costs time and gains nothing. */
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
 * Groups of files are packed with their headers, which do not contain their position in the archive: a group that is
 * the same as in another archive has the same bytes, which are taken from the cache.
 */
export async function* packZip(
  files: readonly PackedFile[],
  cache?: BlockCache,
): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  const addEntry = (entry: ZipEntry) => {
    directory.push(encodeCentralHeader(entry, offset));
    offset += countLocalHeader(entry) + entry.compressedBytes;
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

/** Bytes to compress before other tasks get to run. */
const maxTurnBytes = 256 * 1024;
/** Number of facts for each file in a block: the numbers of its entry. */
const factsOfFile = 3;

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
    const own = facts.slice(at * factsOfFile, (at + 1) * factsOfFile);
    const [crc = 0, bytes = 0, compressedBytes = 0] = own;
    return { path, method: getMethod(path), crc, bytes, compressedBytes };
  });
}

function getMethod(path: string): ZipEntry["method"] {
  return storedExtensions.has(extname(path).toLowerCase())
    ? compressionMethods.store
    : compressionMethods.deflate;
}

/** Compressing a smaller file takes less time than passing it to a thread and back. */
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
