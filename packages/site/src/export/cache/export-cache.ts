import { join } from "node:path";
import { createMediaCache } from "../media/media-cache.ts";
import type { MediaCache } from "../media/media-cache.ts";
import type { SearchIndexCache } from "../../search/index.ts";
import type { SourceIndex } from "../source/source-index.ts";
import { createSourceIndexCache } from "../source/source-index-cache.ts";
import { createFolderCache } from "./folder-cache.ts";
import type { FolderCache } from "./folder-cache.ts";
import type { KnownLinks } from "./known-links.ts";
import { createManifestCache } from "./manifest-cache.ts";
import type { ManifestCache } from "./manifest-cache.ts";
import { openPageCache } from "./page-cache.ts";
import type { PageCache } from "./page-cache.ts";
import { rendererVersion } from "./renderer-version.ts";
import { createSearchIndexCache } from "./search-index-cache.ts";

/**
 * What exports leave for the next one. All of it can be lost or damaged at any time, and processes may share it:
 * the bundle is the same without it.
 */
export interface ExportCache extends Disposable {
  readonly version: string;
  /** Rendered pages and compressed blocks. This and the next are undefined if the export is repeated because something was damaged. */
  readonly pages: PageCache | undefined;
  /** Files of other hosts. */
  readonly media: MediaCache;
  /** The source index of each site, by its folder. */
  readonly sources: FolderCache<SourceIndex>;
  /** What is known about the links of each site, by its folder. */
  readonly links: FolderCache<KnownLinks>;
  /** The manifest of each bundle, by its folder. */
  readonly manifests: ManifestCache;
  readonly searchIndexes: SearchIndexCache | undefined;
}

export function openExportCache(cacheDir: string): ExportCache {
  const version = rendererVersion();
  const pages = openPageCache(cacheDir, version);
  const searchIndexes = createSearchIndexCache(join(cacheDir, "search"), version);
  return {
    version,
    pages,
    media: createMediaCache(join(cacheDir, "media")),
    sources: createSourceIndexCache(join(cacheDir, "sources"), version),
    links: createFolderCache(join(cacheDir, "links"), version),
    manifests: createManifestCache(cacheDir, version),
    searchIndexes,
    [Symbol.dispose]() {
      searchIndexes[Symbol.dispose]();
      pages[Symbol.dispose]();
    },
  };
}
