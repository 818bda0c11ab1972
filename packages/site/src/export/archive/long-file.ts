import { open, stat } from "node:fs/promises";
import { setImmediate as nextTurn } from "node:timers/promises";
import { matchesFileStat, OctavoError } from "../../core/index.ts";
import type { FilePart, FileStat } from "../../core/index.ts";
import {
  cacheBlock,
  createCacheLocation,
  findBlock,
  maxCachedBytes,
  groupByName,
  type BlockCache,
  type CacheLocation,
} from "./blocks.ts";
import { deflate, unpackBlock, packBlock } from "./deflate.ts";
import type { PackedPart } from "./deflate.ts";
import type { PackedFile } from "./packed-file.ts";

/** A file that is packed in pieces, so that it is never in memory or recompressed as a whole. */
export interface LongFile {
  /** Path in the archive. */
  readonly path: string;
  readonly pieces: readonly Piece[];
  /** Throws `conflict` if the file has changed since it was opened; bytes already read may then mix both states. */
  checkUnchanged(): Promise<void>;
}

interface Piece {
  readonly place: CacheLocation | undefined;
  /** Number of bytes, if known without reading them. */
  readonly bytes: number | undefined;
  /** Reads the piece. May be called repeatedly. Throws `conflict` if the file has become shorter. */
  read(): Promise<Uint8Array>;
}

const sliceBytes = 1024 * 1024;

/** Opens a file that consists of many parts, each of which is in memory or can be regenerated. */
export function openParts(
  path: string,
  parts: readonly FilePart[],
  cache: BlockCache | undefined,
): LongFile {
  const groups = groupByName(parts, { nameOf: ({ name }) => name });
  const pieces = groups.map((group): Piece => {
    const names = group.map(({ name }) => name);
    const fingerprints = group.map(({ fingerprint }) => fingerprint);
    const place = createCacheLocation(cache, "deflated parts", { names, fingerprints });
    const [, bytes] = place?.cache.factsOf(place.key) ?? [];
    return {
      place,
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
export function openContent(
  name: LongFileName,
  content: Uint8Array,
  cache: BlockCache | undefined,
): LongFile {
  const { length } = content;
  cacheBlock(createLengthLocation(name, cache), { content: new Uint8Array(), facts: [length] });
  return contentFile(name, { bytes: length, make: () => content, cache });
}

/**
 * Opens a file that `openContent` opened in an earlier export. Generates its content only if one of its pieces is no
 * longer cached. Returns undefined if its length is not cached.
 */
export function reopenContent(
  name: LongFileName,
  make: () => Uint8Array,
  cache: BlockCache | undefined,
): LongFile | undefined {
  const place = createLengthLocation(name, cache);
  const [bytes] = place?.cache.factsOf(place.key) ?? [];
  if (bytes === undefined) return undefined;
  let made: Uint8Array | undefined;
  return contentFile(name, { bytes, make: () => (made ??= make()), cache });
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

function contentFile(name: LongFileName, { bytes, make, cache }: LongContent): LongFile {
  const read = async (start: number, length: number) => make().subarray(start, start + length);
  const pieces = sliceFile(name, { bytes, read, cache });
  return { path: name.path, pieces, checkUnchanged: async () => {} };
}

/** Opens a file on disk, which must still match this stat. */
export function openFile(
  name: LongFileName,
  { source, stat: opened }: { readonly source: string; readonly stat: FileStat },
  cache: BlockCache | undefined,
): LongFile {
  const [bytes] = opened;
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
      if (!matchesFileStat(await stat(source), opened)) throw createChangedError(name.path);
    },
  };
}

interface Sliced {
  readonly bytes: number;
  readonly read: (start: number, length: number) => Promise<Uint8Array>;
  readonly cache: BlockCache | undefined;
}

function sliceFile({ path, fingerprint }: LongFileName, { bytes, read, cache }: Sliced): Piece[] {
  return Array.from({ length: Math.ceil(bytes / sliceBytes) }, (_, number) => {
    const start = number * sliceBytes;
    const length = Math.min(sliceBytes, bytes - start);
    const about = { names: [path, String(number)], fingerprints: [fingerprint] };
    return {
      place: createCacheLocation(cache, "deflated slice", about),
      bytes: length,
      read: () => read(start, length),
    };
  });
}

export function createChangedError(path: string): OctavoError {
  return new OctavoError("conflict", `${path} changed while it was packed. Export again.`);
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
    const block = findBlock(piece.place);
    if (block) {
      yield unpackBlock(block);
      continue;
    }
    const deflated = await deflate([await piece.read()]);
    cacheBlock(piece.place, packBlock(deflated));
    yield deflated;
  }
}
