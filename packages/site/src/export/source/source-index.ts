import { lstatSync } from "node:fs";
import type { PageSource, FolderRecord } from "../../load/index.ts";
import type { Site, SitePage } from "../../site/index.ts";
import {
  compareCodeUnits,
  createSortedLookup,
  hasStatAt,
  isSettled,
  joinStats,
  getStatAt,
  type FileStat,
} from "../../core/index.ts";
import { joinTexts, splitTexts } from "../cache/value-file.ts";
import { createFolderCache, type KeyCache } from "../cache/key-cache.ts";
import {
  encodeNavigation,
  encodePages,
  decodeNavigation,
  decodePages,
  type PageBytes,
} from "./site-bytes.ts";

/**
 * A site as an export read it, with a record of its sources. As long as the sources have not changed, the site need not
 * be read again.
 */
export interface KnownSite {
  /** A key of the settings that affect the site. */
  readonly settingsKey: string;
  /** The site without the origin of its files. */
  readonly site: Site;
  readonly folders: FolderRecord;
  /** Stats of the configuration and ignore files; undefined for a file that did not exist. */
  readonly files: ReadonlyMap<string, FileStat | undefined>;
  /** Pages with problems, which are not in the source index. */
  readonly faulty: ReadonlyMap<string, FileStat>;
}

/** The data that an export read from a site's pages, so that the next export need not read unchanged pages again. */
export interface SourceIndex {
  /** Whether the folder had no configuration. Titles then come from a different source. */
  readonly isPlain: boolean;
  /** `PageKeys.getSiteKey` of that export. If it is unchanged, so are the keys of pages with the same texts. */
  readonly siteKey: string;
  readonly entries: SourceEntries;
  /** Undefined if the site must be read each time. Otherwise the entries and this site share their page objects. */
  readonly known?: KnownSite | undefined;
  /** The hashes from which the page keys of the known site were built. */
  readonly keys?: KnownPageKeys | undefined;
}

/**
 * The sources of a folder that only one process changes, in memory between its exports. The folder may be so new that
 * stats do not show whether a file has changed, so the process names the files that it changed.
 */
export interface SourceMemory {
  /** The files that were changed, added, moved or removed since the memory was created. They are read each time. */
  readonly changed: ReadonlySet<string>;
  /** Set by each export of all pages. */
  index?: SourceIndex;
}

/** Hashes of page keys, see `PageKeys`. */
export interface KnownPageKeys {
  /** A hash of everything that the keys depend on except the site. */
  readonly settings: string;
  /** A hash of everything that all pages have in common. */
  readonly shared: string;
  readonly site: string;
  /** One hash per division. A division comes before the divisions that it contains. */
  readonly sidebars: readonly string[];
}

/** Pages whose files were read, by number. They are in columns because few of them are accessed individually. */
interface SourceEntries {
  /** Sorted by file. */
  readonly pages: readonly PageSource[];
  /** Stats of the files when they were read, in the format of `joinStats`. */
  readonly stats: Float64Array;
  /** SHA-256 of the pages' texts. */
  readonly textHashes: readonly string[];
  /** Keys of the pages. A key is empty for a page that depends on more than the site and its text. */
  readonly keys: readonly string[];
}

/** A file whose complete text was read. */
export interface ReadText {
  /** The file's stat when it was read. */
  readonly stat: FileStat;
  /** SHA-256 of its text. */
  readonly textHash: string;
}

/** The entries whose files have not changed since they were read. */
export interface UnchangedSources {
  readonly entries: SourceEntries;
  /** Numbers of the unchanged entries, in ascending order. */
  readonly numbers: readonly number[];
  /** Returns the number of a file's entry, or undefined if the file changed or has no entry. */
  readonly numberOf: (file: string) => number | undefined;
}

export const emptyUnchangedSources: UnchangedSources = {
  entries: { pages: [], stats: new Float64Array(), textHashes: [], keys: [] },
  numbers: [],
  numberOf: () => undefined,
};

/**
 * The maximum number of new entries for which the index is not rewritten, because reading so few files again costs
 * less.
 */
const maxUnindexedFiles = 16;

/** A source index as stored in a file. The data that grows with the site is in columns and encoded bytes. */
interface StoredIndex extends Omit<SourceIndex, "entries" | "known"> {
  readonly entries: StoredEntries;
  readonly known: StoredSite | undefined;
  /** The pages of the known site, or the pages of the entries if there is no known site. */
  readonly pages: PageBytes;
}

interface StoredEntries extends Pick<SourceEntries, "stats"> {
  /** For each entry, the number of its page. */
  readonly numbers: Uint32Array;
  readonly textHashes: string;
  readonly keys: string;
}

interface StoredSite extends Omit<KnownSite, "site" | "folders"> {
  readonly site: Omit<Site, "pages" | "navigation">;
  readonly navigation: Uint8Array;
  readonly folders: StoredFolders;
}

interface StoredFolders extends Pick<FolderRecord, "stats"> {
  readonly folders: string;
  readonly entries: string;
}

/** Finds the unchanged entries. `changed` names files that changed even if their stats do not show it. */
export function findUnchanged(
  siteDir: string,
  index: Pick<SourceIndex, "entries"> | undefined,
  changed?: ReadonlySet<string>,
): UnchangedSources {
  if (!index) return emptyUnchangedSources;
  const { entries } = index;
  const files = entries.pages.map(({ file }) => file);
  const numbers: number[] = [];
  const unchangedFlags = new Uint8Array(files.length);
  for (let number = 0; number < files.length; number += 1) {
    if (changed?.has(files[number] ?? "")) continue;
    const found = lstatSync(`${siteDir}/${files[number]}`, { throwIfNoEntry: false });
    // The stat of a link does not change when its target changes.
    if (!found?.isFile() || !hasStatAt(entries.stats, number, found)) continue;
    numbers.push(number);
    unchangedFlags[number] = 1;
  }
  const find = createSortedLookup(files);
  const numberOf = (file: string) => {
    const number = find(file);
    return number !== undefined && unchangedFlags[number] === 1 ? number : undefined;
  };
  return { entries, numbers, numberOf };
}

/** The data of an export that an index is built from. */
interface ReadSources {
  readonly sources: ReadonlyMap<string, PageSource>;
  readonly unchanged: UnchangedSources;
  readonly texts: ReadonlyMap<string, ReadText>;
  /** Keys of pages that depend only on the site and their texts, by file, except keys that are in the earlier index. */
  readonly keys: ReadonlyMap<string, string>;
  readonly siteKey: string;
  /** `siteKey` of the earlier index. */
  readonly knownSiteKey: string | undefined;
}

/**
 * Returns the index for this export's data, or undefined if the cached index suffices. It contains only files without
 * problems whose heads and texts come from the same content.
 */
export function updateSourceIndex(
  site: Site,
  read: ReadSources & {
    readonly startedMs: number;
    /** The result of `recheckRecentFiles`. */
    readonly confirmed: ReadonlySet<string>;
    /** The site as it was read for this export. */
    readonly known: KnownSite | undefined;
    /** Whether the known site is in the cached index. */
    readonly isKnown: boolean;
    readonly pageKeys: KnownPageKeys;
  },
): SourceIndex | undefined {
  const { unchanged, startedMs, confirmed, siteKey, known } = read;
  const addedEntries = listAdded(
    site,
    read,
    ({ stat }, file) => isSettled(stat, startedMs) || confirmed.has(file),
  );
  const { numbers } = unchanged;
  const isSameSite = siteKey === read.knownSiteKey;
  const hasKnownKeys = isSameSite || numbers.length <= maxUnindexedFiles;
  const hasSite = read.isKnown || known === undefined;
  if (addedEntries.length <= maxUnindexedFiles && hasKnownKeys && hasSite) return undefined;
  const pages = new Map(known?.site.pages.map((page) => [page.file, page]));
  const pageOf = (page: PageSource) => (known ? pages.get(page.file) : toPageSource(page));
  return {
    isPlain: isPlainSite(site),
    siteKey,
    entries: mergeEntries(read, addedEntries, pageOf),
    known,
    keys: known && read.pageKeys,
  };
}

/** Returns the index of everything that an export read, for the next export by the same process. */
export function createIndexInMemory(site: Site, read: ReadSources): SourceIndex {
  const addedEntries = listAdded(site, read, () => true);
  return {
    isPlain: isPlainSite(site),
    siteKey: read.siteKey,
    entries: mergeEntries(read, addedEntries, (page) => page),
  };
}

interface AddedEntry extends ReadText {
  readonly page: PageSource;
}

/** Lists the files without problems that were read and whose heads and texts come from the same content. */
function listAdded(
  site: Site,
  { sources, texts }: Pick<ReadSources, "sources" | "texts">,
  isCertain: (text: ReadText, file: string) => boolean,
): readonly AddedEntry[] {
  const faulty = new Set(site.problems.map(({ file }) => file));
  return Array.from(texts, ([file, text]) => {
    const page = sources.get(file);
    return page && isCertain(text, file) && !faulty.has(file) ? [{ page, ...text }] : [];
  }).flat();
}

/** Returns the entries of the unchanged files and of the files that were read. */
function mergeEntries(
  { unchanged, texts, keys, siteKey, knownSiteKey }: ReadSources,
  addedEntries: readonly AddedEntry[],
  pageOf: (page: PageSource) => PageSource | undefined,
): SourceEntries {
  const { numbers, entries } = unchanged;
  const unchangedEntries = numbers.flatMap((number) => {
    const page = entries.pages[number];
    if (!page || texts.has(page.file)) return [];
    const key = siteKey === knownSiteKey ? entries.keys[number] : undefined;
    const textHash = entries.textHashes[number] ?? "";
    return [{ page, stat: getStatAt(entries.stats, number), textHash, key }];
  });
  const all = [...unchangedEntries, ...addedEntries.map((entry) => ({ ...entry, key: undefined }))];
  const sorted = all.toSorted((a, b) => compareCodeUnits(a.page.file, b.page.file));
  const next = sorted.flatMap(({ page, stat, textHash, key: knownKey = "" }) => {
    // The earlier index may contain a file that is no longer a page, for example because it is now ignored.
    const currentPage = pageOf(page);
    return currentPage
      ? [{ page: currentPage, stat, textHash, key: keys.get(page.file) ?? knownKey }]
      : [];
  });
  return {
    pages: next.map(({ page }) => page),
    stats: joinStats(next.map(({ stat }) => stat)),
    textHashes: next.map(({ textHash }) => textHash),
    keys: next.map(({ key }) => key),
  };
}

export function isPlainSite({ configFile }: Site): boolean {
  return configFile === "none";
}

/**
 * Caches the source index of each site, by the site's folder. `version` is the version of the renderer: other versions
 * read sites differently.
 */
export function createSourceIndexCache(dir: string, version: string): KeyCache<SourceIndex> {
  const cache = createFolderCache<StoredIndex>(dir, version);
  return {
    bytesOf: (folder) => cache.bytesOf(folder),
    read(folder) {
      const stored = cache.read(folder);
      return stored && toIndex(stored);
    },
    write: (folder, index) => cache.write(folder, toStoredIndex(index)),
  };
}

function toIndex({ pages: bytes, known, entries, ...index }: StoredIndex): SourceIndex {
  const pages = decodePages(bytes) as readonly SitePage[];
  const { numbers, stats, textHashes, keys } = entries;
  return {
    ...index,
    entries: {
      pages: Array.from(numbers, (number) => pages[number] as SitePage),
      stats,
      textHashes: splitTexts(textHashes),
      keys: splitTexts(keys),
    },
    known: known && toKnownSite(known, pages),
  };
}

function toStoredIndex({ entries, known, ...index }: SourceIndex): StoredIndex {
  const pages: readonly PageSource[] = known?.site.pages ?? entries.pages;
  const numberOf = new Map(pages.map((page, number) => [page, number]));
  return {
    ...index,
    pages: encodePages(pages),
    entries: {
      numbers: Uint32Array.from(entries.pages, (page) => numberOf.get(page) as number),
      stats: entries.stats,
      textHashes: joinTexts(entries.textHashes),
      keys: joinTexts(entries.keys),
    },
    known: known && toStoredSite(known),
  };
}

function toKnownSite(
  { site, navigation, folders, ...known }: StoredSite,
  pages: readonly SitePage[],
): KnownSite {
  let entries: readonly string[] | undefined;
  return {
    ...known,
    site: { ...site, pages, navigation: decodeNavigation(navigation) },
    folders: {
      folders: splitTexts(folders.folders),
      stats: folders.stats,
      // The entries are computed on access, because they are compared only for changed folders, which are few.
      get entries() {
        return (entries ??= splitTexts(folders.entries));
      },
    },
  };
}

function toStoredSite({ site, folders, ...known }: KnownSite): StoredSite {
  const { pages: _, navigation, ...others } = site;
  return {
    ...known,
    site: others,
    navigation: encodeNavigation(navigation),
    folders: {
      folders: joinTexts(folders.folders),
      entries: joinTexts(folders.entries),
      stats: folders.stats,
    },
  };
}

/** Returns the data that comes from the page's own file. */
export function toPageSource(page: PageSource): PageSource {
  const { path, file, format, frontmatter, title, titleLine, navTitle, isGenerated, apiLine } =
    page;
  return {
    path,
    file,
    format,
    frontmatter,
    title,
    ...(titleLine !== undefined && { titleLine }),
    navTitle,
    ...(isGenerated && { isGenerated }),
    ...(apiLine !== undefined && { apiLine }),
  };
}
