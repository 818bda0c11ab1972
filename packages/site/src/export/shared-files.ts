import { readFileSync, statSync } from "node:fs";
import {
  compareCodeUnits,
  createLazyFile,
  limits,
  resolveRealPathSync,
  sha256,
  type BundleFile,
  type Problem,
} from "../core/index.ts";
import { renderIconStyles } from "../markup/index.ts";
import { createCopyFinder, normalizeRemoteAddress, type Site } from "../site/index.ts";
import {
  createReportFile,
  createSiteOutputs,
  type FullTexts,
  type ReadingOrder,
  type RemoteRequest,
  type ReportChecks,
  type UnstyledClass,
} from "../outputs/index.ts";
import { renderCodeStyles, loadPalettes } from "../highlight/index.ts";
import { createSearchFiles } from "../search/index.ts";
import {
  listChangelogTags,
  createNotFoundScript,
  createThemeFiles,
  findSelectorNames,
} from "../theme/index.ts";
import type { Reference } from "../page/index.ts";
import type { ExportRun } from "./export-run.ts";
import { listRemoteMedia } from "./media/page-media.ts";
import type { BundlePage } from "./page/place-documents.ts";

interface AllPages {
  readonly pages: readonly BundlePage[];
  readonly order: ReadingOrder;
  readonly fullTexts: FullTexts;
  readonly problems: readonly Problem[];
}

/** Larger files, which are rare in a bundle, are always written instead of being hashed. */
const maxHashedLength = 32 * 1024 * 1024;

interface PageReferences {
  readonly rendered: { readonly references: readonly Reference[]; readonly hasFrames?: boolean };
}

/** Adds the files built from all pages to the bundle. A file of the site at the same path takes precedence. */
export async function addSharedFiles(
  run: Pick<ExportRun, "settings" | "cache" | "source" | "bundle" | "shared" | "keys">,
  all: AllPages,
): Promise<void> {
  const { bundle } = run;
  for await (const files of generateSharedFiles(run, all)) {
    run.settings.signal?.throwIfAborted();
    for (const file of files) {
      if (!bundle.isTaken(file.path)) bundle.place(file, computeFingerprint(file));
    }
  }
}

/**
 * Yields files in groups by kind. Each file is built on access, because the files of a large site do not all fit into
 * memory at once. Files are grouped because a promise for each of ten thousand files costs as much as reading a file's
 * stat.
 */
async function* generateSharedFiles(
  run: Pick<ExportRun, "settings" | "cache" | "source" | "shared" | "keys">,
  { pages, order, fullTexts, problems }: AllPages,
): AsyncGenerator<Iterable<BundleFile>> {
  const { source, cache, settings, shared, keys } = run;
  // Without a cache, the keys do not cover the renderer's version, and no other keys are compared with them.
  const siteFingerprint = cache && keys.getSiteKey();
  const theme = await buildStylesAndScripts(run, pages);
  yield theme;
  yield await createSearchFiles(source.site, pages, cache?.searchIndexes);
  const { baseUrl } = settings;
  const { firstScript } = shared.setup;
  yield createSiteOutputs(source.site, pages, {
    firstScript,
    baseUrl,
    siteFingerprint,
    order,
    fullTexts,
  });
  yield [
    createLazyFile("404.html", siteFingerprint, () => shared.layout.renderNotFound()),
    await createNotFoundScript(source.site, siteFingerprint),
    createBundleReport(run, pages, {
      problems,
      unstyledClasses: findUnstyledClasses(source.site, pages, theme),
    }),
  ];
}

/** Returns the file's own fingerprint or a hash of its content. Hashing costs less than writing the file. */
function computeFingerprint(file: BundleFile): string | undefined {
  if (file.fingerprint !== undefined || file.parts) return file.fingerprint;
  // The content is accessed only here, because access may compute it.
  const { content } = file;
  return content.length > maxHashedLength ? undefined : sha256(content).slice(0, 32);
}

async function buildStylesAndScripts(
  { cache, source, shared, keys }: Pick<ExportRun, "cache" | "source" | "shared" | "keys">,
  pages: readonly BundlePage[],
): Promise<readonly BundleFile[]> {
  const { site } = source;
  const { icons: renderIcon, setup } = shared;
  const { codeTheme } = site.config;
  const pageIcons = joinLists(pages.map(({ rendered }) => rendered.icons));
  return await createThemeFiles(site, {
    // Without a cache, the keys do not cover the renderer's version, and no other keys are compared with them.
    ...(cache ? { getNavFingerprint: (division) => keys.keyOfSidebar(division) } : {}),
    iconCss: renderIconStyles([...shared.siteIcons.keys, ...pageIcons]),
    codeCss: renderCodeStyles(codeTheme && (await loadPalettes(codeTheme))),
    classNames: new Set(joinLists(pages.map(({ rendered }) => rendered.classNames))),
    componentScripts: joinLists(pages.map(({ rendered }) => rendered.scripts)),
    words: setup.words,
    renderIcon,
    findCopy: createCopyFinder(setup.remoteMedia, setup.mediaCopies),
    maxTagCount: pages.reduce(
      (max, { rendered }) => Math.max(max, listChangelogTags(rendered.changes).length),
      0,
    ),
  });
}

/** Concatenates distinct lists: nearly all pages of a large site that come from the cache share their lists. */
function joinLists<T>(lists: readonly (readonly T[])[]): readonly T[] {
  return [...new Set(lists)].flat();
}

function createBundleReport(
  run: Pick<ExportRun, "settings" | "source" | "shared">,
  pages: readonly BundlePage[],
  found: Pick<ReportChecks, "problems" | "unstyledClasses">,
): BundleFile {
  const { settings, source, shared } = run;
  const { layoutMedia, media } = shared;
  const checks = settings.check ? ["links", "anchors", "media"] : [];
  const files = listRemoteMedia({ pages, layoutMedia, media });
  return createReportFile(source.site, pages, {
    checked: ["configuration", "navigation", "pages", ...checks],
    notChecked: ["external_links"],
    ...found,
    remoteRequests: {
      allowed: settings.remoteOrigins,
      requests: listRemoteRequests(run, pages),
    },
    remoteMedia: { mode: settings.remoteMedia, files },
  });
}

/** Maximum number of classes in the report. */
const maxUnstyledClasses = 500;

/** Finds the classes that pages use but that no style sheet or script of the bundle mentions. */
function findUnstyledClasses(
  { root, styles, scripts }: Site,
  pages: readonly BundlePage[],
  theme: readonly BundleFile[],
): readonly UnstyledClass[] {
  const usesByName = new Map<string, UnstyledClass>();
  for (const { page, rendered } of pages) {
    for (const name of rendered.sheetClassNames ?? []) {
      const use = usesByName.get(name) ?? { name, file: page.file, pages: 0 };
      usesByName.set(name, { ...use, pages: use.pages + 1 });
    }
  }
  if (usesByName.size === 0) return [];
  const sheets = theme.filter(({ path }) => path.endsWith(".css")).map(({ content }) => content);
  const texts = [...sheets.map(String), ...styles.map((file) => readOwnText(root, file))];
  for (const name of texts.flatMap((css) => [...findSelectorNames(css)])) usesByName.delete(name);
  const code = scripts.map((file) => readOwnText(root, file)).join("\n");
  const unstyled = [...usesByName.values()].filter(({ name }) => !code.includes(name));
  return unstyled.toSorted((a, b) => compareCodeUnits(a.name, b.name)).slice(0, maxUnstyledClasses);
}

/**
 * Reads a style sheet or script. Returns an empty string if it cannot be read; the failure is reported when the file is
 * copied.
 */
function readOwnText(root: string, path: string): string {
  try {
    const file = resolveRealPathSync(root, path);
    return statSync(file).size > limits.pageBytes ? "" : readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

/**
 * Lists the site's remote addresses for the report, except addresses of images, audio and videos. The addresses in its
 * own style sheets and scripts come first, then its fonts, then the frames of its pages.
 */
function listRemoteRequests(
  { settings, source, shared }: Pick<ExportRun, "settings" | "source" | "shared">,
  pages: readonly PageReferences[],
): readonly RemoteRequest[] {
  const { remoteMedia } = settings;
  const { site } = source;
  const fileRequests = shared.requests.map(({ kind, address, ...rest }): RemoteRequest => {
    const { file, line, column, blocked } = rest;
    return { kind, address, file, line, column, blocked };
  });
  const fontAddresses = remoteMedia === "vendor" ? [] : shared.remoteFonts;
  const references = pages.flatMap(({ rendered }) =>
    rendered.hasFrames === false ? [] : rendered.references,
  );
  return [
    ...fileRequests,
    // The theme never loads fonts from other hosts, not even from hosts that pages may contact.
    ...fontAddresses.map((address): RemoteRequest => ({
      kind: "font",
      address,
      file: site.configFile,
      blocked: true,
    })),
    ...references.flatMap(({ kind, target, file, line, column }): RemoteRequest[] => {
      const address = kind === "frame" ? normalizeRemoteAddress(target) : undefined;
      if (address === undefined) return [];
      const blocked = remoteMedia !== "keep";
      return [{ kind: "frame", address, file, line, column, blocked }];
    }),
  ];
}
