import { mkdir } from "node:fs/promises";
import { packFiles } from "./archive/pack-folder.ts";
import { KeptPageDamaged, openRenderCache } from "./cache/render-cache.ts";
import type { RenderCache } from "./cache/render-cache.ts";
import type { IconRenderer } from "../components/index.ts";
import type { RemoteMedia } from "./media/remote-media.ts";
import { agentInstructions, distinctProblems } from "../outputs/index.ts";
import type { Problem } from "../core/index.ts";
import type { Site } from "../site/index.ts";
import { configuredMedia, siteIcons } from "../theme/index.ts";
import { openBundleArchive } from "./bundle-archive.ts";
import { createBundleTrial, openBundleFolder } from "./bundle-folder.ts";
import type { BundleFolder } from "./bundle-folder.ts";
import type { FolderRecords } from "./folder-record.ts";
import { openKeptNotes, readKnownSite } from "./kept-notes.ts";
import { noteSources } from "./known-sources.ts";
import { mapBounded } from "./map-bounded.ts";
import { configuredMediaProblems, fontProblems, mediaProblems } from "./page-media.ts";
import { rendererVersion } from "./page-key.ts";
import { placeDocuments } from "./place-documents.ts";
import type { ExportedPage, RenderOptions, RenderResult } from "./render-options.ts";
import { renderPages } from "./render-pages.ts";
import { selectPages } from "./select-pages.ts";
import { placeSharedFiles } from "./shared-files.ts";
import { createSharedParts, openMedia } from "./shared-parts.ts";
import type { SharedParts } from "./shared-parts.ts";
import { styleAddressProblems } from "./style-addresses.ts";

/**
 * Renders a site's folder into a bundle's folder:
 * 1. read configuration, navigation and frontmatter into a `Site`;
 * 2. take each page from the cache or have it rendered in a child, and write it; then lead links to
 *    the anchors that they misspell;
 * 3. copy assets; write styles, scripts, search and the outputs made of all pages;
 * 4. check, and write the report.
 *
 * Throws `site_invalid` where there is nothing to render, `invalid_input` for paths that are not
 * pages; what is wrong with single pages is told in `problems`. The same input gives the same bytes.
 */
export async function renderSite(options: RenderOptions): Promise<RenderResult> {
  if (options.cacheDir === undefined) return await renderWith(undefined, options);
  try {
    using cache = openRenderCache(options.cacheDir);
    return await renderWith(cache, options);
  } catch (error) {
    if (!(error instanceof KeptPageDamaged)) throw error;
    // Rare enough to make everything anew.
    return await renderWith(undefined, options);
  }
}

async function renderWith(
  cache: RenderCache | undefined,
  options: RenderOptions,
): Promise<RenderResult> {
  const { signal, outDir } = options;
  const startedMs = Date.now();
  const version = rendererVersion();
  const notes =
    options.cacheDir === undefined ? undefined : openKeptNotes(options.cacheDir, version);
  const { loaded, known } = await readKnownSite(notes?.sources, options);
  const { site: whole, materials } = loaded;
  const site = options.paths ? selectPages(whole, options.paths) : whole;
  const bundle = await openBundle(options, notes?.bundles);
  const media = openMedia(bundle, options);
  const shared = await createSharedParts(site, media, options);
  const block = agentInstructions(site.config);
  const instructions = Buffer.from(block === undefined ? "" : `\n${block}\n`);
  const { pages, rendered, seen } = await renderPages({
    site,
    materials,
    bundle,
    shared,
    media,
    version,
    cache,
    known,
    instructions,
    options,
  });
  cache?.flush();
  if (notes) noteSources(notes.sources, loaded, { known, seen, startedMs });
  placeDocuments(site, pages, { bundle, instructions });
  const found = [
    ...(await copyAssets(site, bundle, signal)),
    ...(await styleAddressProblems(site)),
    ...(options.check?.(site, pages) ?? []),
  ];
  const problems = distinctProblems([...problemsOf({ site, pages, shared, media }), ...found]);
  if (outDir !== undefined) {
    const indexes = notes?.indexes;
    const input = { shared, media, problems, indexes, options };
    await placeSharedFiles(bundle, site, pages, input);
  }
  const finished = await finishBundle(bundle, options, {
    cache,
    records: notes?.bundles,
  });
  await cache?.prune();
  return { pages: pages.length, rendered, problems, site, ...finished };
}

async function finishBundle(
  bundle: BundleFolder,
  { outDir, archive, signal }: RenderOptions,
  {
    cache,
    records,
  }: { readonly cache: RenderCache | undefined; readonly records: FolderRecords | undefined },
): Promise<Pick<RenderResult, "bytes" | "packed">> {
  const { bytes, record, files } = bundle.finish();
  if (files && archive) {
    const more = { kept: cache?.blocks, ...(signal ? { signal } : {}) };
    const packed = await packFiles(files, archive.format, archive.file, more);
    return { bytes, packed };
  }
  if (outDir !== undefined) records?.keep(outDir, record);
  return { bytes };
}

async function openBundle(
  { outDir, archive }: RenderOptions,
  records: FolderRecords | undefined,
): Promise<BundleFolder> {
  if (outDir === undefined) return createBundleTrial();
  await mkdir(outDir, { recursive: true });
  return archive ? openBundleArchive(outDir) : openBundleFolder(outDir, records?.read(outDir));
}

interface RenderedSite {
  readonly site: Site;
  readonly pages: readonly ExportedPage[];
  readonly shared: SharedParts;
  readonly media: RemoteMedia | undefined;
}

/** What reading and rendering found. */
function problemsOf(made: RenderedSite): Problem[] {
  const { site, pages, shared } = made;
  return [
    ...site.problems,
    ...navigationIconProblems(site, shared.icons),
    ...pages.flatMap((entry) => entry.rendered.problems),
    ...unavailableMedia(made),
  ];
}

function unavailableMedia({ site, pages, shared, media }: RenderedSite): Problem[] {
  const file = site.configFile;
  if (media === undefined) return fontProblems(configuredMedia(site, shared.icons).fonts, file);
  const { failures } = media;
  return [
    ...configuredMediaProblems(shared.configured, { failures, file }),
    ...pages.flatMap(({ rendered }) => mediaProblems(rendered.references, failures)),
  ];
}

function navigationIconProblems(site: Site, icons: IconRenderer): Problem[] {
  return siteIcons(site, icons).problems.map((problem) => ({
    severity: "warning",
    code: "unknown_icon",
    message: `In the navigation: ${problem}`,
    file: site.configFile,
  }));
}

async function copyAssets(
  site: Site,
  bundle: BundleFolder,
  signal: AbortSignal | undefined,
): Promise<Problem[]> {
  const paths = [...site.assets, ...site.styles, ...site.scripts];
  const results = await mapBounded(paths, 16, async (path): Promise<Problem[]> => {
    signal?.throwIfAborted();
    if (bundle.isTaken(path)) return [];
    try {
      await bundle.copyAsset(site.root, path);
      return [];
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return [{ severity: "error", code: "asset_unreadable", message, file: path }];
    }
  });
  return results.flat();
}
