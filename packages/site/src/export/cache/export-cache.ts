import { join } from "node:path";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createMediaCache, type MediaCache } from "../media/media-cache.ts";
import type { SearchIndexCache } from "../../search/index.ts";
import { createSourceIndexCache, type SourceIndex } from "../source/source-index.ts";
import { hashParts } from "../../core/index.ts";
import { createFolderCache, type FolderCache } from "./folder-cache.ts";
import { createManifestCache, type ManifestCache } from "./manifest-cache.ts";
import { openPageCache, type PageCache } from "./page-cache.ts";
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

/**
 * What an export found out about links, so that the next one need not resolve those of all pages. Whether a link is
 * sound depends on its page's fingerprint, which covers what pages and files there are, and on the anchors of the page
 * that it leads to. Pages have their numbers in the order of the site's.
 */
export interface KnownLinks {
  /** For each page the hash of its anchors, empty if unknown, as `joinTexts` gives them. */
  readonly anchors: string;
  /** `ExportSettings.checkedAs`; undefined if no such check looked at the links. */
  readonly checkedAs: string | undefined;
  /**
   * For each page its fingerprint if its references have no problem and need no correction, else an empty text, as
   * `joinTexts` gives them.
   */
  readonly sound: string;
  /** The numbers of the pages of which links name an anchor: those of one page after those of another. */
  readonly targets: Uint32Array;
  /** For each page where those of its links end. */
  readonly targetEnds: Uint32Array;
}

/** Files of `src/` and `dist/` that are not part of the program. */
const notRun = /(?:\.test\.ts|\.d\.ts|\.map)$/;

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

/**
 * A hash of the renderer's own program, so that nothing made by another version is taken from a cache. It includes
 * package.json, in which the packages that affect the output have exact versions.
 */
function rendererVersion(): string {
  const program = new URL("../../", import.meta.url);
  const files = readdirSync(program, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !notRun.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  const parts = [fileURLToPath(new URL("../package.json", program)), ...files.toSorted()];
  return hashParts([process.version, ...parts.map((file) => readFileSync(file))]);
}
