import { readFile, stat, open } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { toFileStat, matchesFileStat, OctavoError, sha256 } from "../../core/index.ts";
import type { FilePart, FileStat } from "../../core/index.ts";
import { maxWholeBytes } from "./packed-file.ts";
import type { PackedFile } from "./packed-file.ts";
import { deflate, unpackBlock, packBlock } from "./deflate.ts";
import type { PackedPart, ArchiveBlock } from "./deflate.ts";

/** Packs files that are in memory into one block of an archive format. */
export interface BlockFormat {
  /** Distinguishes this format's cached blocks from those of other formats. */
  readonly name: string;
  pack(files: readonly LoadedFile[]): Promise<ArchiveBlock>;
}

export interface LoadedFile {
  readonly path: string;
  readonly content: Uint8Array;
}

type ArchiveItem = PackedBlock | LongFile;

export interface PackedBlock {
  readonly files: readonly PackedFile[];
  readonly block: ArchiveBlock;
}

/**
 * The maximum number of parts of a file that is packed as a whole. A file with more parts is packed in pieces, most of
 * which can be reused from the cache when one page changes.
 */
const maxPartsTogether = 1_024;

/** The maximum total size of the files in memory at the same time. Groups of pages are about a third as large. */
const maxRunBytes = 8 * 1024 * 1024;

/**
 * Yields the blocks and long files of an archive, in the order of `files`. A block is valid until the next one is
 * requested. Only paths and contents determine how files are grouped; the state of the cache and the location of a file
 * do not.
 */
export async function* packItems(
  files: readonly PackedFile[],
  format: BlockFormat,
  cache: BlockCache | undefined,
): AsyncGenerator<ArchiveItem> {
  const groups = groupByName(files, { nameOf: ({ path }) => path, isAlone: hasManyParts });
  for (const group of groups) {
    const [file] = group;
    if (file?.parts && hasManyParts(file)) {
      yield openParts(file.path, file.parts, cache);
      continue;
    }
    const block = findBlock(findCacheLocation(group, format, cache));
    if (block) yield { files: group, block };
    else yield* packGroup(group, format, cache);
  }
}

function hasManyParts({ parts = [] }: PackedFile): boolean {
  return parts.length > maxPartsTogether;
}

/** Packs a group of files. The group is split at long files and whenever it reaches `maxRunBytes`. */
async function* packGroup(
  group: readonly PackedFile[],
  format: BlockFormat,
  cache: BlockCache | undefined,
): AsyncGenerator<ArchiveItem> {
  let run: ShortFile[] = [];
  let bytes = 0;
  for (const file of group) {
    const measuredFile = await measure(file, cache);
    const isLong = "pieces" in measuredFile;
    if (run.length > 0 && (isLong || bytes + measuredFile.bytes > maxRunBytes)) {
      yield await packRun(run, format, cache);
      [run, bytes] = [[], 0];
    }
    if (isLong) {
      yield measuredFile;
      continue;
    }
    run.push(measuredFile);
    bytes += measuredFile.bytes;
  }
  if (run.length > 0) yield await packRun(run, format, cache);
}

interface ShortFile {
  readonly file: PackedFile;
  readonly bytes: number;
  readonly load: () => Uint8Array | Promise<Uint8Array>;
}

async function measure(
  file: PackedFile,
  cache: BlockCache | undefined,
): Promise<ShortFile | LongFile> {
  const { source } = file;
  if (typeof source !== "string") {
    const reopened = reopenContent(file, source, cache);
    if (reopened) return reopened;
    const content = source();
    const bytes = content.length;
    return bytes > maxWholeBytes
      ? openContent(file, content, cache)
      : { file, bytes, load: () => content };
  }
  const stats = await stat(source);
  return stats.size > maxWholeBytes
    ? openFile(file, { source, stat: toFileStat(stats) }, cache)
    : { file, bytes: stats.size, load: () => readFile(source) };
}

async function packRun(
  run: readonly ShortFile[],
  format: BlockFormat,
  cache: BlockCache | undefined,
): Promise<PackedBlock> {
  const files = run.map(({ file }) => file);
  const location = findCacheLocation(files, format, cache);
  const cached = findBlock(location);
  if (cached) return { files, block: cached };
  const loadedFiles: LoadedFile[] = [];
  for (const { file, load } of run) loadedFiles.push({ path: file.path, content: await load() });
  const block = await format.pack(loadedFiles);
  cacheBlock(location, block);
  return { files, block };
}

function findCacheLocation(
  files: readonly PackedFile[],
  { name }: BlockFormat,
  cache: BlockCache | undefined,
): CacheLocation | undefined {
  if (!cache) return undefined;
  const names = files.map(({ path }) => path);
  const fingerprints = files.map(({ fingerprint }) => fingerprint);
  return createCacheLocation(cache, name, { names, fingerprints });
}

/** A file that is packed in pieces, so that it is never in memory or recompressed as a whole. */
export interface LongFile {
  /** The path in the archive. */
  readonly path: string;
  readonly pieces: readonly Piece[];
  /**
   * Throws `conflict` if the file has changed since it was opened; the bytes that were already read may then be a mix
   * of both states.
   */
  checkUnchanged(): Promise<void>;
}

interface Piece {
  readonly location: CacheLocation | undefined;
  /** The number of bytes, if it is known without reading them. */
  readonly bytes: number | undefined;
  /** Reads the piece. May be called repeatedly. Throws `conflict` if the file has become shorter. */
  read(): Promise<Uint8Array>;
}

const sliceBytes = 1024 * 1024;

/** Opens a file that consists of many parts, each of which is in memory or can be regenerated. */
function openParts(
  path: string,
  parts: readonly FilePart[],
  cache: BlockCache | undefined,
): LongFile {
  const groups = groupByName(parts, { nameOf: ({ name }) => name });
  const pieces = groups.map((group): Piece => {
    const names = group.map(({ name }) => name);
    const fingerprints = group.map(({ fingerprint }) => fingerprint);
    const location = createCacheLocation(cache, "deflated parts", { names, fingerprints });
    const [, bytes] = location?.cache.factsOf(location.key) ?? [];
    return {
      location,
      bytes,
      async read() {
        await nextTurn();
        return Buffer.concat(group.map((part) => part.bytes()));
      },
    };
  });
  return { path, pieces, checkUnchanged: async () => {} };
}

/** The names that identify a long file. */
type LongFileName = Pick<PackedFile, "path" | "fingerprint">;

/**
 * Opens a file that the program generated. It is cached regardless of its length, because generating it can cost more
 * than compressing it.
 */
function openContent(
  name: LongFileName,
  content: Uint8Array,
  cache: BlockCache | undefined,
): LongFile {
  const { length } = content;
  cacheBlock(createLengthLocation(name, cache), { content: new Uint8Array(), facts: [length] });
  return buildContentFile(name, { bytes: length, make: () => content, cache });
}

/**
 * Opens a file that was opened by `openContent` in an earlier export. Generates the file's content only if one of its
 * pieces is no longer cached. Returns undefined if its length is not cached.
 */
function reopenContent(
  name: LongFileName,
  make: () => Uint8Array,
  cache: BlockCache | undefined,
): LongFile | undefined {
  const location = createLengthLocation(name, cache);
  const [bytes] = location?.cache.factsOf(location.key) ?? [];
  if (bytes === undefined) return undefined;
  let content: Uint8Array | undefined;
  return buildContentFile(name, { bytes, make: () => (content ??= make()), cache });
}

function createLengthLocation(
  { path, fingerprint }: LongFileName,
  cache: BlockCache | undefined,
): CacheLocation | undefined {
  return createCacheLocation(cache, "length", { names: [path], fingerprints: [fingerprint] });
}

interface LongContent {
  readonly bytes: number;
  readonly make: () => Uint8Array;
  readonly cache: BlockCache | undefined;
}

function buildContentFile(name: LongFileName, { bytes, make, cache }: LongContent): LongFile {
  const read = async (start: number, length: number) => make().subarray(start, start + length);
  const pieces = sliceFile(name, { bytes, read, cache });
  return { path: name.path, pieces, checkUnchanged: async () => {} };
}

/**
 * Opens a file on disk. `stat` is the file's stat at the time of opening; `checkUnchanged` compares the file's current
 * stat with it.
 */
function openFile(
  name: LongFileName,
  { source, stat: openedStat }: { readonly source: string; readonly stat: FileStat },
  cache: BlockCache | undefined,
): LongFile {
  const [bytes] = openedStat;
  const read = async (start: number, length: number) => {
    await using handle = await open(source);
    const content = Buffer.allocUnsafe(length);
    for (let filled = 0; filled < length;) {
      const { bytesRead } = await handle.read(content, filled, length - filled, start + filled);
      if (bytesRead === 0) throw createChangedError(name.path);
      filled += bytesRead;
    }
    return content;
  };
  return {
    path: name.path,
    pieces: sliceFile(name, { bytes, read, cache: bytes > maxCachedBytes ? undefined : cache }),
    async checkUnchanged() {
      if (!matchesFileStat(await stat(source), openedStat)) throw createChangedError(name.path);
    },
  };
}

interface SliceSource {
  readonly bytes: number;
  readonly read: (start: number, length: number) => Promise<Uint8Array>;
  readonly cache: BlockCache | undefined;
}

function sliceFile(
  { path, fingerprint }: LongFileName,
  { bytes, read, cache }: SliceSource,
): Piece[] {
  return Array.from({ length: Math.ceil(bytes / sliceBytes) }, (_, number) => {
    const start = number * sliceBytes;
    const length = Math.min(sliceBytes, bytes - start);
    const input = { names: [path, String(number)], fingerprints: [fingerprint] };
    return {
      location: createCacheLocation(cache, "deflated slice", input),
      bytes: length,
      read: () => read(start, length),
    };
  });
}

export function createChangedError(path: string): OctavoError {
  return new OctavoError("conflict", `${path} changed while it was being packed. Export again.`);
}

/** Returns the number of bytes of the file. */
export async function countBytes({ pieces }: LongFile): Promise<number> {
  let sum = 0;
  for (const piece of pieces) sum += piece.bytes ?? (await piece.read()).length;
  return sum;
}

/** Yields the parts that, joined and followed by `deflateEnd`, form the compressed file. */
export async function* deflatePieces({ pieces }: LongFile): AsyncGenerator<PackedPart> {
  for (const piece of pieces) {
    const block = findBlock(piece.location);
    if (block) {
      yield unpackBlock(block);
      continue;
    }
    const deflated = await deflate([await piece.read()]);
    cacheBlock(piece.location, packBlock(deflated));
    yield deflated;
  }
}

/** Caches blocks by a hash of the input that they are built from. Entries can be lost at any time; no method throws. */
export interface BlockCache {
  /** The version of the packing program: a different version may pack the same input differently. */
  readonly version: string;
  factsOf(key: string): readonly number[] | undefined;
  /** Returns a block whose `content` is valid until the next call. */
  get(key: string): ArchiveBlock | undefined;
  /** Stores a block, which can be read back immediately. */
  put(key: string, block: ArchiveBlock): void;
}

/**
 * The maximum size of a cached block. Larger blocks mostly contain images, which are packed as fast as they are read.
 */
const maxCachedBytes = 4 * 1024 * 1024;

/** The location of a block in a cache. */
interface CacheLocation {
  readonly cache: BlockCache;
  readonly key: string;
}

/** The average number of names in a group. For 3,400 pages, grouping makes a `.tar.gz` file 1 % larger. */
const meanGroupLength = 32;

const maxGroupLength = 64;

/**
 * Returns the cache location of a block. `kind` identifies the type of the block's content; `names` and `fingerprints`
 * identify the input. Returns undefined if there is no cache or a fingerprint is undefined.
 */
function createCacheLocation(
  cache: BlockCache | undefined,
  kind: string,
  {
    names,
    fingerprints,
  }: {
    readonly names: readonly string[];
    readonly fingerprints: readonly (string | undefined)[];
  },
): CacheLocation | undefined {
  if (!cache || fingerprints.includes(undefined)) return undefined;
  const keyParts = [kind, cache.version, process.versions.zlib, names, fingerprints];
  return { cache, key: sha256(JSON.stringify(keyParts)) };
}

function findBlock(location: CacheLocation | undefined): ArchiveBlock | undefined {
  return location?.cache.get(location.key);
}

function cacheBlock(location: CacheLocation | undefined, block: ArchiveBlock): void {
  if (block.content.length <= maxCachedBytes) location?.cache.put(location.key, block);
}

/**
 * Splits items into the groups that are packed together. Group boundaries depend only on names, so most groups stay
 * unchanged when some files change.
 */
export function groupByName<T>(
  items: readonly T[],
  {
    nameOf,
    isAlone = () => false,
  }: { readonly nameOf: (item: T) => string; readonly isAlone?: (item: T) => boolean },
): T[][] {
  const groups: T[][] = [];
  let isComplete = true;
  for (const item of items) {
    const isItemAlone = isAlone(item);
    if (isComplete || isItemAlone) groups.push([]);
    const length = groups.at(-1)?.push(item) ?? 0;
    isComplete =
      isItemAlone || length === maxGroupLength || crc32(nameOf(item)) % meanGroupLength === 0;
  }
  return groups;
}
