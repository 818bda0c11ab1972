import type { PageSource } from "../../load/index.ts";
import type { SitePage } from "../../site/index.ts";
import { joinStats, joinTexts, splitTexts, statAt } from "../cache/columns.ts";
import { createFolderCache } from "../cache/folder-cache.ts";
import type { FolderCache } from "../cache/folder-cache.ts";
import type { KnownSite } from "./known-site.ts";
import { bytesOfPages, pagesOf } from "./page-bytes.ts";
import type { SourceEntry, SourceIndex } from "./source-index.ts";

/** A source index as a file has it: in columns; its known site is without pages. */
interface StoredIndex extends Omit<SourceIndex, "entries"> {
  /** Those of the known site, if there is one, else of the entries; as `bytesOfPages` gives them. */
  readonly pages: Uint8Array;
  /** For each entry the number of its page. */
  readonly numbers: Uint32Array;
  readonly stats: Float64Array;
  readonly textHashes: string;
  /** An absent one is empty. */
  readonly pageKeys: string;
}

/** The source index of each site, by its folder. `version` is the renderer's: other versions read sites differently. */
export function createSourceIndexCache(dir: string, version: string): FolderCache<SourceIndex> {
  const cache = createFolderCache<StoredIndex>(dir, version);
  return {
    read(folder) {
      const stored = cache.read(folder);
      return stored && toIndex(stored);
    },
    write: (folder, index) => cache.write(folder, toStored(index)),
  };
}

function toIndex({ pages: bytes, known, ...stored }: StoredIndex): SourceIndex {
  const { numbers, stats, textHashes, pageKeys, ...index } = stored;
  const pages = pagesOf(bytes) as readonly SitePage[];
  const [hashes, keys] = [splitTexts(textHashes), splitTexts(pageKeys)];
  const entries = Array.from(numbers, (number, at): SourceEntry => {
    const page = pages[number] as SitePage;
    const textHash = hashes[at] ?? "";
    return { page, stat: statAt(stats, at), textHash, key: keys[at] || undefined };
  });
  return { ...index, entries, known: known && withPages(known, pages) };
}

function toStored({ entries, known, ...index }: SourceIndex): StoredIndex {
  const pages: readonly PageSource[] = known?.site.pages ?? entries.map(({ page }) => page);
  const numberOf = new Map(pages.map((page, number) => [page, number]));
  return {
    ...index,
    pages: bytesOfPages(pages),
    numbers: Uint32Array.from(entries, ({ page }) => numberOf.get(page) as number),
    stats: joinStats(entries.map(({ stat }) => stat)),
    textHashes: joinTexts(entries.map(({ textHash }) => textHash)),
    pageKeys: joinTexts(entries.map(({ key = "" }) => key)),
    ...(known && { known: withPages(known, []) }),
  };
}

function withPages(known: KnownSite, pages: readonly SitePage[]): KnownSite {
  return { ...known, site: { ...known.site, pages } };
}
