import { extname } from "node:path";
import { promisify } from "node:util";
import { crc32, deflateRaw, deflateRawSync } from "node:zlib";
import { archiveItems } from "./archive-items.ts";
import type { BlockFormat, PackedBlock } from "./archive-items.ts";
import type { BlockCache } from "./block-cache.ts";
import { joinCrc } from "./crc.ts";
import { deflateEnd } from "./deflate.ts";
import type { PackedPart } from "./deflate.ts";
import { changed, deflatePieces } from "./long-file.ts";
import type { LongFile } from "./long-file.ts";
import { compressionLevel } from "./packed-file.ts";
import type { PackedFile } from "./packed-file.ts";
import {
  directoryEnd,
  directoryEntry,
  fileHeader,
  fileHeaderBytes,
  methods,
} from "./zip-records.ts";
import type { ZipEntry } from "./zip-records.ts";

/** Compressed by their own format; deflating them again costs time and gains nothing. */
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
 * The bytes of a `.zip` of `files`, in their order. Ending the iteration early closes everything.
 *
 * Groups of files are packed with their headers, which do not say where in the archive they are: a group that is the
 * same as in another archive has the same bytes, which are taken from the cache.
 */
export async function* zip(
  files: readonly PackedFile[],
  cache?: BlockCache,
): AsyncGenerator<Uint8Array> {
  const directory: Buffer[] = [];
  let offset = 0;
  const list = (entry: ZipEntry) => {
    directory.push(directoryEntry(entry, offset));
    offset += fileHeaderBytes(entry) + entry.compressedBytes;
  };
  for await (const item of archiveItems(files, format, cache)) {
    if ("block" in item) {
      yield item.block.content;
      for (const entry of entriesOf(item)) list(entry);
    } else {
      const entry = await describeLongFile(item, cache);
      yield fileHeader(entry);
      yield* packLongFile(item, { entry, cache });
      list(entry);
    }
  }
  const bytes = Buffer.concat(directory);
  yield bytes;
  yield directoryEnd({ entries: directory.length, bytes: bytes.length, offset });
}

/** A file in a block has this many facts: what its entry says in numbers. */
const factsOfFile = 3;

const format: BlockFormat = {
  name: "zip",
  async pack(files) {
    const pieces: Uint8Array[] = [];
    const facts: number[] = [];
    for (const { path, content } of files) {
      const method = methodOf(path);
      const packed = method === methods.store ? content : await compress(content);
      const numbers = {
        crc: crc32(content),
        bytes: content.length,
        compressedBytes: packed.length,
      };
      pieces.push(fileHeader({ path, method, ...numbers }), packed);
      facts.push(numbers.crc, numbers.bytes, numbers.compressedBytes);
    }
    return { content: Buffer.concat(pieces), facts };
  },
};

function entriesOf({ files, block: { facts } }: PackedBlock): ZipEntry[] {
  return files.map(({ path }, at) => {
    const own = facts.slice(at * factsOfFile, (at + 1) * factsOfFile);
    const [crc = 0, bytes = 0, compressedBytes = 0] = own;
    return { path, method: methodOf(path), crc, bytes, compressedBytes };
  });
}

function methodOf(path: string): ZipEntry["method"] {
  return storedExtensions.has(extname(path).toLowerCase()) ? methods.store : methods.deflate;
}

const options = { level: compressionLevel, memLevel: 9 };
/** Smaller files are compressed in less than it takes to hand them to a thread and back. */
const minThreadBytes = 128 * 1024;
const compressInThread = promisify(deflateRaw);

async function compress(content: Uint8Array): Promise<Uint8Array> {
  if (content.length < minThreadBytes) return deflateRawSync(content, options);
  return await compressInThread(content, options);
}

/** Reads the file to learn what its header has to say; `packLongFile` reads it again. */
async function describeLongFile(file: LongFile, cache: BlockCache | undefined): Promise<ZipEntry> {
  const { path } = file;
  const method = methodOf(path);
  let [crc, bytes, compressedBytes] = [0, 0, method === methods.deflate ? deflateEnd.length : 0];
  for await (const piece of piecesOf(file, { method, cache })) {
    crc = joinCrc(crc, piece.crc, piece.bytes);
    bytes += piece.bytes;
    compressedBytes += piece.packed.length;
  }
  return { path, method, crc, bytes, compressedBytes };
}

/** Throws if the file is not what its entry says. */
async function* packLongFile(
  file: LongFile,
  { entry, cache }: { readonly entry: ZipEntry; readonly cache: BlockCache | undefined },
): AsyncGenerator<Uint8Array> {
  let crc = 0;
  for await (const piece of piecesOf(file, { method: entry.method, cache })) {
    yield piece.packed;
    crc = joinCrc(crc, piece.crc, piece.bytes);
  }
  if (crc !== entry.crc) throw changed(file.path);
  if (entry.method === methods.deflate) yield deflateEnd;
}

async function* piecesOf(
  file: LongFile,
  {
    method,
    cache,
  }: { readonly method: ZipEntry["method"]; readonly cache: BlockCache | undefined },
): AsyncGenerator<PackedPart> {
  if (method === methods.deflate) yield* deflatePieces(file, cache);
  else yield* storedPieces(file);
}

async function* storedPieces({ pieces }: LongFile): AsyncGenerator<PackedPart> {
  for (const piece of pieces) {
    const packed = await piece.read();
    yield { packed, crc: crc32(packed), bytes: packed.length };
  }
}
