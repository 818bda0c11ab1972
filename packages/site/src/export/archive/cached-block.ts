import { sha256 } from "../../core/index.ts";
import type { ArchiveBlock, BlockCache } from "./block-cache.ts";

/** Larger blocks are not cached: most of them are of pictures, which are packed as fast as they are read. */
export const maxCachedBytes = 4 * 1024 * 1024;

/** Where a block is cached; undefined for one that is not. */
export interface CachePlace {
  readonly cache: BlockCache;
  readonly key: string;
}

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
