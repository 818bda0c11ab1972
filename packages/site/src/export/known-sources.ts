import { lstatSync } from "node:fs";
import { join } from "node:path";
import type { FolderNotes } from "./cache/folder-notes.ts";
import type { LoadedSite, PageSource } from "../site/index.ts";
import { isSettled, isStamp } from "./file-stamp.ts";
import type { FileStamp } from "./file-stamp.ts";

/** What an earlier export read of the pages of a site's folder. */
export interface SourcesNote {
  /** Whether the folder had no configuration: titles come from elsewhere then. */
  readonly isPlain: boolean;
  readonly files: readonly NotedSource[];
}

interface NotedSource {
  readonly page: PageSource;
  readonly stamp: FileStamp;
  /** SHA-256 of its text. */
  readonly textHash: string;
}

/** Pages whose files look as they did then, so that nothing of them has to be read, by file. */
export type KnownSources = ReadonlyMap<string, NotedSource>;

/** Changes beyond these are noted; fewer are read again each time, which costs less than noting them. */
const mostUnknown = 16;

export function lookAtSources(root: string, note: SourcesNote | undefined): KnownSources {
  const known = new Map<string, NotedSource>();
  for (const source of note?.files ?? []) {
    const { file } = source.page;
    const stats = lstatSync(join(root, file), { throwIfNoEntry: false });
    // A link has a stamp of its own, whatever becomes of the file that it leads to.
    if (stats?.isFile() && isStamp(stats, source.stamp)) known.set(file, source);
  }
  return known;
}

export function knownPages(known: KnownSources): ReadonlyMap<string, PageSource> {
  return new Map(Array.from(known, ([file, { page }]) => [file, page]));
}

/** What an export saw of a file whose whole text it read. */
export interface SeenText {
  readonly stamp: FileStamp;
  readonly textHash: string;
}

/** Notes what was read, where it was enough: only files without problems that did not change while the export ran. */
export function noteSources(
  notes: FolderNotes<SourcesNote>,
  { site, sources }: LoadedSite,
  read: {
    readonly known: KnownSources;
    readonly seen: ReadonlyMap<string, SeenText>;
    readonly startedMs: number;
  },
): void {
  const { known, seen, startedMs } = read;
  const troubled = new Set(site.problems.map(({ file }) => file));
  const fresh = Array.from(seen, ([file, { stamp, textHash }]) => {
    const page = sources.get(file);
    return page && !troubled.has(file) && isSettled(stamp, startedMs)
      ? [{ page, stamp, textHash }]
      : [];
  }).flat();
  if (fresh.length <= mostUnknown) return;
  const still = [...known.values()].filter(({ page }) => !seen.has(page.file));
  notes.keep(site.root, { isPlain: isPlainSite(site), files: [...still, ...fresh] });
}

export function isPlainSite({ configFile }: LoadedSite["site"]): boolean {
  return configFile === "none";
}
