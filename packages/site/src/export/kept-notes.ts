import { join } from "node:path";
import { createFolderNotes } from "./cache/folder-notes.ts";
import type { FolderNotes } from "./cache/folder-notes.ts";
import { createKeptIndexes } from "./cache/kept-indexes.ts";
import type { KeptIndexes } from "../search/index.ts";
import { readSite } from "../site/index.ts";
import type { LoadedSite } from "../site/index.ts";
import { createFolderRecords } from "./folder-record.ts";
import type { FolderRecords } from "./folder-record.ts";
import { isPlainSite, knownPages, lookAtSources } from "./known-sources.ts";
import type { KnownSources, SourcesNote } from "./known-sources.ts";
import type { RenderOptions } from "./render-options.ts";

/** What exports leave in a cache besides pages, so that the next one need not do again what would come out the same. */
export interface KeptNotes {
  readonly sources: FolderNotes<SourcesNote>;
  readonly bundles: FolderRecords;
  readonly indexes: KeptIndexes;
}

/** `version` is of the renderer's program. */
export function openKeptNotes(cacheDir: string, version: string): KeptNotes {
  return {
    sources: createFolderNotes(join(cacheDir, "sources"), version),
    bundles: createFolderRecords(join(cacheDir, "bundles"), version),
    indexes: createKeptIndexes(join(cacheDir, "search"), version),
  };
}

/** Reads the site's folder, but for pages whose files look as they did when an earlier export read them. */
export async function readKnownSite(
  notes: FolderNotes<SourcesNote> | undefined,
  options: RenderOptions,
): Promise<{ readonly loaded: LoadedSite; readonly known: KnownSources }> {
  const note = notes?.read(options.siteDir);
  const known = lookAtSources(options.siteDir, note);
  const loaded = await readSite(options.siteDir, { ...options, known: knownPages(known) });
  if (!note || isPlainSite(loaded.site) === note.isPlain) return { loaded, known };
  // Titles of pages come from elsewhere now.
  return { loaded: await readSite(options.siteDir, options), known: new Map() };
}
