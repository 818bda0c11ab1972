import { join } from "node:path";
import { sha256 } from "../../core/index.ts";
import type { CachedIndex, SearchIndexCache } from "../../search/index.ts";
import { readCachedValue, writeCachedValue } from "./value-file.ts";

/** `version` is the renderer's: other versions make other files of the same pages. */
export function createSearchIndexCache(dir: string, version: string): SearchIndexCache {
  const fileOf = (name: string) => join(dir, sha256(name).slice(0, 32));
  return {
    read: (name) => readCachedValue(fileOf(name), version) as CachedIndex | undefined,
    write: (name, index) => writeCachedValue(fileOf(name), version, index),
  };
}
