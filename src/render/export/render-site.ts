import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { sha256 } from "../../core/index.ts";
import type { BundleFile } from "../bundle.ts";
import { createKeptIndexes } from "../cache/kept-indexes.ts";
import { KeptPageDamaged, openRenderCache } from "../cache/render-cache.ts";
import type { RenderCache } from "../cache/render-cache.ts";
import { iconStyles } from "../components/index.ts";
import type { IconRenderer } from "../components/index.ts";
import { codeStyles, loadPalettes } from "../page/code/code-styles.ts";
import { copyFinder } from "../media/remote-address.ts";
import type { RemoteMedia } from "../media/remote-media.ts";
import { agentInstructions, distinctProblems, report, siteOutputs } from "../outputs/index.ts";
import type { Problem } from "../problem.ts";
import type { KeptIndexes } from "../search/kept-index.ts";
import { searchFiles } from "../search/search-files.ts";
import { readSite } from "../site/load-site.ts";
import type { LoadedSite } from "../site/load-site.ts";
import type { Site } from "../site/site.ts";
import {
  changelogTags,
  configuredMedia,
  notFoundScript,
  siteIcons,
  themeFiles,
} from "../theme/index.ts";
import { createBundleTrial, openBundleFolder } from "./bundle-folder.ts";
import type { BundleFolder } from "./bundle-folder.ts";
import { createFolderNotes } from "../cache/folder-notes.ts";
import type { FolderNotes } from "../cache/folder-notes.ts";
import { createFolderRecords } from "./folder-record.ts";
import type { FolderRecords } from "./folder-record.ts";
import {
  configuredMediaProblems,
  fontProblems,
  listRemoteMedia,
  mediaProblems,
} from "./page-media.ts";
import { isPlainSite, knownPages, lookAtSources, noteSources } from "./known-sources.ts";
import type { KnownSources, SourcesNote } from "./known-sources.ts";
import { mapBounded } from "./map-bounded.ts";
import { rendererVersion } from "./page-key.ts";
import { placeDocuments } from "./place-documents.ts";
import type { MadePage } from "./place-documents.ts";
import type { ExportedPage, RenderOptions, RenderResult } from "./render-options.ts";
import { renderPages } from "./render-pages.ts";
import { selectPages } from "./select-pages.ts";
import { createSharedParts, openMedia } from "./shared-parts.ts";
import type { SharedParts } from "./shared-parts.ts";
import { styleAddressProblems } from "./style-addresses.ts";

/** Longer files, of which a bundle has few, are written each time. */
const hashedLength = 4 * 1024 * 1024;

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
  const notes = folderNotes(options.cacheDir, version);
  const { loaded, known } = await readKnownSite(notes?.sources, options);
  const { site: whole, materials } = loaded;
  const site = options.paths ? selectPages(whole, options.paths) : whole;
  const bundle = await openBundle(outDir, notes?.bundles);
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
  if (outDir !== undefined) placeDocuments(site, pages, { bundle, instructions });
  const found = [
    ...(await copyAssets(site, bundle, signal)),
    ...(await styleAddressProblems(site)),
    ...(media === undefined
      ? fontProblems(configuredMedia(site, shared.icons).fonts, site.configFile)
      : unavailableMedia({ site, pages, shared, media })),
    ...(options.check?.(site, pages) ?? []),
  ];
  const problems = distinctProblems([
    ...site.problems,
    ...navigationIconProblems(site, shared.icons),
    ...pages.flatMap((entry) => entry.rendered.problems),
    ...found,
  ]);
  if (outDir !== undefined) {
    for (const file of await sharedFiles(site, pages, {
      shared,
      media,
      problems,
      indexes: notes?.indexes,
      options,
    })) {
      if (!bundle.isTaken(file.path)) placeShared(bundle, file);
    }
  }
  const { bytes, record } = bundle.finish();
  if (outDir !== undefined) notes?.bundles.keep(outDir, record);
  await cache?.prune();
  return { pages: pages.length, rendered, problems, site, bytes };
}

interface KeptNotes {
  readonly sources: FolderNotes<SourcesNote>;
  readonly bundles: FolderRecords;
  readonly indexes: KeptIndexes;
}

function folderNotes(cacheDir: string | undefined, version: string): KeptNotes | undefined {
  if (cacheDir === undefined) return undefined;
  return {
    sources: createFolderNotes(join(cacheDir, "sources"), version),
    bundles: createFolderRecords(join(cacheDir, "bundles"), version),
    indexes: createKeptIndexes(join(cacheDir, "search"), version),
  };
}

/** Reads the site's folder, but for pages whose files look as they did when an earlier export read them. */
async function readKnownSite(
  notes: FolderNotes<SourcesNote> | undefined,
  options: RenderOptions,
): Promise<{ readonly loaded: LoadedSite; readonly known: KnownSources }> {
  const note = notes?.read(options.siteDir);
  const known = lookAtSources(options.siteDir, note);
  const loaded = await readSite(options.siteDir, { ...options, known: knownPages(known) });
  if (!note || isPlainSite(loaded.site) === note.isPlain) return { loaded, known };
  // Titles of pages come from elsewhere now.
  return { loaded: await readSite(options.siteDir, options), known: new Map() };
}

/** Of a small file the content is its identity: a hash of it costs less than writing it. */
function placeShared(bundle: BundleFolder, file: BundleFile): void {
  if (file.parts) return bundle.write(file);
  const identity = file.identity ?? contentIdentity(file.content);
  if (identity === undefined || !bundle.keeps(file.path, identity)) bundle.write(file, identity);
}

function contentIdentity(content: BundleFile["content"]): string | undefined {
  return content.length > hashedLength ? undefined : sha256(content).slice(0, 32);
}

async function openBundle(
  outDir: string | undefined,
  records: FolderRecords | undefined,
): Promise<BundleFolder> {
  if (outDir === undefined) return createBundleTrial();
  await mkdir(outDir, { recursive: true });
  return openBundleFolder(outDir, records?.read(outDir));
}

function unavailableMedia(input: {
  readonly site: Site;
  readonly pages: readonly ExportedPage[];
  readonly shared: SharedParts;
  readonly media: RemoteMedia;
}): Problem[] {
  const { failures } = input.media;
  return [
    ...configuredMediaProblems(input.shared.configured, { failures, file: input.site.configFile }),
    ...input.pages.flatMap(({ rendered }) => mediaProblems(rendered.references, failures)),
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

async function sharedFiles(
  site: Site,
  pages: readonly MadePage[],
  input: {
    readonly shared: SharedParts;
    readonly media: RemoteMedia | undefined;
    readonly problems: readonly Problem[];
    readonly indexes: KeptIndexes | undefined;
    readonly options: RenderOptions;
  },
): Promise<BundleFile[]> {
  const { shared, media, problems, indexes, options } = input;
  const { icons, remoteMedia, mediaCopies, configured } = shared;
  const copyOf = copyFinder(remoteMedia, mediaCopies);
  const pageIcons = pages.flatMap((entry) => entry.rendered.icons);
  const iconCss = await iconStyles([...siteIcons(site, icons).keys, ...pageIcons]);
  const classNames = new Set(pages.flatMap((entry) => entry.rendered.classNames));
  const tagCount = pages.reduce(
    (most, { rendered }) => Math.max(most, changelogTags(rendered.changes).length),
    0,
  );
  const { codeTheme } = site.config;
  const codeCss = codeStyles(codeTheme && (await loadPalettes(codeTheme)));
  const checks = options.check ? ["links", "anchors", "media"] : [];
  return [
    ...(await themeFiles(site, { iconCss, codeCss, classNames, icons, copyOf, tagCount })),
    ...(await searchFiles(site, pages, indexes)),
    ...siteOutputs(site, pages, shared),
    { path: "404.html", content: shared.layout.notFound() },
    await notFoundScript(site),
    report(site, pages, {
      checked: ["configuration", "navigation", "pages", ...checks],
      notChecked: ["external_links"],
      problems,
      remoteMedia: { mode: remoteMedia, files: listRemoteMedia({ pages, configured, media }) },
    }),
  ];
}
