import { sha256 } from "../../core/index.ts";
import type { ArchiveBlock, BlockCache } from "./block-cache.ts";

/** Larger blocks are of large files, which would fill the cache. */
export const maxCachedBytes = 4 * 1024 * 1024;

/** `kind` says what the block's bytes mean; `about` are paths and fingerprints of all that is in it. */
export function blockKey(kind: string, about: readonly string[]): string {
  return sha256(JSON.stringify([kind, process.versions.zlib, ...about]));
}

/** `key` is undefined for what cannot be cached: one of its files has no fingerprint. */
export function findBlock(
  key: string | undefined,
  cache: BlockCache | undefined,
): ArchiveBlock | undefined {
  return key === undefined ? undefined : cache?.get(key);
}

export function cacheBlock(
  key: string | undefined,
  block: ArchiveBlock,
  cache: BlockCache | undefined,
): void {
  if (key !== undefined && block.content.length <= maxCachedBytes) cache?.put(key, block);
}
