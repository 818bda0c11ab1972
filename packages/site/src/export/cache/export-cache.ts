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
 * The data that exports leave for the next export. All of it can be lost or damaged at any time, and processes may
 * share it: the bundle is the same without it.
 */
export interface ExportCache extends Disposable {
  readonly version: string;
  /**
   * Rendered pages and compressed blocks. Undefined, as is the next field, if the export is repeated because of damage.
   */
  readonly pages: PageCache | undefined;
  /** Files from other hosts. */
  readonly media: MediaCache;
  /** The source index of each site, by its folder. */
  readonly sources: FolderCache<SourceIndex>;
  /** The known state of each site's links, by its folder. */
  readonly links: FolderCache<KnownLinks>;
  /** The manifest of each bundle, by its folder. */
  readonly manifests: ManifestCache;
  readonly searchIndexes: SearchIndexCache | undefined;
}

/**
 * The results of an export's link check, which save the next export from resolving the links of all pages. Whether a
 * link is verified depends on the fingerprint of its page, which covers the existing pages and files, and on the
 * anchors of the page that it leads to. Pages are numbered in the site's order.
 */
export interface KnownLinks {
  /** For each page the hash of its anchors, joined by `joinTexts`; empty if unknown. */
  readonly anchors: string;
  /** `ExportSettings.checkedAs`; undefined if no such check covered the links. */
  readonly checkedAs: string | undefined;
  /**
   * For each page its fingerprint if its references have no problem and need no correction, otherwise an empty text,
   * joined by `joinTexts`.
   */
  readonly verified: string;
  /** For each page the numbers of the pages at whose anchors its links point, one page's numbers after another's. */
  readonly targets: Uint32Array;
  /** For each page the end of its numbers in `targets`. */
  readonly targetEnds: Uint32Array;
}

/** Files of `src/` and `dist/` that are not part of the program. */
const notRun = /(?:\.test\.ts|\.d\.ts|\.map)$/;

export function openExportCache(cacheDir: string): ExportCache {
  const version = computeRendererVersion();
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
 * Returns a hash of the renderer's own program, so that nothing built by another version is taken from a cache. It
 * includes package.json, in which the packages that affect the output have exact versions.
 */
function computeRendererVersion(): string {
  const program = new URL("../../", import.meta.url);
  const files = readdirSync(program, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !notRun.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  const parts = [fileURLToPath(new URL("../package.json", program)), ...files.toSorted()];
  return hashParts([process.version, ...parts.map((file) => readFileSync(file))]);
}
