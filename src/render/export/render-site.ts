import { mkdir } from "node:fs/promises";
import type { BundleFile, RenderedPage } from "../bundle.ts";
import { createIconRenderer, iconStyles } from "../components/index.ts";
import type { IconRenderer } from "../components/index.ts";
import { codeStyles, loadPalettes } from "../page/code/code-styles.ts";
import { distinctProblems, report, siteOutputs } from "../outputs/index.ts";
import { openPool } from "../pool/pool.ts";
import type { RenderPool } from "../pool/pool.ts";
import type { Problem } from "../problem.ts";
import { searchFiles } from "../search/search-files.ts";
import { loadSite } from "../site/load-site.ts";
import type { Site, SitePage } from "../site/site.ts";
import { createLayout, siteIcons, themeFiles } from "../theme/index.ts";
import type { Layout } from "../theme/index.ts";
import { createBundleTrial, openBundleFolder } from "./bundle-folder.ts";
import type { BundleFolder } from "./bundle-folder.ts";
import { failedPage } from "./failed-page.ts";
import { createPageKeys, rendererVersion } from "./page-key.ts";
import type { PageKeys } from "./page-key.ts";
import { mapBounded } from "./map-bounded.ts";
import { mendAnchors } from "./mend-anchors.ts";
import { createRenderCache } from "./render-cache.ts";
import type { RenderCache } from "./render-cache.ts";
import { selectPages } from "./select-pages.ts";
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
 * 2. take each page from the cache or have it rendered in a child, and write it; then lead links to
 *    the anchors that they misspell;
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
  const shared = createSharedParts(site, options.baseUrl);
  const { pages, rendered } = await renderPages({ site, bundle, shared, options });
  await mendAnchors(site, pages, bundle);
  const assetProblems = await copyAssets(site, bundle, signal);
  const found = [...assetProblems, ...(options.check?.(site, pages) ?? [])];
  const problems = distinctProblems([
    ...site.problems,
    ...navigationIconProblems(site, shared.icons),
    ...pages.flatMap((entry) => entry.rendered.problems),
    ...found,
  ]);
  const result = { pages: pages.length, rendered, problems, site };
  if (outDir === undefined) return result;
  for (const file of await sharedFiles(site, pages, { shared, problems, options })) {
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

/** What the pages and the files around them are made with alike. */
interface SharedParts {
  readonly layout: Layout;
  readonly icons: IconRenderer;
  readonly baseUrl?: string;
}

function createSharedParts(site: Site, baseUrl: string | undefined): SharedParts {
  const icons = createIconRenderer({ library: site.config.iconLibrary });
  const base = baseUrl === undefined ? {} : { baseUrl };
  return { layout: createLayout(site, { generator, icons, ...base }), icons, ...base };
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
  readonly options: RenderOptions;
}): Promise<{ pages: ExportedPage[]; rendered: number }> {
  const { site, bundle, shared, options } = input;
  const base = options.baseUrl === undefined ? {} : { baseUrl: options.baseUrl };
  const files = createSiteFiles(site.root);
  const cache = options.cacheDir === undefined ? undefined : createRenderCache(options.cacheDir);
  const isForCheck = options.outDir === undefined;
  await using pool = openPool({
    setup: { site, generator, isForCheck, ...base },
    readFile: files.readSnippet,
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    ...(options.signal ? { signal: options.signal } : {}),
  });
  // Pages rendered for a check are no documents: they are kept under keys of their own.
  const version = isForCheck ? `check ${rendererVersion()}` : rendererVersion();
  const keys = createPageKeys(site, { version, ...base });
  const stage: PageStage = { layout: shared.layout, files, keys, cache, pool };

  const progress = { done: 0, total: site.pages.length, rendered: 0 };
  options.onProgress?.({ ...progress });
  const pages = await mapBounded(site.pages, pagesInFlight, async (page) => {
    options.signal?.throwIfAborted();
    const { page: rendered, isFresh } = await producePage(stage, page);
    await bundle.write({ path: `${page.path}.html`, content: rendered.html });
    await bundle.write({ path: `${page.path}.md`, content: rendered.markdown });
    progress.done += 1;
    if (isFresh) progress.rendered += 1;
    options.onProgress?.({ ...progress });
    // The document is written; only what the shared files are made of is held on to.
    return { page, rendered: { ...rendered, html: "" } };
  });
  await cache?.prune();
  return { pages, rendered: progress.rendered };
}

async function producePage(
  stage: PageStage,
  page: SitePage,
): Promise<{ page: RenderedPage; isFresh: boolean }> {
  const fail = (reason: string) => ({
    page: failedPage(stage.layout, page, reason),
    isFresh: true,
  });
  const source = await stage.files.readPage(page.file);
  if ("refused" in source) return fail(source.refused);
  const key = stage.keys.keyOf(page, source.text);
  const kept = await stage.cache?.get(key);
  if (kept && (await isCurrent(kept, stage.files))) return { page: kept, isFresh: false };
  const outcome = await stage.pool.render({ page, source: source.text });
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
    readonly problems: readonly Problem[];
    readonly options: RenderOptions;
  },
): Promise<BundleFile[]> {
  const { shared, problems, options } = input;
  const { icons } = shared;
  const pageIcons = pages.flatMap((entry) => entry.rendered.icons);
  const iconCss = await iconStyles([...siteIcons(site, icons).keys, ...pageIcons]);
  const classNames = new Set(pages.flatMap((entry) => entry.rendered.classNames));
  const { codeTheme } = site.config;
  const codeCss = codeStyles(codeTheme && (await loadPalettes(codeTheme)));
  const checks = options.check ? ["links", "anchors", "media"] : [];
  return [
    ...(await themeFiles(site, { iconCss, codeCss, classNames, icons })),
    ...(await searchFiles(site, pages)),
    ...siteOutputs(site, pages, shared),
    { path: "404.html", content: shared.layout.notFound() },
    report(site, pages, {
      checked: ["configuration", "navigation", "pages", ...checks],
      notChecked: ["external_links"],
      problems,
    }),
  ];
}
