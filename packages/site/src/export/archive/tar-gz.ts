import { createReadStream } from "node:fs";
import { readFile, stat } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { constants, crc32, createDeflateRaw } from "node:zlib";
import { sha256 } from "../../core/index.ts";
import type { FilePart } from "../../core/index.ts";
import { joinCrc } from "./crc.ts";
import type { ArchiveBlock, BlockCache } from "./block-cache.ts";
import { compressionLevel, entryMode, entryYear } from "./packed-file.ts";
import type { PackedFile } from "./packed-file.ts";
import { pack } from "./tar-stream.bundled.ts";
import type { Pack } from "./tar-stream.bundled.ts";

/** Files up to this size are read whole: one read and no stream for each of thousands of pages. */
const wholeBytes = 1024 * 1024;
/** Bytes compressed in one call: each call goes to a thread and back, which costs as much as compressing a few KB. */
const pieceBytes = 256 * 1024;
/** One path in so many ends a group. On 3,400 pages the groups make the archive 1 % larger. */
const meanGroupLength = 32;
const maxGroupLength = 64;
/** Files of more parts than this are compressed in several blocks. */
const maxPartsTogether = 4_096;
/** Larger blocks are of large files, which would fill the cache. */
const maxCachedBytes = 4 * 1024 * 1024;

/** RFC 1952: deflate, no name and no time, made on an unknown system. */
const gzipHeader = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255);
/** RFC 1951: a last block with nothing in it. */
const deflateEnd = Uint8Array.of(3, 0);
/** Sizes in a tar are multiples of this. */
const tarBlockBytes = 512;
/** How a tar ends. */
const tarEnd = new Uint8Array(1024);

/**
 * The bytes of a `.tar.gz` of `files`, in their order. Ending the iteration early closes everything.
 *
 * It is one gzip stream in which groups of files are compressed independently. Paths alone decide where a group ends,
 * so a group that is the same as in another archive has the same compressed bytes, which are taken from the cache.
 */
export async function* tarGz(
  files: readonly PackedFile[],
  cache?: BlockCache,
): AsyncGenerator<Uint8Array> {
  yield gzipHeader;
  let crc = 0;
  let bytes = 0;
  for (const group of groupsOf(files)) {
    for await (const block of blocksOf(group, cache)) {
      yield block.compressed;
      crc = joinCrc(crc, block.crc, block.bytes);
      bytes += block.bytes;
    }
  }
  const end = await compress([tarEnd]);
  yield end.compressed;
  yield deflateEnd;
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(joinCrc(crc, end.crc, end.bytes));
  trailer.writeUInt32LE((bytes + end.bytes) % 2 ** 32, 4);
  yield trailer;
}

function groupsOf(files: readonly PackedFile[]): PackedFile[][] {
  const groups: PackedFile[][] = [];
  let isComplete = true;
  for (const file of files) {
    const isLong = hasManyParts(file);
    if (isComplete || isLong) groups.push([]);
    const group = groups.at(-1);
    const length = group?.push(file) ?? 0;
    isComplete = isLong || length === maxGroupLength || isEnd(file.path);
  }
  return groups;
}

/** Whether a group ends after what has this name. */
function isEnd(name: string): boolean {
  return crc32(name) % meanGroupLength === 0;
}

/** A file that is compressed in blocks of its own, so that it need not be in memory, or be compressed again, as a whole. */
function hasManyParts({ parts = [] }: PackedFile): boolean {
  return parts.length > maxPartsTogether;
}

async function* blocksOf(
  group: readonly PackedFile[],
  cache: BlockCache | undefined,
): AsyncGenerator<ArchiveBlock> {
  const [file] = group;
  if (file?.parts && hasManyParts(file)) yield* blocksOfParts(file.path, file.parts, cache);
  else yield await blockOf(group, cache);
}

async function* blocksOfParts(
  path: string,
  parts: readonly FilePart[],
  cache: BlockCache | undefined,
): AsyncGenerator<ArchiveBlock> {
  const groups = groupParts(parts);
  let size = 0;
  for (const group of groups) {
    const known = group.key === undefined ? undefined : cache?.bytesOf(group.key);
    size += known ?? group.parts.reduce((sum, part) => sum + part.bytes().length, 0);
  }
  yield await compress([await encodeHeader(path, size)]);
  for (const { key, parts: own } of groups) {
    const cached = findBlock(key, cache);
    const block = cached ?? (await compress(own.map((part) => part.bytes())));
    if (!cached) keepBlock(key, block, cache);
    yield block;
  }
  const padding = (tarBlockBytes - (size % tarBlockBytes)) % tarBlockBytes;
  yield await compress([new Uint8Array(padding)]);
}

interface PartGroup {
  readonly parts: readonly FilePart[];
  /** Undefined if one of the parts has no fingerprint. */
  readonly key: string | undefined;
}

function groupParts(parts: readonly FilePart[]): PartGroup[] {
  const groups: FilePart[][] = [];
  let isComplete = true;
  for (const part of parts) {
    if (isComplete) groups.push([]);
    const length = groups.at(-1)?.push(part) ?? 0;
    isComplete = length === maxGroupLength || isEnd(part.fingerprint ?? "");
  }
  return groups.map((own) => {
    const about = own.flatMap(({ fingerprint = [] }) => fingerprint);
    const key = about.length < own.length ? undefined : keyOfBlock(["parts", ...about]);
    return { parts: own, key };
  });
}

async function encodeHeader(path: string, size: number): Promise<Uint8Array> {
  const archive = pack();
  // Its content is never written: that the entry ends early is no error.
  archive.entry(headerOf(path, size)).on("error", () => undefined);
  try {
    for await (const header of archive as AsyncIterable<Buffer>) return header;
    throw new Error(`The archive has no header for ${path}.`);
  } finally {
    archive.destroy();
  }
}

function findBlock(key: string | undefined, cache: BlockCache | undefined) {
  return key === undefined ? undefined : cache?.get(key);
}

function keepBlock(
  key: string | undefined,
  block: ArchiveBlock,
  cache: BlockCache | undefined,
): void {
  if (key !== undefined && block.compressed.length <= maxCachedBytes) cache?.put(key, block);
}

async function blockOf(
  group: readonly PackedFile[],
  cache: BlockCache | undefined,
): Promise<ArchiveBlock> {
  const key = cache && keyOf(group);
  const cached = findBlock(key, cache);
  if (cached) return cached;
  const archive = pack();
  const filling = fill(archive, group);
  // The error reaches the reader below.
  filling.catch((error: Error) => archive.destroy(error));
  try {
    const block = await compress(withoutEnd(archive as AsyncIterable<Buffer>));
    await filling;
    keepBlock(key, block, cache);
    return block;
  } finally {
    archive.destroy();
  }
}

/** Undefined if one of the files has no fingerprint. */
function keyOf(group: readonly PackedFile[]): string | undefined {
  const about = group.flatMap(({ path, fingerprint }) =>
    fingerprint === undefined ? [] : [path, fingerprint],
  );
  if (about.length < group.length * 2) return undefined;
  return keyOfBlock(about);
}

function keyOfBlock(about: readonly string[]): string {
  return sha256(JSON.stringify(["tar.gz block", process.versions.zlib, ...about]));
}

/** The pieces without the end of the archive, which belongs only to the last block. */
async function* withoutEnd(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let last: Buffer | undefined;
  for await (const piece of pieces) {
    if (last) yield last;
    last = piece;
  }
  if (last) yield last.subarray(0, -tarEnd.length);
}

async function compress(
  pieces: Iterable<Uint8Array> | AsyncIterable<Uint8Array>,
): Promise<ArchiveBlock> {
  let crc = 0;
  let bytes = 0;
  async function* counted() {
    for await (const piece of inPieces(pieces)) {
      crc = crc32(piece, crc);
      bytes += piece.length;
      yield piece;
    }
  }
  const deflate = createDeflateRaw({
    level: compressionLevel,
    memLevel: 9,
    chunkSize: pieceBytes,
    // Ends at a byte boundary, and later blocks do not refer to earlier ones.
    finishFlush: constants.Z_FULL_FLUSH,
  });
  const chunks: Buffer[] = [];
  await pipeline(counted, deflate, async (compressed: AsyncIterable<Buffer>) => {
    for await (const chunk of compressed) chunks.push(chunk);
  });
  return { compressed: Buffer.concat(chunks), crc, bytes };
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

async function fill(archive: Pack, files: readonly PackedFile[]): Promise<void> {
  for (const file of files) await addFile(archive, file);
  archive.finalize();
}

async function addFile(archive: Pack, { path, source }: PackedFile): Promise<void> {
  if (typeof source !== "string") return await addContent(archive, path, source());
  const { size } = await stat(source);
  if (size <= wholeBytes) return await addContent(archive, path, await readFile(source));
  await pipeline(createReadStream(source), archive.entry(headerOf(path, size)));
}

async function addContent(archive: Pack, path: string, content: Uint8Array): Promise<void> {
  const { buffer, byteOffset, length } = content;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  archive.entry(headerOf(path, length), Buffer.from(buffer, byteOffset, length), (error) =>
    error ? reject(error) : resolve(),
  );
  await promise;
}

const modified = new Date(Date.UTC(entryYear, 0, 1));

function headerOf(path: string, size: number) {
  return { name: path, mode: entryMode, mtime: modified, size };
}
