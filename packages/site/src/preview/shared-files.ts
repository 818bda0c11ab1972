import { renderIconStyles } from "../markup/index.ts";
import { createRedirectFiles, createSiteOutputs } from "../outputs/index.ts";
import { renderCodeStyles, loadPalettes } from "../highlight/index.ts";
import type { BundleFile } from "../core/index.ts";
import type { ComponentScript } from "../page/index.ts";
import type { RenderedPage } from "../export/index.ts";
import { createSearchFiles } from "../search/index.ts";
import {
  listChangelogTags,
  createNotFoundScript,
  notFoundScriptPath,
  findSiteIcons,
  createThemeFiles,
} from "../theme/index.ts";
import type { PreviewPages } from "./preview-pages.ts";
import type { SiteSnapshot } from "./site-snapshot.ts";

type Files = ReadonlyMap<string, BundleFile["content"]>;

/** The files of a snapshot's bundle other than its pages, built on request. */
export interface SharedFiles {
  /** Returns undefined if the bundle has no such file. */
  find(path: string): Promise<BundleFile["content"] | undefined>;
  /** Must be called after pages have changed: files built from all pages are then rebuilt. */
  update(): void;
}

/** Files built from all pages: requesting one of them renders the whole site. */
const allPagesFile =
  /^_octavo\/search\/|^(?:\.well-known\/)?llms(?:-full)?\.txt$|^robots\.txt$|^sitemap(?:-\d+)?\.xml$|(?:^|\/)rss\.xml$/;

/** Creates the files of a snapshot. `script` is the browser script, which is the same for every site. */
export function createSharedFiles(
  snapshot: SiteSnapshot,
  pages: PreviewPages,
  script: Promise<string>,
): SharedFiles {
  const { site, shared } = snapshot;
  const { firstScript } = shared.setup;
  let theme: { readonly key: string; readonly files: Promise<Files> } | undefined;
  let siteFiles: Promise<Files> | undefined;
  let fallbackFiles: Promise<Files> | undefined;

  /** Builds the files for addresses without a page. */
  async function makeFallbackFiles(): Promise<Files> {
    // A preview is always at the root of its host.
    const notFound = { path: "404.html", content: shared.layout.renderNotFound("/") };
    return indexByPath([
      ...createRedirectFiles(site, [], { firstScript }),
      notFound,
      await createNotFoundScript(site),
    ]);
  }
  async function makeSiteFiles(): Promise<Files> {
    const all = await pages.renderAll();
    const searchFiles = await createSearchFiles(site, all);
    return indexByPath([...searchFiles, ...createSiteOutputs(site, all, { firstScript })]);
  }
  /** Returns the theme's files. Styles cover the pages rendered so far, and are rebuilt when pages need more. */
  function getThemeFiles(): Promise<Files> {
    const wantedStyles = collectWantedStyles(pages.listRenderedPages());
    const key = JSON.stringify(wantedStyles);
    if (theme?.key !== key) theme = { key, files: readThemeFiles(snapshot, wantedStyles, script) };
    return theme.files;
  }
  return {
    async find(path) {
      if (allPagesFile.test(path)) return (await (siteFiles ??= makeSiteFiles())).get(path);
      const isThemeFile = path.startsWith("_octavo/") && path !== notFoundScriptPath;
      return (await (isThemeFile ? getThemeFiles() : (fallbackFiles ??= makeFallbackFiles()))).get(
        path,
      );
    },
    update() {
      siteFiles = undefined;
    },
  };
}

interface WantedStyles {
  readonly icons: readonly string[];
  readonly classNames: readonly string[];
  readonly componentScripts: readonly ComponentScript[];
  readonly tagCount: number;
}

function collectWantedStyles(pages: Iterable<RenderedPage>): WantedStyles {
  const [icons, classNames] = [new Set<string>(), new Set<string>()];
  const scripts = new Map<string, ComponentScript>();
  let tagCount = 0;
  for (const page of pages) {
    for (const icon of page.icons) icons.add(icon);
    for (const name of page.classNames) classNames.add(name);
    for (const script of page.scripts) scripts.set(script.name, script);
    tagCount = Math.max(tagCount, listChangelogTags(page.changes).length);
  }
  return {
    icons: [...icons].toSorted(),
    classNames: [...classNames].toSorted(),
    componentScripts: [...scripts.values()],
    tagCount,
  };
}

async function readThemeFiles(
  { site, shared }: SiteSnapshot,
  wanted: WantedStyles,
  script: Promise<string>,
): Promise<Files> {
  const { icons: renderIcon, setup } = shared;
  const { codeTheme } = site.config;
  const files = await createThemeFiles(site, {
    iconCss: renderIconStyles([...findSiteIcons(site, renderIcon).keys, ...wanted.icons]),
    codeCss: renderCodeStyles(codeTheme && (await loadPalettes(codeTheme))),
    classNames: new Set(wanted.classNames),
    maxTagCount: wanted.tagCount,
    componentScripts: wanted.componentScripts,
    words: setup.words,
    renderIcon,
    clientScript: await script,
  });
  return indexByPath(files);
}

function indexByPath(files: readonly BundleFile[]): Files {
  return new Map(files.map(({ path, content }) => [path, content]));
}
