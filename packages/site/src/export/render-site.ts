import { constants, readFileSync, statSync } from "node:fs";
import { access } from "node:fs/promises";
import { join } from "node:path";
import {
  listDistinctProblems,
  listFullTextProblems,
  listFullTexts,
  orderPages,
  type FullTexts,
} from "../outputs/index.ts";
import {
  makeFolder,
  nameFileInError,
  resolveRealPathSync,
  sha256,
  type BundleFile,
  type FilePart,
  type Problem,
  type ProblemLocation,
} from "../core/index.ts";
import { describeMissingFile, locateInFrontmatter } from "../load/index.ts";
import { createSiteLinks, resolveMedia, type Site } from "../site/index.ts";
import type { SiteIcons } from "../theme/index.ts";
import { openExportCache, type ExportCache } from "./cache/export-cache.ts";
import { CacheDamagedError } from "./cache/cache-damaged.ts";
import {
  completeSettings,
  type CompleteSettings,
  type ExportSettings,
  type ExportedPage,
  type PageCounts,
  type RenderResult,
} from "./export-settings.ts";
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
import { copyAssets } from "./copy-assets.ts";
import {
  computeCopyFingerprint,
  createDryRunBundle,
  isPathTaken,
  openBundleFolder,
  type BundleFolder,
} from "./bundle-folder.ts";
import type { ExportRun } from "./export-run.ts";
import { maxWholeBytes, type PackedFile } from "./archive/packed-file.ts";
import { createFileWriter } from "./file-writer.ts";
import { emptyManifest } from "./manifest.ts";
import { listPreviewPictureProblems, listRemoteMediaProblems } from "./media/page-media.ts";
import { listSiteRequestProblems } from "./media/site-requests.ts";

/** A child process is started before an index of this size is read, because starting it afterwards takes longer. */
const largeIndexBytes = 4 * 1024 * 1024;

/**
 * Renders a site's folder into a bundle, or checks it if the settings have no `outDir`:
 * 1. read the site: configuration, navigation and frontmatter (`source/read-source.ts`);
 * 2. open the bundle: a folder, an archive, or nothing for a check (`bundle-folder.ts`);
 * 3. prepare the parts that all pages share: layout, icons, files from other hosts (`shared-parts.ts`);
 * 4. take each page from the cache or render it in a child process (`page/render-pages.ts`);
 * 5. write the pages, with misspelled anchors of links corrected (`page/place-documents.ts`), except where links are
 *    known to be valid (`page/verified-pages.ts`);
 * 6. copy the site's own files;
 * 7. run the check and gather problems;
 * 8. write the files built from all pages: styles, scripts, search, outputs, the report (`shared-files.ts`);
 * 9. finish the bundle: move its files into place and remove the leftovers of earlier exports, or pack the archive
 *    (`archive/pack-files.ts`).
 *
 * Throws `site_invalid` if there is nothing to render, and `invalid_input` for paths that are not pages. Problems of
 * individual pages are in `problems`. The same input gives the same bytes.
 */
export async function renderSite(settings: ExportSettings): Promise<RenderResult> {
  const complete = completeSettings(settings);
  const { cacheDir } = complete;
  using cache = cacheDir === undefined ? undefined : openExportCache(cacheDir);
  try {
    return await exportSite(complete, cache);
  } catch (error) {
    // Errors from streams and from files that consist of parts do not name the file.
    nameFileInError(error, settings.archive?.file ?? settings.outDir);
    if (!(error instanceof CacheDamagedError)) throw error;
    // Damage is so rare that all pages can be rendered again.
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
  await using ownResources = new AsyncDisposableStack();
  const children = settings.children ?? ownResources.use(openRenderChildren());
  if (cache && cache.sources.bytesOf(settings.siteDir) > largeIndexBytes)
    children.prepare({ isAsleep: true });
  const source = await readSource(settings, cache);
  using bundle = await openBundle(settings, cache);
  const shared = await createSharedParts(source.site, settings, { bundle, cache });
  const keys = createPageKeys(shared.setup, cache?.version ?? "", source.knownKeys);
  const run = { settings, cache, source, bundle, shared, keys, meter };
  const { rendered, read, ...result } = await renderPages(run, children);
  // Stop the children, because the following steps need their memory.
  await ownResources.disposeAsync();
  cache?.pages?.flush();
  await cacheSource(run, source, read);
  const markedPages = markVerifiedPages(run, result.pages);
  const { pages } = markedPages;
  const corrected = correctDocuments(run, pages);
  const assetProblems = await copyAssets(run, pages);
  const checkProblems = settings.check?.(source.site, pages) ?? [];
  cacheKnownLinks(run, markedPages, { ...corrected, problems: checkProblems });
  const order = orderPages(
    source.site,
    pages.map(({ page }) => page),
  );
  const fullTexts = listFullTexts(source.site, pages, { order, baseUrl: settings.baseUrl });
  const others = [...assetProblems, ...checkProblems];
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

/**
 * Opens a bundle that becomes an archive. Only newly rendered pages are written to the folder, which must be empty,
 * because they have no other source when the archive is packed. Cached pages, the site's own files and files built from
 * all pages are packed from their current location.
 */
function openBundleArchive(
  scratchFolder: string,
  { isNewFolder }: { readonly isNewFolder: boolean },
): BundleFolder {
  const folder = createFileWriter(scratchFolder);
  const files = new Map<string, Omit<PackedFile, "path">>();
  return {
    isTaken: (path) => isPathTaken(files, path),
    write(file, fingerprint) {
      folder.write(file.path, toBytes(file));
      files.set(file.path, { source: join(scratchFolder, file.path), fingerprint });
    },
    keep: () => false,
    place(file, ownFingerprint) {
      const { parts } = file;
      const fingerprint = ownFingerprint ?? joinFingerprints(parts);
      files.set(file.path, { source: () => toBytes(file), fingerprint, parts });
    },
    rewrite(path, change, fingerprint) {
      folder.rewrite(path, change);
      files.set(path, { source: join(scratchFolder, path), fingerprint });
    },
    async copyAsset(siteRoot, path) {
      const source = resolveRealPathSync(siteRoot, path);
      await access(source, constants.R_OK);
      const fingerprint = isNewFolder
        ? computeContentHash(source)
        : computeCopyFingerprint(source, statSync(source));
      files.set(path, { source, fingerprint });
    },
    finish: () => ({
      bytes: 0,
      manifest: emptyManifest,
      files: Array.from(files, ([path, file]) => ({ path, ...file })),
    }),
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** Combines the fingerprints of parts. Returns undefined if the fingerprint of a part is undefined. */
function joinFingerprints(parts: readonly FilePart[] | undefined): string | undefined {
  const fingerprints = parts?.flatMap(({ fingerprint = [] }) => fingerprint);
  return fingerprints && fingerprints.length === parts?.length
    ? sha256(JSON.stringify(fingerprints))
    : undefined;
}

/** Returns undefined for a long file, which is not cached. */
function computeContentHash(file: string): string | undefined {
  return statSync(file).size > maxWholeBytes ? undefined : sha256(readFileSync(file));
}

function toBytes({ content }: BundleFile): Uint8Array {
  return typeof content === "string" ? Buffer.from(content) : content;
}

interface RenderedSite {
  readonly pages: readonly ExportedPage[];
  readonly fullTexts: FullTexts;
  readonly others: readonly Problem[];
}

/** Returns the problems found by reading and rendering, and `others` from other steps, in order without duplicates. */
function findProblems(
  run: Pick<ExportRun, "settings" | "source" | "shared">,
  { pages, fullTexts, others }: RenderedSite,
): Problem[] {
  const { settings, source, shared } = run;
  const { site } = source;
  return listDistinctProblems([
    ...site.problems,
    ...listNavigationIconProblems(site, shared.siteIcons),
    ...listPreviewPictureProblems(site),
    ...pages.flatMap(({ rendered }) => rendered.problems),
    ...(settings.accessibility ? pages.flatMap(({ rendered }) => rendered.barriers) : []),
    ...listRemoteMediaProblems(site, pages, shared),
    ...others,
    ...listSiteRequestProblems(shared.requests),
    ...listFullTextProblems(fullTexts),
  ]);
}

function listNavigationIconProblems(site: Site, { problems, images }: SiteIcons): Problem[] {
  return [
    ...problems.map(({ name, message: problem }) => {
      const message = `In the navigation: ${problem}`;
      return {
        severity: "warning",
        code: "unknown_icon",
        message,
        ...locateIcon(name, site),
      } as const;
    }),
    ...findMissingIcons(images, site).map(({ image, path }) => {
      const reason = describeMissingFile(site, path);
      const message = `The icon ${JSON.stringify(image)} ${reason}, so no icon is shown.`;
      return {
        severity: "error",
        code: "media_missing",
        message,
        ...locateIcon(image, site),
      } as const;
    }),
  ];
}

/** Returns the position where an icon is first mentioned in the configuration or, if it is not there, in a page. */
function locateIcon(
  icon: string,
  { root, configFile, configPositions, pages }: Site,
): ProblemLocation {
  const configured = configPositions?.icons.get(icon);
  if (configured !== undefined) return configured;
  const owner = pages.find(({ frontmatter }) => frontmatter.icon === icon);
  return owner === undefined ? { file: configFile } : locateInFrontmatter(root, owner.file, "icon");
}

/**
 * Finds missing images among the icons of the navigation, whose paths are relative to the site's root regardless of the
 * page's location.
 */
function findMissingIcons(
  images: readonly string[],
  site: Site,
): readonly { readonly image: string; readonly path: string }[] {
  if (images.length === 0) return [];
  const links = createSiteLinks(site);
  const root = { page: "", file: "" };
  return images.flatMap((image) => {
    const resolution = resolveMedia(image, root, links);
    return resolution.kind === "unknown" ? [{ image, path: resolution.path }] : [];
  });
}
