import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { OctavoError } from "../../core/index.ts";
import type { BundleFile, RenderedPage } from "../bundle.ts";
import { createIconRenderer, iconStyles } from "../components/index.ts";
import type { IconRenderer } from "../components/index.ts";
import { codeStyles, loadPalettes } from "../page/code/code-styles.ts";
import { copyFinder } from "../media/remote-address.ts";
import type { MediaCopies, RemoteMediaMode } from "../media/remote-address.ts";
import { createRemoteMedia } from "../media/remote-media.ts";
import type { RemoteMedia } from "../media/remote-media.ts";
import { agentInstructions, distinctProblems, report, siteOutputs } from "../outputs/index.ts";
import { openPool } from "../pool/pool.ts";
import type { RenderPool } from "../pool/pool.ts";
import type { Problem } from "../problem.ts";
import type { FetchRemote } from "../remote.ts";
import { searchFiles } from "../search/search-files.ts";
import { loadSite } from "../site/load-site.ts";
import type { Site, SitePage } from "../site/site.ts";
import {
  configuredMedia,
  createLayout,
  notFoundScript,
  siteIcons,
  themeFiles,
} from "../theme/index.ts";
import type { Layout } from "../theme/index.ts";
import { createBundleTrial, openBundleFolder } from "./bundle-folder.ts";
import type { BundleFolder } from "./bundle-folder.ts";
import { failedPage } from "./failed-page.ts";
import {
  configuredMediaProblems,
  fontProblems,
  listRemoteMedia,
  mediaProblems,
  remoteTargets,
} from "./page-media.ts";
import { createPageKeys, rendererVersion } from "./page-key.ts";
import type { PageKeys } from "./page-key.ts";
import { mapBounded } from "./map-bounded.ts";
import { createRenderCache } from "./render-cache.ts";
import type { RenderCache } from "./render-cache.ts";
import { selectPages } from "./select-pages.ts";
import { styleAddressProblems } from "./style-addresses.ts";
import { createSiteFiles } from "./site-files.ts";
import type { SiteFiles } from "./site-files.ts";

export interface RenderOptions {
  /** The site's folder. Nothing outside it is read, and nothing in it is written. */
  readonly siteDir: string;
  /** Absolute path of a file that is no part of the site: the archive of an earlier export in its folder. */
  readonly leaveOut?: string;
  /**
   * Becomes the bundle; what an earlier export left there is replaced. Where absent nothing is written, and
   * pages are rendered only as far as `check` and `problems` need: no documents, colours or search terms.
   */
  readonly outDir?: string;
  /** Name of the folder where a person gave it, for a site that names itself nowhere. */
  readonly folderName?: string;
  /** Pages to include, as navigation names them; all when absent. */
  readonly paths?: readonly string[];
  /** Address at which the bundle will be served, for canonical links and the sitemap. */
  readonly baseUrl?: string;
  /** Where rendered pages are kept between exports; nothing is kept when absent. */
  readonly cacheDir?: string;
  /** How what lies on other hosts is shown; `keep` by default. Pages rendered for a check are the same for all. */
  readonly remoteMedia?: RemoteMediaMode;
  /** Brings what is to be in the bundle; nothing can be brought when absent. */
  readonly fetchRemote?: FetchRemote;
  readonly workers?: number;
  /** The link check and what else the caller holds against the pages; its findings join the report. */
  readonly check?: (site: Site, pages: readonly ExportedPage[]) => readonly Problem[];
  readonly onProgress?: (progress: RenderProgress) => void;
  readonly signal?: AbortSignal;
}

export interface RenderProgress {
  /** Pages that are in the bundle by now. */
  readonly done: number;
  readonly total: number;
  /** How many of them were rendered anew. */
  readonly rendered: number;
}

export interface ExportedPage {
  readonly page: SitePage;
  readonly rendered: RenderedPage;
}

export interface RenderResult {
  readonly pages: number;
  readonly rendered: number;
  readonly problems: readonly Problem[];
  readonly site: Site;
}

/** What stands in each page's `<meta name="generator">`. */
const generator = "Octavo";
/** Pages under way at once; enough to keep the children busy while files are read and written. */
const pagesInFlight = 64;

/**
 * Renders a site's folder into a bundle's folder:
 * 1. read configuration, navigation and frontmatter into a `Site`;
 * 2. take each page from the cache or have it rendered in a child, and write it;
 * 3. copy assets; write styles, scripts, search and the outputs made of all pages;
 * 4. check, and write the report.
 *
 * Throws `site_invalid` where there is nothing to render, `invalid_input` for paths that are not
 * pages; what is wrong with single pages is told in `problems`. The same input gives the same bytes.
 */
export async function renderSite(options: RenderOptions): Promise<RenderResult> {
  const { signal, leaveOut, outDir, folderName } = options;
  const whole = await loadSite(options.siteDir, { outDir, folderName, leaveOut, signal });
  const site = options.paths ? selectPages(whole, options.paths) : whole;
  const bundle = await openBundle(outDir);
  const media = openMedia(bundle, options);
  const shared = await createSharedParts(site, media, options);
  const { pages, rendered } = await renderPages({ site, bundle, shared, media, options });
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
  const result = { pages: pages.length, rendered, problems, site };
  if (outDir === undefined) return result;
  for (const file of await sharedFiles(site, pages, { shared, media, problems, options })) {
    if (!bundle.isTaken(file.path)) await bundle.write(file);
  }
  await bundle.removeStale();
  return result;
}

async function openBundle(outDir: string | undefined): Promise<BundleFolder> {
  if (outDir === undefined) return createBundleTrial();
  await mkdir(outDir, { recursive: true });
  return openBundleFolder(outDir);
}

/** What brings files from other hosts into the bundle, where that is wanted. */
function openMedia(bundle: BundleFolder, options: RenderOptions): RemoteMedia | undefined {
  const { outDir, remoteMedia, cacheDir, signal, fetchRemote = fetchNothing } = options;
  if (outDir === undefined || remoteMedia !== "vendor") return undefined;
  return createRemoteMedia({
    fetchRemote,
    cacheDir: cacheDir === undefined ? undefined : join(cacheDir, "media"),
    write: (file) => bundle.write(file),
    signal,
  });
}

async function fetchNothing(): Promise<never> {
  throw new OctavoError("forbidden", "nothing may be fetched here");
}

/** What the pages and the files around them are made with alike. */
interface SharedParts {
  readonly layout: Layout;
  readonly icons: IconRenderer;
  readonly baseUrl?: string;
  readonly remoteMedia: RemoteMediaMode;
  /** Addresses of what the layout shows from other hosts, and which of these the bundle has. */
  readonly configured: readonly string[];
  readonly mediaCopies: MediaCopies | undefined;
}

async function createSharedParts(
  site: Site,
  media: RemoteMedia | undefined,
  options: RenderOptions,
): Promise<SharedParts> {
  const icons = createIconRenderer({ library: site.config.iconLibrary });
  const base = options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl };
  const remoteMedia = options.outDir === undefined ? "keep" : (options.remoteMedia ?? "keep");
  const { pictures, fonts } = configuredMedia(site, icons);
  const configured = media === undefined ? pictures : [...pictures, ...fonts];
  await media?.bring(configured);
  const mediaCopies = media?.copiesOf(configured);
  const copyOf = copyFinder(remoteMedia, mediaCopies);
  const layout = createLayout(site, { generator, icons, copyOf, ...base });
  return { layout, icons, remoteMedia, configured, mediaCopies, ...base };
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
  return siteIcons(site, icons).missing.map((name) => ({
    severity: "warning",
    code: "unknown_icon",
    message: `There is no icon ${JSON.stringify(name)}; a neutral one is shown in the navigation.`,
    file: site.configFile,
  }));
}

interface PageStage {
  readonly layout: Layout;
  readonly files: SiteFiles;
  readonly keys: PageKeys;
  readonly cache: RenderCache | undefined;
  readonly pool: RenderPool;
}

async function renderPages(input: {
  readonly site: Site;
  readonly bundle: BundleFolder;
  readonly shared: SharedParts;
  readonly media: RemoteMedia | undefined;
  readonly options: RenderOptions;
}): Promise<{ pages: ExportedPage[]; rendered: number }> {
  const { site, bundle, shared, media, options } = input;
  const { remoteMedia, mediaCopies } = shared;
  const base = options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl };
  const files = createSiteFiles(site.root);
  const cache = options.cacheDir === undefined ? undefined : createRenderCache(options.cacheDir);
  const isForCheck = options.outDir === undefined;
  await using pool = openPool({
    setup: { site, generator, isForCheck, remoteMedia, mediaCopies, ...base },
    readFile: files.readSnippet,
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  // Pages rendered for a check are no documents: they are kept under keys of their own.
  const version = isForCheck ? `check ${rendererVersion()}` : rendererVersion();
  const keys = createPageKeys(site, { version, remoteMedia, mediaCopies, ...base });
  const stage: PageStage = { layout: shared.layout, files, keys, cache, pool };

  const block = agentInstructions(site.config);
  const instructions = block === undefined ? "" : `\n${block}\n`;
  const progress = { done: 0, total: site.pages.length, rendered: 0 };
  options.onProgress?.({ ...progress });
  async function land({ page, isFresh }: ProducedPage, { path }: SitePage): Promise<RenderedPage> {
    await bundle.write({ path: `${path}.html`, content: page.html });
    await bundle.write({ path: `${path}.md`, content: page.markdown + instructions });
    progress.done += 1;
    if (isFresh) progress.rendered += 1;
    options.onProgress?.({ ...progress });
    // The document is written; only what the shared files are made of is held on to.
    return { ...page, html: "" };
  }
  const drafts = await mapBounded(site.pages, pagesInFlight, async (page): Promise<PageDraft> => {
    options.signal?.throwIfAborted();
    const produced = await producePage(stage, page);
    const shown = media === undefined ? [] : remoteTargets(produced.page.references);
    const { isFresh } = produced;
    return shown.length === 0 ? { rendered: await land(produced, page) } : { shown, isFresh };
  });
  // What pages show from other hosts is known now that all were rendered once.
  await media?.bring(drafts.flatMap(({ shown = [] }) => shown));
  const entries = site.pages.map((page, index) => ({ page, draft: drafts[index] ?? {} }));
  const pages = await mapBounded(entries, pagesInFlight, async ({ page, draft }) => {
    if (draft.rendered !== undefined) return { page, rendered: draft.rendered };
    options.signal?.throwIfAborted();
    const produced = await producePage(stage, page, media?.copiesOf(draft.shown ?? []));
    const isFresh = produced.isFresh || draft.isFresh === true;
    return { page, rendered: await land({ ...produced, isFresh }, page) };
  });
  await cache?.prune();
  return { pages, rendered: progress.rendered };
}

/** A page that is in the bundle, or the addresses of what it shows from other hosts, with which it is made again. */
interface PageDraft {
  readonly rendered?: RenderedPage;
  readonly shown?: readonly string[];
  readonly isFresh?: boolean;
}

interface ProducedPage {
  readonly page: RenderedPage;
  readonly isFresh: boolean;
}

async function producePage(
  stage: PageStage,
  page: SitePage,
  mediaCopies?: MediaCopies,
): Promise<ProducedPage> {
  const fail = (reason: string) => ({
    page: failedPage(stage.layout, page, reason),
    isFresh: true,
  });
  const source = await stage.files.readPage(page.file);
  if ("refused" in source) return fail(source.refused);
  const key = stage.keys.keyOf(page, source.text, mediaCopies);
  const kept = await stage.cache?.get(key);
  if (kept && (await isCurrent(kept, stage.files))) return { page: kept, isFresh: false };
  const outcome = await stage.pool.render({ page, source: source.text, mediaCopies });
  if (outcome.type === "failed") return fail(outcome.reason);
  await stage.cache?.put(key, outcome.page);
  return { page: outcome.page, isFresh: true };
}

/** Whether every snippet that a kept page was made of is still the same. */
async function isCurrent(page: RenderedPage, files: SiteFiles): Promise<boolean> {
  for (const [path, hash] of Object.entries(page.dependencies)) {
    if ((await files.hashOf(path)) !== hash) return false;
  }
  return true;
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
  pages: readonly ExportedPage[],
  input: {
    readonly shared: SharedParts;
    readonly media: RemoteMedia | undefined;
    readonly problems: readonly Problem[];
    readonly options: RenderOptions;
  },
): Promise<BundleFile[]> {
  const { shared, media, problems, options } = input;
  const { icons, remoteMedia, mediaCopies, configured } = shared;
  const copyOf = copyFinder(remoteMedia, mediaCopies);
  const pageIcons = pages.flatMap((entry) => entry.rendered.icons);
  const iconCss = await iconStyles([...siteIcons(site, icons).keys, ...pageIcons]);
  const classNames = new Set(pages.flatMap((entry) => entry.rendered.classNames));
  const { codeTheme } = site.config;
  const codeCss = codeStyles(codeTheme && (await loadPalettes(codeTheme)));
  const checks = options.check ? ["links", "anchors", "media"] : [];
  return [
    ...(await themeFiles(site, { iconCss, codeCss, classNames, icons, copyOf })),
    ...(await searchFiles(site, pages)),
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
