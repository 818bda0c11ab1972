import { join } from "node:path";
import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { createMediaCache, type MediaCache } from "../media/media-cache.ts";
import type { SearchIndexCache } from "../../search/index.ts";
import { createSourceIndexCache, type SourceIndex } from "../source/source-index.ts";
import { hashParts } from "../../core/index.ts";
import { createKeyCache, type KeyCache } from "./key-cache.ts";
import { createManifestCache, type ManifestCache } from "./manifest-cache.ts";
import { openPageCache, type PageCache } from "./page-cache.ts";
import { createSearchIndexCache } from "./search-index-cache.ts";

/**
 * The data that an export leaves for the next one. Any of it can be lost or damaged at any time, and several processes
 * may share it; the bundle is the same without it.
 */
export interface ExportCache extends Disposable {
  readonly version: string;
  /**
   * Rendered pages and compressed blocks. Undefined, like `searchIndexes`, if the export is being repeated because the
   * cache is damaged.
   */
  readonly pages: PageCache | undefined;
  /** Files from other hosts. */
  readonly media: MediaCache;
  /** The source index of each site, by the site's folder. */
  readonly sources: KeyCache<SourceIndex>;
  /** The known state of the links of each list of pages and files, by `getLinksKey`. */
  readonly links: KeyCache<KnownLinks>;
  /** The manifest of each bundle, by the bundle's folder. */
  readonly manifests: ManifestCache;
  readonly searchIndexes: SearchIndexCache | undefined;
}

/**
 * The results of an export's link check, so that the next export need not resolve the links of all pages. A link stays
 * verified as long as neither the fingerprint of its page, which covers the existing pages and files, nor the anchors
 * of the target page change. Pages are numbered in the site's order.
 */
export interface KnownLinks {
  /** The hash of each page's anchors, or an empty string if unknown; joined by `joinTexts`. */
  readonly anchors: string;
  /** `ExportSettings.checkedAs`; undefined if no named check covered the links. */
  readonly checkedAs: string | undefined;
  /**
   * The fingerprint of each page whose references have no problems and need no corrections, an empty string for each
   * other page; joined by `joinTexts`.
   */
  readonly verified: string;
  /** For each page, the numbers of the pages to whose anchors it links; the lists are concatenated. */
  readonly targets: Uint32Array;
  /** For each page, the end of its list in `targets`. */
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
    links: createKeyCache(join(cacheDir, "links"), version),
    manifests: createManifestCache(cacheDir, version),
    searchIndexes,
    [Symbol.dispose]() {
      searchIndexes[Symbol.dispose]();
      pages[Symbol.dispose]();
    },
  };
}

/**
 * Returns a hash of the renderer's own program, so that cached output of a different version is never used. It covers
 * package.json, which pins the exact versions of the packages that affect the output.
 */
function computeRendererVersion(): string {
  return (rendererVersion ??= hashProgram());
}

/** Computed once, because reading the program takes as long as checking a hundred pages. */
let rendererVersion: string | undefined;

function hashProgram(): string {
  const program = new URL("../../", import.meta.url);
  const files = readdirSync(program, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !notRun.test(entry.name))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  const parts = [fileURLToPath(new URL("../package.json", program)), ...files.toSorted()];
  return hashParts([process.version, ...parts.map((file) => readFileSync(file))]);
}
