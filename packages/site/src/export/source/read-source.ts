import { readSite } from "../../load/index.ts";
import type { LoadedSite, PageSource } from "../../load/index.ts";
import type { Site } from "../../site/index.ts";
import type { ExportCache } from "../cache/export-cache.ts";
import type { ExportSettings } from "../export-settings.ts";
import { selectPages } from "./select-pages.ts";
import { findUnchanged, isPlainSite, nextSourceIndex } from "./source-index.ts";
import type { ReadText, UnchangedSources } from "./source-index.ts";

/** A site as an export read it. */
export interface ExportSource {
  /** With only the pages of the export. */
  readonly site: Site;
  readonly materials: LoadedSite["materials"];
  readonly sources: LoadedSite["sources"];
  /** Files that were not read because they are unchanged since an earlier export. */
  readonly unchanged: UnchangedSources;
  /** Of the index that says so. */
  readonly knownSiteKey: string | undefined;
  readonly startedMs: number;
}

/** Reads the site's folder, except pages whose files have not changed since an earlier export. Throws as `readSite` and `selectPages` do. */
export async function readSource(
  settings: ExportSettings,
  cache: ExportCache | undefined,
): Promise<ExportSource> {
  const startedMs = Date.now();
  const index = cache?.sources.read(settings.siteDir);
  const found = findUnchanged(settings.siteDir, index);
  const first = await readSite(settings, pagesOf(found));
  const isReadable = !index || isPlainSite(first.site) === index.isPlain;
  // Titles of pages come from elsewhere once a configuration is added or removed.
  const loaded = isReadable ? first : await readSite(settings);
  const site = settings.paths ? selectPages(loaded.site, settings.paths) : loaded.site;
  const unchanged = isReadable ? found : new Map();
  return { ...loaded, site, unchanged, knownSiteKey: index?.siteKey, startedMs };
}

/** Caches what this export read for the next one. */
export function cacheSource(
  cache: ExportCache,
  source: ExportSource,
  read: {
    readonly texts: ReadonlyMap<string, ReadText>;
    readonly keys: ReadonlyMap<string, string>;
    readonly siteKey: string;
  },
): void {
  const index = nextSourceIndex(source.site, { ...source, ...read });
  if (index) cache.sources.write(source.site.root, index);
}

function pagesOf(unchanged: UnchangedSources): ReadonlyMap<string, PageSource> {
  return new Map(Array.from(unchanged, ([file, { page }]) => [file, page]));
}
