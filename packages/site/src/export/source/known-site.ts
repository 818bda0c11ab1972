import { lstatSync } from "node:fs";
import { join } from "node:path";
import { toFileStat, matchesFileStat, isSettled } from "../../core/index.ts";
import type { FileStat } from "../../core/index.ts";
import {
  hasSameBasePaths,
  hasSameEntries,
  hasTextHash,
  listBundlePaths,
  settleFolders,
} from "../../load/index.ts";
import type {
  FolderRecord,
  LoadedSite,
  PageSource,
  SiteBasis,
  SiteSettings,
} from "../../load/index.ts";
import type { Site, SitePage } from "../../site/index.ts";
import { findUnchangedHeads } from "./page-heads.ts";

/**
 * A site as an export read it, with a record of its sources. As long as they have not changed, the site need not be
 * read again.
 */
export interface KnownSite {
  /** A key of the settings that affect the site. */
  readonly settingsKey: string;
  /** The site without the origin of its files. */
  readonly site: Site;
  readonly folders: FolderRecord;
  /** The configuration and ignore rules; undefined for a file that did not exist. */
  readonly files: ReadonlyMap<string, FileStat | undefined>;
  /** Pages with problems, which are not in the source index. */
  readonly faulty: ReadonlyMap<string, FileStat>;
}

/** If more pages than this have changed, the whole site is read. */
const maxChanged = 64;

/**
 * Returns the known site if reading it again would give the same result: the folders have the same entries, the
 * configuration is the same, and the heads of changed pages are unchanged.
 */
export async function findKnownSite(
  settings: SiteSettings,
  known: KnownSite,
  isUnchanged: (file: string) => boolean,
): Promise<Site | undefined> {
  const { site, files, faulty, folders } = known;
  const { root } = site;
  if ((await computeSettingsKey(root, settings)) !== known.settingsKey) return undefined;
  for (const [path, stat] of [...files, ...faulty])
    if (!isAsBefore(root, path, stat)) return undefined;
  if (!hasSameEntries(root, folders)) return undefined;
  const changed = site.pages.filter(({ file }) => !isUnchanged(file) && !faulty.has(file));
  if (changed.length > maxChanged) return undefined;
  const same = await findUnchangedHeads(site, changed, settings.signal);
  if (same.size < changed.length) return undefined;
  return (await hasSameBasePaths(site, settings, same)) ? site : undefined;
}

/** Returns undefined for a site that depends on more data than can be compared. */
export async function toKnownSite(
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
 * Returns the stats of files. Undefined unless it is certain that each file still has the content that was read.
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
      // The file changed around the start of the export. Read it again once a further change is certain to change its
      // stat.
      const isOld = isSettled(stat, Date.now());
      if (!isOld || hash === undefined || !(await hasTextHash(root, file, hash))) return undefined;
    }
    found.set(file, stat);
  }
  return found;
}

/** Reports whether the site's data about a page equals the data in its file, so that either can replace the other. */
function isPlainCopy(page: SitePage, source: PageSource | undefined): boolean {
  return (
    source !== undefined &&
    source.apiLine === undefined &&
    page.frontmatter === source.frontmatter &&
    page.title === source.title &&
    page.navTitle === source.navTitle
  );
}

function isAsBefore(root: string, path: string, stat: FileStat | undefined): boolean {
  const stats = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (!stats || !stat) return stats === undefined && stat === undefined;
  return stats.isFile() && matchesFileStat(stats, stat);
}

/** Returns a key of the settings that affect a site, apart from the origin of its files. */
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
