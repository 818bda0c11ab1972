import { crc32 } from "node:zlib";
import { sha256 } from "../../core/index.ts";

/** What follows in an archive without referring to anything outside it: some files, or a piece of a long one. */
export interface ArchiveBlock {
  readonly content: Uint8Array;
  /** What the archive's format has to know of the content without reading it. */
  readonly facts: readonly number[];
}

/** Blocks by a hash of what they are made of. Can be lost at any time; no method throws. */
export interface BlockCache {
  /** Of the program that packs: another one may pack the same differently. */
  readonly version: string;
  factsOf(key: string): readonly number[] | undefined;
  /** `content` is valid until the next call. */
  get(key: string): ArchiveBlock | undefined;
  /** Can be found at once. */
  put(key: string, block: ArchiveBlock): void;
}

/** Larger blocks are not cached: most of them are of pictures, which are packed as fast as they are read. */
export const maxCachedBytes = 4 * 1024 * 1024;

/** Where a block is cached; undefined for one that is not. */
export interface CachePlace {
  readonly cache: BlockCache;
  readonly key: string;
}

/** One name in so many ends a group. On 3,400 pages the groups make a `.tar.gz` 1 % larger. */
const meanGroupLength = 32;
const maxGroupLength = 64;

/**
 * `kind` says what the block's bytes mean, `names` and `fingerprints` what they are made of. Undefined if a fingerprint
 * is.
 */
export function cachePlace(
  cache: BlockCache | undefined,
  kind: string,
  {
    names,
    fingerprints,
  }: {
    readonly names: readonly string[];
    readonly fingerprints: readonly (string | undefined)[];
  },
): CachePlace | undefined {
  if (!cache || fingerprints.includes(undefined)) return undefined;
  const about = [kind, cache.version, process.versions.zlib, names, fingerprints];
  return { cache, key: sha256(JSON.stringify(about)) };
}

export function findBlock(place: CachePlace | undefined): ArchiveBlock | undefined {
  return place?.cache.get(place.key);
}

export function cacheBlock(place: CachePlace | undefined, block: ArchiveBlock): void {
  if (block.content.length <= maxCachedBytes) place?.cache.put(place.key, block);
}

/**
 * What is packed together. Names alone determine where a group ends, so that after a change most groups are what they
 * were before.
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
    const isOwn = isAlone(item);
    if (isComplete || isOwn) groups.push([]);
    const length = groups.at(-1)?.push(item) ?? 0;
    isComplete = isOwn || length === maxGroupLength || crc32(nameOf(item)) % meanGroupLength === 0;
  }
  return groups;
}
