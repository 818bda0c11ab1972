import { stat } from "node:fs/promises";
import { join } from "node:path";
import { hashParts, ProblemLog } from "../core/index.ts";
import {
  createPageKeys,
  createSharedParts,
  type PageKeys,
  type SharedParts,
} from "../export/index.ts";
import {
  hasSameBasePaths,
  readSite,
  readPages,
  type LoadedSite,
  type SiteSettings,
} from "../load/index.ts";
import type { SitePage } from "../site/index.ts";

/** A site at one point in time, and the data from which its pages are built. */
export interface SiteSnapshot extends LoadedSite {
  readonly shared: SharedParts;
  readonly keys: PageKeys;
  readonly pages: ReadonlyMap<string, SitePage>;
  /** Files that are published unchanged. */
  readonly assets: ReadonlySet<string>;
  /** A hash that is equal for two snapshots of the same site. */
  readonly hash: string;
}

/** The previous snapshot, and the files that have changed since. */
interface PreviousSnapshot {
  readonly snapshot: SiteSnapshot;
  readonly changed: ReadonlySet<string>;
}

/** Files of these kinds provide content for pages and the site. */
const contentFilePattern = /\.(?:mdx?|json|ya?ml)$/i;
const ignoreFile = ".mintignore";

/** Reads a snapshot. Throws `site_invalid` in the same cases as `readSite`. */
export async function readSnapshot(
  settings: SiteSettings,
  earlier?: PreviousSnapshot,
): Promise<SiteSnapshot> {
  const loaded = await readSite(settings, earlier && selectUnchangedSources(earlier));
  const { site } = loaded;
  const pageSettings = { remoteMedia: "keep", remoteOrigins: [], isForCheck: false } as const;
  const shared = await createSharedParts(site, { ...settings, ...pageSettings });
  return {
    ...loaded,
    shared,
    // Keys are compared within this process only, in which the renderer's version is always the same.
    keys: createPageKeys(shared.setup, ""),
    pages: new Map(site.pages.map((page) => [page.path, page])),
    assets: new Set([...site.assets, ...(site.spareAssets ?? []), ...site.styles, ...site.scripts]),
    hash: hashParts([JSON.stringify(site)]),
  };
}

/**
 * Reports whether the site is unchanged despite changed files, so that only pages have to be rendered again. This is
 * the case for a change to a snippet, to a picture that still exists, or to the text of a page below an unchanged head.
 * Reading a site of 1,000 pages again takes about 100 ms; this function reads one file. `isSnippet` reports whether
 * pages include a file.
 */
export async function isSameSite(
  snapshot: SiteSnapshot,
  files: ReadonlySet<string>,
  {
    settings,
    isSnippet,
  }: { readonly settings: SiteSettings; readonly isSnippet: (file: string) => boolean },
): Promise<boolean> {
  for (const file of files) {
    if (!(await hasNoEffect(snapshot, file, isSnippet))) return false;
  }
  return await hasSameBasePaths(snapshot.site, settings, files);
}

/**
 * Returns the sources that need not be read again. Returns undefined after a configuration change, because page titles
 * differ between sites with and without a configuration. Files with problems are read again, to report the problems.
 */
function selectUnchangedSources({
  snapshot,
  changed,
}: PreviousSnapshot): SiteSnapshot["sources"] | undefined {
  const { site, sources } = snapshot;
  if ([...changed].some((file) => configurationFiles.has(file))) return undefined;
  const filesWithProblems = new Set(site.problems.map(({ file }) => file));
  return new Map(
    [...sources].filter(([file]) => !changed.has(file) && !filesWithProblems.has(file)),
  );
}

const configurationFiles: ReadonlySet<string> = new Set(["docs.json", "mint.json"]);

async function hasNoEffect(
  snapshot: SiteSnapshot,
  file: string,
  isSnippet: (file: string) => boolean,
): Promise<boolean> {
  if (file === ignoreFile) return false;
  if (isHidden(file)) return true;
  if (snapshot.sources.has(file)) return isSameHead(snapshot, file);
  const exists = await isPresent(join(snapshot.site.root, file));
  if (snapshot.assets.has(file)) return exists && !contentFilePattern.test(file);
  if (isSnippet(file)) return exists;
  // The file may be an editor's temporary file, which no longer exists.
  return !exists && !isFolderOfSite(snapshot, file);
}

async function isSameHead({ site, sources }: SiteSnapshot, file: string): Promise<boolean> {
  // A fixed problem changes the site too.
  if (site.problems.some((problem) => problem.file === file)) return false;
  const problems = new ProblemLog();
  const isPlain = site.configFile === "none";
  const [source] = await readPages(site.root, [file], { isPlain, problems });
  const isClean = problems.listSorted().length === 0;
  return isClean && JSON.stringify(source) === JSON.stringify(sources.get(file));
}

/**
 * Reports whether a path is a folder of the site. If a folder was moved away, watchers report the folder, not its
 * files.
 */
function isFolderOfSite({ sources, assets }: SiteSnapshot, folder: string): boolean {
  const start = `${folder}/`;
  const isBelow = (file: string): boolean => file.startsWith(start);
  return [...sources.keys()].some(isBelow) || [...assets].some(isBelow);
}

function isHidden(file: string): boolean {
  const parts = file.split("/");
  const checkedParts = parts[0] === ".well-known" ? parts.slice(1) : parts;
  return checkedParts.some((part) => part.startsWith("."));
}

async function isPresent(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    () => false,
  );
}
