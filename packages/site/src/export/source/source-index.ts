import { lstatSync } from "node:fs";
import type { PageSource } from "../../load/index.ts";
import type { KnownPageKeys } from "../page/page-key.ts";
import type { KnownSite } from "./known-site.ts";
import { sourceOf } from "./page-heads.ts";
import type { Site } from "../../site/index.ts";
import {
  byCodeUnit,
  createSortedLookup,
  hasStatAt,
  isSettled,
  joinStats,
  statAt,
} from "../../core/index.ts";
import type { FileStat } from "../../core/index.ts";

/** What an export read of a site's pages, so that the next one need not read those that have not changed. */
export interface SourceIndex {
  /** Whether the folder had no configuration: titles then come from elsewhere. */
  readonly isPlain: boolean;
  /** `PageKeys.siteKey` at that time: while it is the same, so are the keys of pages with the same texts. */
  readonly siteKey: string;
  readonly entries: SourceEntries;
  /** Undefined if the site has to be read each time. The pages of the entries are its pages. */
  readonly known?: KnownSite | undefined;
  /** What the keys of the known site's pages were made of. */
  readonly keys?: KnownPageKeys | undefined;
}

/** Pages whose files were read, by number, in columns: few of them are looked at one by one. */
export interface SourceEntries {
  /** Sorted by file. */
  readonly pages: readonly PageSource[];
  /** Stats of the files when they were read, as `joinStats` gives them. */
  readonly stats: Float64Array;
  /** SHA-256 of their texts. */
  readonly textHashes: readonly string[];
  /** Keys of the pages; that of a page which depended on more than the site and the text is empty. */
  readonly keys: readonly string[];
}

/** A file whose whole text was read. */
export interface ReadText {
  /** The file's stat when it was read. */
  readonly stat: FileStat;
  /** SHA-256 of its text. */
  readonly textHash: string;
}

/** The entries whose files have not changed since. */
export interface UnchangedSources {
  readonly entries: SourceEntries;
  /** Ascending. */
  readonly numbers: readonly number[];
  /** The number of a file's entry; undefined if the file changed or has none. */
  readonly numberOf: (file: string) => number | undefined;
}

export const noUnchanged: UnchangedSources = {
  entries: { pages: [], stats: new Float64Array(), textHashes: [], keys: [] },
  numbers: [],
  numberOf: () => undefined,
};

/** For up to this many new entries the index is not written: reading those files again costs less. */
const maxMissing = 16;

export function findUnchanged(
  siteDir: string,
  index: Pick<SourceIndex, "entries"> | undefined,
): UnchangedSources {
  if (!index) return noUnchanged;
  const { entries } = index;
  const files = entries.pages.map(({ file }) => file);
  const numbers: number[] = [];
  const isUnchanged = new Uint8Array(files.length);
  for (let number = 0; number < files.length; number += 1) {
    const found = lstatSync(`${siteDir}/${files[number]}`, { throwIfNoEntry: false });
    // The stat of a link does not change with the file it leads to.
    if (!found?.isFile() || !hasStatAt(entries.stats, number, found)) continue;
    numbers.push(number);
    isUnchanged[number] = 1;
  }
  const find = createSortedLookup(files);
  const numberOf = (file: string) => {
    const number = find(file);
    return number !== undefined && isUnchanged[number] === 1 ? number : undefined;
  };
  return { entries, numbers, numberOf };
}

/**
 * The index of what was read; undefined if the cached one will do. It contains only files without problems whose heads and
 * texts are of the same content.
 */
export function nextSourceIndex(
  site: Site,
  read: {
    readonly sources: ReadonlyMap<string, PageSource>;
    readonly unchanged: UnchangedSources;
    readonly texts: ReadonlyMap<string, ReadText>;
    readonly startedMs: number;
    /** Files that had changed too shortly before that, and read the same once more: `confirmYoungFiles`. */
    readonly confirmed: ReadonlySet<string>;
    /** Keys of pages that depend on the site and their texts alone, by file, except those that the cached index has. */
    readonly keys: ReadonlyMap<string, string>;
    readonly siteKey: string;
    /** Of the cached index. */
    readonly knownSiteKey: string | undefined;
    /** The site as it was read for this export. */
    readonly known: KnownSite | undefined;
    /** Whether it is in the cached index. */
    readonly isKnown: boolean;
    readonly pageKeys: KnownPageKeys;
  },
): SourceIndex | undefined {
  const { sources, unchanged, texts, startedMs, confirmed, keys, siteKey, known } = read;
  const faulty = new Set(site.problems.map(({ file }) => file));
  const added = Array.from(texts, ([file, text]) => {
    const page = sources.get(file);
    const isCertain = isSettled(text.stat, startedMs) || confirmed.has(file);
    return page && isCertain && !faulty.has(file) ? [{ page, ...text, key: undefined }] : [];
  }).flat();
  const { numbers, entries } = unchanged;
  const isSameSite = siteKey === read.knownSiteKey;
  const hasKnownKeys = isSameSite || numbers.length <= maxMissing;
  const hasSite = read.isKnown || known === undefined;
  if (added.length <= maxMissing && hasKnownKeys && hasSite) return undefined;
  const same = numbers.flatMap((number) => {
    const page = entries.pages[number];
    if (!page || texts.has(page.file)) return [];
    const key = isSameSite ? entries.keys[number] : undefined;
    const textHash = entries.textHashes[number] ?? "";
    return [{ page, stat: statAt(entries.stats, number), textHash, key }];
  });
  const pages = new Map(known?.site.pages.map((page) => [page.file, page]));
  const pageOf = (page: PageSource) => (known ? pages.get(page.file) : sourceOf(page));
  const sorted = [...same, ...added].toSorted((a, b) => byCodeUnit(a.page.file, b.page.file));
  const next = sorted.flatMap(({ page, stat, textHash, key: knownKey = "" }) => {
    // A file that is no page any more, because it is ignored now, may have been one for the earlier index.
    const own = pageOf(page);
    return own ? [{ page: own, stat, textHash, key: keys.get(page.file) ?? knownKey }] : [];
  });
  return {
    isPlain: isPlainSite(site),
    siteKey,
    entries: {
      pages: next.map(({ page }) => page),
      stats: joinStats(next.map(({ stat }) => stat)),
      textHashes: next.map(({ textHash }) => textHash),
      keys: next.map(({ key }) => key),
    },
    known,
    keys: known && read.pageKeys,
  };
}

export function isPlainSite({ configFile }: Site): boolean {
  return configFile === "none";
}
