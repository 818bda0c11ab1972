import { hashParts } from "../core/index.ts";
import { createPageKeys, createSharedParts, generator } from "../export/index.ts";
import type { PageKeys, SharedParts, RenderSetup } from "../export/index.ts";
import type { FetchRemote, SiteOrigin, LoadedSite, SitePage } from "../site/index.ts";
import { readSite } from "../site/index.ts";

export interface ReadingOptions {
  readonly siteDir: string;
  /** As of `RenderOptions`. */
  readonly folderName?: string;
  readonly fetchRemote?: FetchRemote;
  readonly origin?: SiteOrigin | undefined;
  readonly editUrl?: string | undefined;
}

/** A site as it was at one moment, and what its pages are made with. */
export interface Reading extends LoadedSite {
  readonly shared: SharedParts;
  readonly setup: RenderSetup;
  readonly keys: PageKeys;
  readonly pages: ReadonlyMap<string, SitePage>;
  readonly pagesByFile: ReadonlyMap<string, SitePage>;
  /** Files that are published as they are. */
  readonly assets: ReadonlySet<string>;
  /** The same for two readings that tell the same of the site. */
  readonly hash: string;
}

/** What was read before, and the files that have changed since. */
export interface EarlierReading {
  readonly reading: Reading;
  readonly changed: ReadonlySet<string>;
}

/** Throws `site_invalid` as `readSite` does. */
export async function readNow(options: ReadingOptions, earlier?: EarlierReading): Promise<Reading> {
  const known = earlier && unchangedSources(earlier);
  const loaded = await readSite(options.siteDir, { ...options, known });
  const { site } = loaded;
  const shared = await createSharedParts(site, undefined, options);
  const { remoteMedia, mediaCopies } = shared;
  return {
    ...loaded,
    shared,
    setup: { site, generator, isForCheck: false, remoteMedia, mediaCopies },
    // Nothing is kept longer than the process lives, so that the renderer's version is always the same.
    keys: createPageKeys(site, { version: "", remoteMedia, mediaCopies }),
    pages: new Map(site.pages.map((page) => [page.path, page])),
    pagesByFile: new Map(site.pages.map((page) => [page.file, page])),
    assets: new Set([...site.assets, ...site.styles, ...site.scripts]),
    hash: hashParts([JSON.stringify(site)]),
  };
}

/** A plain site gives its pages other titles than a configured one, and a problem is told only where it is read. */
function unchangedSources({ reading, changed }: EarlierReading): Reading["sources"] | undefined {
  const { site, sources } = reading;
  if ([...changed].some((file) => configurationFiles.has(file))) return undefined;
  const faulty = new Set(site.problems.map(({ file }) => file));
  return new Map([...sources].filter(([file]) => !changed.has(file) && !faulty.has(file)));
}

const configurationFiles: ReadonlySet<string> = new Set(["docs.json", "mint.json"]);
