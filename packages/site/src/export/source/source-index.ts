import { lstatSync } from "node:fs";
import type { PageSource } from "../../load/index.ts";
import type { KnownPageKeys } from "../page/page-key.ts";
import { sourceOf } from "./known-site.ts";
import type { KnownSite } from "./known-site.ts";
import type { Site } from "../../site/index.ts";
import { hasFileStat, isSettled } from "../../core/index.ts";
import type { FileStat } from "../../core/index.ts";

/** What an export read of a site's pages, so that the next one need not read those that have not changed. */
export interface SourceIndex {
  /** Whether the folder had no configuration: titles then come from elsewhere. */
  readonly isPlain: boolean;
  /** `PageKeys.siteKey` at that time: while it is the same, so are the keys of pages with the same texts. */
  readonly siteKey: string;
  readonly entries: readonly SourceEntry[];
  /** Undefined if the site has to be read each time. The pages of the entries are its pages. */
  readonly known?: KnownSite | undefined;
  /** What the keys of the known site's pages were made of. */
  readonly keys?: KnownPageKeys | undefined;
}

export interface SourceEntry extends ReadText {
  readonly page: PageSource;
  /** The page's key; absent if it depended on more than the site and the text. */
  readonly key?: string | undefined;
}

/** A file whose whole text was read. */
export interface ReadText {
  /** The file's stat when it was read. */
  readonly stat: FileStat;
  /** SHA-256 of its text. */
  readonly textHash: string;
}

/** The entries whose files have not changed since, by file. */
export type UnchangedSources = ReadonlyMap<string, SourceEntry>;

/** For up to this many new entries the index is not written: reading those files again costs less. */
const maxMissing = 16;

export function findUnchanged(siteDir: string, index: SourceIndex | undefined): UnchangedSources {
  const unchanged = new Map<string, SourceEntry>();
  for (const entry of index?.entries ?? []) {
    const { file } = entry.page;
    const stats = lstatSync(`${siteDir}/${file}`, { throwIfNoEntry: false });
    // The stat of a link does not change with the file it leads to.
    if (stats?.isFile() && hasFileStat(stats, entry.stat)) unchanged.set(file, entry);
  }
  return unchanged;
}

/**
 * The index of what was read; undefined if the cached one will do. It contains only files without problems that did not
 * change while the export ran.
 */
export function nextSourceIndex(
  site: Site,
  read: {
    readonly sources: ReadonlyMap<string, PageSource>;
    readonly unchanged: UnchangedSources;
    readonly texts: ReadonlyMap<string, ReadText>;
    readonly startedMs: number;
    /** Keys of pages that depend on the site and their texts alone, by file. */
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
  const { sources, unchanged, texts, startedMs, keys, siteKey, known } = read;
  const faulty = new Set(site.problems.map(({ file }) => file));
  const added = Array.from(texts, ([file, text]) => {
    const page = sources.get(file);
    const isUsable = page && !faulty.has(file) && isSettled(text.stat, startedMs);
    return isUsable ? [{ page, ...text }] : [];
  }).flat();
  const hasKnownKeys = siteKey === read.knownSiteKey || unchanged.size <= maxMissing;
  const hasSite = read.isKnown || known === undefined;
  if (added.length <= maxMissing && hasKnownKeys && hasSite) return undefined;
  const same = [...unchanged.values()].filter(({ page }) => !texts.has(page.file));
  const pages = new Map(known?.site.pages.map((page) => [page.file, page]));
  const pageOf = (page: PageSource) => (known ? pages.get(page.file) : sourceOf(page));
  const entries = [...same, ...added].flatMap((entry) => {
    // A file that is no page any more, because it is ignored now, may have been one for the earlier index.
    const page = pageOf(entry.page);
    return page ? [{ ...entry, page, key: keys.get(page.file) }] : [];
  });
  return { isPlain: isPlainSite(site), siteKey, entries, known, keys: known && read.pageKeys };
}

export function isPlainSite({ configFile }: Site): boolean {
  return configFile === "none";
}
