import { lstatSync } from "node:fs";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import {
  addOrigin,
  readSite,
  type LoadedSite,
  type PageSource,
  hasSameBasePaths,
  hasSameEntries,
  hasTextHash,
  listBundlePaths,
  settleFolders,
  readPages,
} from "../../load/index.ts";
import type { SiteBasis, SiteSettings } from "../../load/index.ts";
import {
  createSuggestions,
  type NavDivision,
  type NavEntry,
  type NavPosition,
  type Site,
  type SitePage,
} from "../../site/index.ts";
import {
  getStatAt,
  isSameStat,
  isSettled,
  sha256,
  createInputError,
  toFileStat,
  matchesFileStat,
  ProblemLog,
} from "../../core/index.ts";
import type { FileStat } from "../../core/index.ts";
import type { ExportCache } from "../cache/export-cache.ts";
import type { ExportSettings } from "../export-settings.ts";
import type { PageKeys } from "../page/page-key.ts";
import {
  createIndexInMemory,
  emptyUnchangedSources,
  findUnchanged,
  isPlainSite,
  type KnownPageKeys,
  type KnownSite,
  type ReadText,
  type SourceIndex,
  type UnchangedSources,
  updateSourceIndex,
  toPageSource,
} from "./source-index.ts";
import { createSiteFiles, type SiteFiles } from "./site-files.ts";

/** A site as an export read it. */
export interface ExportSource {
  /** The site, limited to the pages of the export. */
  readonly site: Site;
  readonly materials: LoadedSite["materials"];
  readonly sources: LoadedSite["sources"];
  /** Files that were not read because they have not changed since an earlier export. */
  readonly unchanged: UnchangedSources;
  /** `siteKey` of the index that lists the unchanged files. */
  readonly knownSiteKey: string | undefined;
  /** The site, if it was taken from the index instead of being read. */
  readonly known: KnownSite | undefined;
  /** The hashes of page keys, if the index has them for exactly these pages. */
  readonly knownKeys: KnownPageKeys | undefined;
  readonly basis: LoadedSite["basis"];
  readonly startedMs: number;
}

/**
 * Reads the site's folder, except pages whose files have not changed since an earlier export. Throws the same errors as
 * `readSite` and `selectPages`.
 */
export async function readSource(
  settings: ExportSettings,
  cache: ExportCache | undefined,
): Promise<ExportSource> {
  const startedMs = Date.now();
  const { siteDir, memory } = settings;
  const index = memory ? memory.index : cache?.sources.read(siteDir);
  const found = findUnchanged(siteDir, index, memory?.changed);
  const common = { startedMs, knownSiteKey: index?.siteKey };
  const knownSource = index && (await readKnownSource(settings, index, found));
  if (knownSource) return { ...knownSource, ...common };
  const first = await readSite(settings, mapUnchangedPages(found));
  const isReadable = !index || isPlainSite(first.site) === index.isPlain;
  // Whether there is a configuration file determines the source of titles, so a site where this has changed is read
  // again.
  const loaded = isReadable ? first : await readSite(settings);
  const site = settings.paths ? selectPages(loaded.site, settings.paths) : loaded.site;
  const unchanged = isReadable ? found : emptyUnchangedSources;
  return { ...loaded, site, unchanged, ...common, known: undefined, knownKeys: undefined };
}

/** Returns the site from the index if reading the folder again would produce the same site. */
async function readKnownSource(
  settings: ExportSettings,
  { known, keys }: SourceIndex,
  unchanged: UnchangedSources,
): Promise<Omit<ExportSource, "startedMs" | "knownSiteKey"> | undefined> {
  const isUnchanged = (file: string) => unchanged.numberOf(file) !== undefined;
  const knownSite = known && (await findKnownSite(settings, known, isUnchanged));
  if (!knownSite) return undefined;
  const wholeSite = await addOrigin(knownSite, settings);
  const site = settings.paths ? selectPages(wholeSite, settings.paths) : wholeSite;
  const hasAllPages = site.pages === knownSite.pages;
  const pages = site.pages.filter(({ file }) => !isUnchanged(file));
  return {
    site,
    unchanged,
    known,
    knownKeys: hasAllPages ? keys : undefined,
    materials: new Map(),
    sources: new Map(pages.map((page) => [page.file, toPageSource(page)])),
    basis: undefined,
  };
}

/** Stores the data that this export read, for the next export: in `settings.memory` if that is set, or in the cache. */
export async function cacheSource(
  {
    settings,
    cache,
    keys,
  }: { settings: ExportSettings; cache: ExportCache | undefined; keys: PageKeys },
  source: ExportSource,
  read: {
    readonly texts: ReadonlyMap<string, ReadText>;
    readonly keys: ReadonlyMap<string, string>;
    readonly siteKey: string;
  },
): Promise<void> {
  const { memory, paths, isNewFolder } = settings;
  // The keys for a subset of the pages differ from the keys for all pages.
  if (memory && !paths) memory.index = createIndexInMemory(source.site, { ...source, ...read });
  // The index of a new folder is of no use to later exports, whose folders are new too.
  if (memory || isNewFolder || !cache) return;
  const { entries, numberOf } = source.unchanged;
  const statOf = (file: string) => {
    const number = numberOf(file);
    const known = number === undefined ? undefined : getStatAt(entries.stats, number);
    return read.texts.get(file)?.stat ?? known;
  };
  const { startedMs } = source;
  const readData = { texts: read.texts, sources: source.sources, startedMs };
  const confirmed = await recheckRecentFiles(source.site, readData, settings.signal);
  const known = source.known ?? (await toKnownSite(settings, source, { startedMs, statOf }));
  const isKnown = source.known !== undefined;
  const index = updateSourceIndex(source.site, {
    ...source,
    ...read,
    confirmed,
    known,
    isKnown,
    get pageKeys() {
      return keys.getKnownHashes();
    },
  });
  if (index) cache.sources.write(source.site.root, index);
}

/**
 * Returns recently changed files that have not changed for long enough and still have the same content. An export reads
 * the head of a page when it begins, and the text later. If a file had changed shortly before, like all files of a new
 * checkout, its stat does not show whether the head and the text come from the same content.
 */
export async function recheckRecentFiles(
  site: Site,
  read: {
    readonly texts: ReadonlyMap<string, ReadText>;
    readonly sources: ReadonlyMap<string, PageSource>;
    readonly startedMs: number;
  },
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const now = Date.now();
  const recentTexts = Array.from(read.texts).filter(
    ([, { stat }]) => !isSettled(stat, read.startedMs) && isSettled(stat, now),
  );
  const { readPage } = createSiteFiles(site.root);
  const expected: PageSource[] = [];
  for (const [file, text] of recentTexts) {
    const source = read.sources.get(file);
    if (source && (await hasText(readPage(file), text))) expected.push(source);
  }
  return await findUnchangedHeads(site, expected, signal);
}

function mapUnchangedPages({
  entries,
  numbers,
}: UnchangedSources): ReadonlyMap<string, PageSource> {
  return new Map(
    numbers.map((number) => {
      const page = entries.pages[number] as PageSource;
      return [page.file, toPageSource(page)];
    }),
  );
}

async function hasText(
  pageRead: ReturnType<SiteFiles["readPage"]>,
  { stat, textHash }: ReadText,
): Promise<boolean> {
  // A removed file also counts as changed.
  const found = await pageRead.catch(() => undefined);
  if (!found || "refused" in found) return false;
  return isSameStat(found.stat, stat) && sha256(found.text) === textHash;
}

/**
 * Returns the site with only the named pages, and without groups that are then empty. Throws `invalid_input` with a
 * message that names every path that is not a page.
 */
function selectPages(site: Site, paths: readonly string[]): Site {
  const existing = new Set(site.pages.map((page) => page.path));
  const wanted = new Set(paths.map((path) => path.replace(/^\/+/, "").replace(/\.mdx?$/, "")));
  const missingPaths = [...wanted].filter((path) => !existing.has(path));
  if (missingPaths.length > 0) {
    const names = missingPaths.map((path) => JSON.stringify(path)).join(", ");
    const verb = missingPaths.length === 1 ? "is not a page" : "are not pages";
    throw createInputError(`${names} ${verb} of this site.${formatHint(missingPaths, site)}`);
  }
  const navigation = pruneDivision(site.navigation, wanted);
  const positions = collectPositions(navigation);
  const pages = site.pages
    .filter((page) => wanted.has(page.path))
    .map((page): SitePage => ({ ...page, positions: positions.get(page.path) ?? [] }));
  return { ...site, pages, navigation };
}

function formatHint(missingPaths: readonly string[], site: Site): string {
  const suggest = createSuggestions(site.pages.map((page) => page.path));
  const suggestions = new Set(missingPaths.map(suggest).filter((path) => path !== undefined));
  if (suggestions.size === 0) return "";
  return ` Did you mean ${[...suggestions].map((path) => JSON.stringify(path)).join(", ")}?`;
}

function pruneDivision(division: NavDivision, wanted: ReadonlySet<string>): NavDivision {
  const divisions = division.divisions
    .map((child) => pruneDivision(child, wanted))
    .filter(
      (child) => child.href !== undefined || child.divisions.length + child.entries.length > 0,
    );
  return { ...division, divisions, entries: pruneEntries(division.entries, wanted) };
}

function pruneEntries(entries: readonly NavEntry[], wanted: ReadonlySet<string>): NavEntry[] {
  return entries.flatMap((entry): NavEntry[] => {
    if (entry.type === "link") return [entry];
    if (entry.type === "page") return wanted.has(entry.path) ? [entry] : [];
    const children = pruneEntries(entry.entries, wanted);
    const { root, ...group } = entry;
    const pruned = root !== undefined && wanted.has(root) ? { ...group, root } : group;
    return children.length > 0 || "root" in pruned ? [{ ...pruned, entries: children }] : [];
  });
}

/** Returns the positions of each page in a navigation tree. */
function collectPositions(root: NavDivision): Map<string, NavPosition[]> {
  const positions = new Map<string, NavPosition[]>();
  const add = (path: string, position: NavPosition) => {
    const found = positions.get(path);
    if (found) found.push(position);
    else positions.set(path, [position]);
  };
  function visitEntries(list: readonly NavEntry[], divisions: number[], above: number[]): void {
    for (const [index, entry] of list.entries()) {
      const entries = [...above, index];
      if (entry.type === "page") add(entry.path, { divisions, entries });
      if (entry.type !== "group") continue;
      if (entry.root !== undefined) add(entry.root, { divisions, entries });
      visitEntries(entry.entries, divisions, entries);
    }
  }
  function visit(division: NavDivision, path: number[]): void {
    visitEntries(division.entries, path, []);
    for (const [index, child] of division.divisions.entries()) visit(child, [...path, index]);
  }
  visit(root, []);
  return positions;
}

/** If more pages than this have changed, the whole site is read. */
const maxChangedPages = 64;

/**
 * Returns the known site if reading the folder again would produce the same site: the folders have the same entries,
 * the configuration is the same, and the heads of changed pages are unchanged.
 */
async function findKnownSite(
  settings: SiteSettings,
  known: KnownSite,
  isUnchanged: (file: string) => boolean,
): Promise<Site | undefined> {
  const { site, files, faulty, folders } = known;
  const { root } = site;
  if ((await computeSettingsKey(root, settings)) !== known.settingsKey) return undefined;
  for (const [path, stat] of [...files, ...faulty])
    if (!hasSameStat(root, path, stat)) return undefined;
  if (!hasSameEntries(root, folders)) return undefined;
  const changedPages = site.pages.filter(({ file }) => !isUnchanged(file) && !faulty.has(file));
  if (changedPages.length > maxChangedPages) return undefined;
  const unchangedFiles = await findUnchangedHeads(site, changedPages, settings.signal);
  if (unchangedFiles.size < changedPages.length) return undefined;
  return (await hasSameBasePaths(site, settings, unchangedFiles)) ? site : undefined;
}

/** Returns undefined for a site that depends on more data than can be compared. */
async function toKnownSite(
  settings: SiteSettings,
  { basis, materials, sources }: Pick<LoadedSite, "basis" | "materials" | "sources">,
  read: { readonly startedMs: number; readonly statOf: (file: string) => FileStat | undefined },
): Promise<KnownSite | undefined> {
  if (!basis || materials.size > 0) return undefined;
  const { site } = basis;
  if (!site.pages.every((page) => isPlainCopy(page, sources.get(page.file)))) return undefined;
  // Whether a file can be read depends on more than the compared data.
  if (site.problems.some(({ code }) => code === "page_unreadable")) return undefined;
  const files = await readUnchangedStats(site.root, basis.files, read.startedMs);
  if (!files) return undefined;
  const faulty = new Map<string, FileStat>();
  const withProblems = new Set(site.problems.map(({ file }) => file));
  for (const { file } of site.pages) {
    const stat = withProblems.has(file) ? read.statOf(file) : undefined;
    if (stat) faulty.set(file, stat);
    else if (withProblems.has(file)) return undefined;
  }
  if (faulty.values().some((stat) => !isSettled(stat, read.startedMs))) return undefined;
  const folders = settleFolders(site.root, basis.folders);
  return {
    settingsKey: await computeSettingsKey(site.root, settings),
    site,
    folders,
    files,
    faulty,
  };
}

/**
 * Returns the stats of files. Returns undefined unless it is certain that each file still has the content that was
 * read.
 */
async function readUnchangedStats(
  root: string,
  files: SiteBasis["files"],
  startedMs: number,
): Promise<Map<string, FileStat | undefined> | undefined> {
  const found = new Map<string, FileStat | undefined>();
  for (const [file, hash] of files) {
    const stats = lstatSync(join(root, file), { throwIfNoEntry: false });
    if (stats && !stats.isFile()) return undefined;
    const stat = stats && toFileStat(stats);
    if (stat && !isSettled(stat, startedMs)) {
      // The file changed around the start of the export. It is read again once any further change is certain to change
      // its stat.
      const isOld = isSettled(stat, Date.now());
      if (!isOld || hash === undefined || !(await hasTextHash(root, file, hash))) return undefined;
    }
    found.set(file, stat);
  }
  return found;
}

/** Reports whether the site's data about a page equals the data in its file, so that one can replace the other. */
function isPlainCopy(page: SitePage, source: PageSource | undefined): boolean {
  return (
    source !== undefined &&
    source.apiLine === undefined &&
    page.frontmatter === source.frontmatter &&
    page.title === source.title &&
    page.navTitle === source.navTitle
  );
}

function hasSameStat(root: string, path: string, stat: FileStat | undefined): boolean {
  const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (!stats || !stat) return stats === undefined && stat === undefined;
  return stats.isFile() && matchesFileStat(stats, stat);
}

/** Returns a key of the settings that affect a site, except the origin of its files. */
async function computeSettingsKey(root: string, settings: SiteSettings): Promise<string> {
  const { folderName, baseUrl, addresses, remoteApis, fetchRemote } = settings;
  const bundles = [...(await listBundlePaths(root, settings))];
  const inside = bundles.filter((path) => path !== ".." && !path.startsWith("../")).toSorted();
  return JSON.stringify([
    inside,
    folderName,
    baseUrl,
    addresses,
    remoteApis,
    fetchRemote !== undefined,
  ]);
}

/** Returns the files of the pages whose heads are as expected and have no problems. */
async function findUnchangedHeads(
  { root, configFile }: Site,
  expected: readonly PageSource[],
  signal: AbortSignal | undefined,
): Promise<ReadonlySet<string>> {
  const problems = new ProblemLog();
  const files = expected.map(({ file }) => file);
  const isPlain = configFile === "none";
  const sources = await readPages(root, files, { isPlain, problems, signal });
  const byFile = new Map(sources.map((source) => [source.file, source]));
  const faulty = new Set(problems.listSorted().map(({ file }) => file));
  const isSame = (page: PageSource) =>
    !faulty.has(page.file) && isDeepStrictEqual(byFile.get(page.file), toPageSource(page));
  return new Set(expected.filter(isSame).map(({ file }) => file));
}
