import { hashParts } from "../core/index.ts";
import { createPageKeys, createSharedParts } from "../export/index.ts";
import type { PageKeys, SharedParts } from "../export/index.ts";
import type { LoadedSite, SiteSettings } from "../load/index.ts";
import type { SitePage } from "../site/index.ts";
import { readSite } from "../load/index.ts";

/** A site as it was at one moment, and what its pages are made with. */
export interface SiteSnapshot extends LoadedSite {
  readonly shared: SharedParts;
  readonly keys: PageKeys;
  readonly pages: ReadonlyMap<string, SitePage>;
  /** Files that are published as they are. */
  readonly assets: ReadonlySet<string>;
  /** Equal for two snapshots with the same site. */
  readonly hash: string;
}

/** What was read before, and the files that have changed since. */
export interface EarlierSnapshot {
  readonly snapshot: SiteSnapshot;
  readonly changed: ReadonlySet<string>;
}

/** Throws `site_invalid` as `readSite` does. */
export async function readSnapshot(
  settings: SiteSettings,
  earlier?: EarlierSnapshot,
): Promise<SiteSnapshot> {
  const loaded = await readSite(settings, earlier && unchangedSources(earlier));
  const { site } = loaded;
  const pageSettings = { remoteMedia: "keep", remoteOrigins: [], isForCheck: false } as const;
  const shared = await createSharedParts(site, { ...settings, ...pageSettings });
  return {
    ...loaded,
    shared,
    // Keys are compared within this process only, where the renderer's version is always the same.
    keys: createPageKeys(shared.setup, ""),
    pages: new Map(site.pages.map((page) => [page.path, page])),
    assets: new Set([...site.assets, ...site.styles, ...site.scripts]),
    hash: hashParts([JSON.stringify(site)]),
  };
}

/** None after a change of the configuration: a plain site gives its pages other titles. Files with problems are read again, to report them. */
function unchangedSources({
  snapshot,
  changed,
}: EarlierSnapshot): SiteSnapshot["sources"] | undefined {
  const { site, sources } = snapshot;
  if ([...changed].some((file) => configurationFiles.has(file))) return undefined;
  const faulty = new Set(site.problems.map(({ file }) => file));
  return new Map([...sources].filter(([file]) => !changed.has(file) && !faulty.has(file)));
}

const configurationFiles: ReadonlySet<string> = new Set(["docs.json", "mint.json"]);
