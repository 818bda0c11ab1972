import { joinTexts, splitTexts } from "../cache/value-file.ts";
import type { FolderRecord, PageSource } from "../../load/index.ts";
import type { Site, SitePage } from "../../site/index.ts";
import { createFolderCache } from "../cache/folder-cache.ts";
import type { FolderCache } from "../cache/folder-cache.ts";
import type { KnownSite } from "./known-site.ts";
import { bytesOfNavigation, bytesOfPages, navigationOf, pagesOf } from "./site-bytes.ts";
import type { PageBytes } from "./site-bytes.ts";
import type { SourceEntries, SourceIndex } from "./source-index.ts";

/** A source index as a file has it: what grows with the site is in columns and in bytes. */
interface StoredIndex extends Omit<SourceIndex, "entries" | "known"> {
  readonly entries: StoredEntries;
  readonly known: StoredSite | undefined;
  /** Those of the known site, if there is one, else of the entries. */
  readonly pages: PageBytes;
}

interface StoredEntries extends Pick<SourceEntries, "stats"> {
  /** For each entry the number of its page. */
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

/** The source index of each site, by its folder. `version` is the renderer's: other versions read sites differently. */
export function createSourceIndexCache(dir: string, version: string): FolderCache<SourceIndex> {
  const cache = createFolderCache<StoredIndex>(dir, version);
  return {
    bytesOf: (folder) => cache.bytesOf(folder),
    read(folder) {
      const stored = cache.read(folder);
      return stored && toIndex(stored);
    },
    write: (folder, index) => cache.write(folder, toStored(index)),
  };
}

function toIndex({ pages: bytes, known, entries, ...index }: StoredIndex): SourceIndex {
  const pages = pagesOf(bytes) as readonly SitePage[];
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

function toStored({ entries, known, ...index }: SourceIndex): StoredIndex {
  const pages: readonly PageSource[] = known?.site.pages ?? entries.pages;
  const numberOf = new Map(pages.map((page, number) => [page, number]));
  return {
    ...index,
    pages: bytesOfPages(pages),
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
    site: { ...site, pages, navigation: navigationOf(navigation) },
    folders: {
      folders: splitTexts(folders.folders),
      stats: folders.stats,
      // Those of folders that changed are compared, which few do.
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
    navigation: bytesOfNavigation(navigation),
    folders: {
      folders: joinTexts(folders.folders),
      entries: joinTexts(folders.entries),
      stats: folders.stats,
    },
  };
}
