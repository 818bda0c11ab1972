import { listFullTexts, orderPages } from "../outputs/index.ts";
import { makeFolder, type Problem } from "../core/index.ts";
import { openExportCache, type ExportCache } from "./cache/export-cache.ts";
import { CacheDamagedError } from "./cache/cache-damaged.ts";
import {
  completeSettings,
  type CompleteSettings,
  type ExportSettings,
  type RenderResult,
  type PageCounts,
} from "./export-settings.ts";
import { findProblems } from "./find-problems.ts";
import { cacheKnownLinks, markVerifiedPages } from "./page/verified-pages.ts";
import { correctDocuments } from "./page/place-documents.ts";
import { createPageKeys } from "./page/page-key.ts";
import { cacheSource, readSource } from "./source/read-source.ts";
import { openRenderChildren } from "./pool/render-children.ts";
import { openUsageMeter } from "./pool/usage-meter.ts";
import { renderPages } from "./page/render-pages.ts";
import { addSharedFiles } from "./shared-files.ts";
import { createSharedParts } from "./shared-parts.ts";
import { packFiles } from "./archive/pack-files.ts";
import { openBundleArchive } from "./bundle-archive.ts";
import { createDryRunBundle, openBundleFolder, type BundleFolder } from "./bundle-folder.ts";
import type { ExportRun } from "./export-run.ts";
import { mapBounded } from "./map-bounded.ts";

/** With an index of this size in memory, starting a process takes longer than preparing one beforehand. */
const largeIndexBytes = 4 * 1024 * 1024;

const concurrentCopies = 16;

/**
 * Renders a site's folder into a bundle, or checks it if the settings have no `outDir`:
 * 1. read the site: configuration, navigation and frontmatter (`source/read-source.ts`);
 * 2. open the bundle: a folder, an archive, or nothing for a check (`bundle-folder.ts`, `bundle-archive.ts`);
 * 3. prepare what all pages share: layout, icons, files from other hosts (`shared-parts.ts`);
 * 4. take each page from the cache or render it in a child process (`page/render-pages.ts`);
 * 5. write the pages, with misspelled anchors of links corrected (`page/place-documents.ts`), except where links are
 *    known to be valid (`page/sound-pages.ts`);
 * 6. copy the site's own files;
 * 7. run the check and gather problems (`find-problems.ts`);
 * 8. write the files built from all pages: styles, scripts, search, outputs, the report (`shared-files.ts`);
 * 9. finish the bundle: move its files into place and remove the leftovers of earlier exports, or pack the archive
 *    (`archive/pack-files.ts`).
 *
 * Throws `site_invalid` if there is nothing to render, `invalid_input` for paths that are not pages; problems of single
 * pages are in `problems`. The same input gives the same bytes.
 */
export async function renderSite(settings: ExportSettings): Promise<RenderResult> {
  const complete = completeSettings(settings);
  const { cacheDir } = complete;
  using cache = cacheDir === undefined ? undefined : openExportCache(cacheDir);
  try {
    return await exportSite(complete, cache);
  } catch (error) {
    if (!(error instanceof CacheDamagedError)) throw error;
    // This is so rare that rendering all pages again is fine.
    return await exportSite(
      complete,
      cache && { ...cache, pages: undefined, searchIndexes: undefined },
    );
  }
}

async function exportSite(
  given: CompleteSettings,
  cache: ExportCache | undefined,
): Promise<RenderResult> {
  using meter = openUsageMeter(given.budget);
  const signals = [meter.signal, given.signal].filter((signal) => signal !== undefined);
  const settings = { ...given, signal: AbortSignal.any(signals) };
  await using own = new AsyncDisposableStack();
  const children = settings.children ?? own.use(openRenderChildren());
  if (cache && cache.sources.bytesOf(settings.siteDir) > largeIndexBytes) children.prepare();
  const source = await readSource(settings, cache);
  using bundle = await openBundle(settings, cache);
  const shared = await createSharedParts(source.site, settings, { bundle, cache });
  const keys = createPageKeys(shared.setup, cache?.version ?? "", source.knownKeys);
  const run = { settings, cache, source, bundle, shared, keys, meter };
  const { rendered, read, ...result } = await renderPages(run, children);
  // The following steps need the memory of the children.
  await own.disposeAsync();
  cache?.pages?.flush();
  if (cache) await cacheSource({ settings, cache, keys }, source, read);
  const marked = markVerifiedPages(run, result.pages);
  const { pages } = marked;
  const placed = correctDocuments(run, pages);
  const assetProblems = await copyAssets(run);
  const checked = settings.check?.(source.site, pages) ?? [];
  cacheKnownLinks(run, marked, { ...placed, problems: checked });
  const order = orderPages(
    source.site,
    pages.map(({ page }) => page),
  );
  const fullTexts = listFullTexts(source.site, pages, { order, baseUrl: settings.baseUrl });
  const others = [...assetProblems, ...checked];
  const problems = findProblems(run, { pages, fullTexts, others });
  if (!settings.isForCheck) await addSharedFiles(run, { pages, order, fullTexts, problems });
  await meter.check();
  const counts = { pages: pages.length, rendered };
  const finished = await finishBundle(run, counts);
  await cache?.pages?.prune();
  return { ...counts, problems, site: source.site, ...finished };
}

async function openBundle(
  { outDir, archive, isNewFolder = false }: ExportSettings,
  cache: ExportCache | undefined,
): Promise<BundleFolder> {
  if (outDir === undefined) return createDryRunBundle();
  makeFolder(outDir);
  return archive
    ? openBundleArchive(outDir, { isNewFolder })
    : openBundleFolder(outDir, cache?.manifests.read(outDir));
}

/** Packs the archive, or moves the files into place and caches the manifest for the next export. */
async function finishBundle(
  { settings, cache, bundle }: ExportRun,
  counts: PageCounts,
): Promise<Pick<RenderResult, "bytes" | "packed">> {
  const { outDir, archive, signal } = settings;
  const { bytes, manifest, files } = bundle.finish();
  if (files && archive) {
    settings.onPacking?.(counts);
    const blocks = cache?.pages?.blocks;
    const packed = await packFiles(files, archive.format, archive.file, { blocks, signal });
    return { bytes, packed };
  }
  if (outDir !== undefined) cache?.manifests.write(outDir, manifest);
  return { bytes };
}

/** Copies the site's own files into the bundle; reports a problem for each file that cannot be read. */
async function copyAssets({
  settings,
  source,
  bundle,
}: Pick<ExportRun, "settings" | "source" | "bundle">): Promise<Problem[]> {
  const { root, assets, styles, scripts } = source.site;
  const paths = [...assets, ...styles, ...scripts];
  const results = await mapBounded(paths, concurrentCopies, async (path): Promise<Problem[]> => {
    settings.signal?.throwIfAborted();
    if (bundle.isTaken(path)) return [];
    try {
      await bundle.copyAsset(root, path);
      return [];
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return [{ severity: "error", code: "asset_unreadable", message, file: path }];
    }
  });
  return results.flat();
}
