import { hashParts, sha256 } from "../../core/index.ts";
import type { NavDivision, NavEntry, Site, SitePage } from "../../site/index.ts";
import type { PageTask, RenderSetup } from "../pool/protocol.ts";
import type { KnownPageKeys } from "../source/source-index.ts";
import { indexPages, findNeighborPages } from "../../site/index.ts";
import { createTrails } from "../../theme/index.ts";

export interface PageKeys {
  /**
   * Returns a hash of everything that a page depends on, except its snippets. It covers only the parts of API
   * descriptions and the files from other hosts that the page shows.
   */
  keyOf(task: PageTask): string;
  /** Returns the same hash as `keyOf`, given the SHA-256 of the page's text. */
  keyOfText(task: Omit<PageTask, "source">, textHash: string): string;
  /**
   * Returns a hash of everything that page keys depend on, except the texts of pages and the parts of API descriptions
   * and files from other hosts that pages show.
   */
  getSiteKey(): string;
  /** Returns a hash of everything that all page keys depend on, such as the lists of pages and files. */
  getSharedKey(): string;
  /** Returns a hash of everything that a sidebar depends on. */
  keyOfSidebar(division: NavDivision): string;
  /** Returns the hashes that a later export of the same site with the same settings need not compute again. */
  getKnownHashes(): KnownPageKeys;
}

/**
 * Creates page keys from everything that pages depend on: the renderer's version, the settings, the configuration, the
 * existing pages and files (to which links lead), the structure of the navigation, and the data of other pages that a
 * page's sidebar and its links to the previous and next pages show.
 */
export function createPageKeys(
  setup: RenderSetup,
  version: string,
  /** The hashes of an earlier export of the same site, with any settings. */
  earlier?: KnownPageKeys,
): PageKeys {
  const { site } = setup;
  const settings = hashParts([...listSettingParts(setup, version), serializeOrigin(site)]);
  const reusable = earlier?.settings === settings ? earlier : undefined;
  let sharedHash = reusable?.shared;
  const getSharedHash = () => (sharedHash ??= hashShared(setup, version));
  let byPath: ReadonlyMap<string, SitePage> | undefined;
  const getPagesByPath = () => (byPath ??= indexPages(site));
  const hasDirectories = hasListings(site.navigation);
  const trailOf = createTrails(site);
  const divisions = listDivisions(site.navigation);
  const sidebars = new Map<NavDivision, string>();
  for (const [at, hash] of reusable?.sidebars.entries() ?? []) {
    const division = divisions[at];
    if (division) sidebars.set(division, hash);
  }

  function getSidebarHash(division: NavDivision): string {
    let hash = sidebars.get(division);
    if (hash === undefined) {
      const pages = getPagesByPath();
      const descriptions = hasDirectories ? listListingParts(division.entries, pages) : [];
      hash = hashParts([...listSidebarParts(division.entries, pages), ...descriptions]);
      sidebars.set(division, hash);
    }
    return hash;
  }
  function listNeighborDescriptions(page: SitePage): readonly (string | undefined)[] {
    const { previous, next } = findNeighborPages(site, page);
    return [previous, next].map(
      (path) => getPagesByPath().get(path ?? "")?.frontmatter.description,
    );
  }
  const keyOfText: PageKeys["keyOfText"] = ({ page, subject, mediaCopies }, textHash) => {
    const pageData = JSON.stringify([
      page,
      subject ?? null,
      mediaCopies ?? null,
      listNeighborDescriptions(page),
    ]);
    const division = trailOf(page).divisions.at(-1) ?? site.navigation;
    return sha256(
      [getSharedHash(), getSidebarHash(division), sha256(pageData), textHash].join("\n"),
    );
  };
  let siteHash = reusable?.site;
  function getSiteKey(): string {
    return (siteHash ??= hashSite());
  }
  function hashSite(): string {
    const parts: string[] = [getSharedHash()];
    for (let from = 0; from < site.pages.length; from += pagesHashedTogether) {
      parts.push(sha256(JSON.stringify(site.pages.slice(from, from + pagesHashedTogether))));
    }
    return sha256(parts.join("\n"));
  }
  const keyOfSidebar = (division: NavDivision) =>
    sha256(`${getSharedHash()}\n${getSidebarHash(division)}`);
  return {
    keyOfText,
    getSiteKey,
    getSharedKey: getSharedHash,
    keyOfSidebar,
    getKnownHashes: () => ({
      settings,
      shared: getSharedHash(),
      site: getSiteKey(),
      sidebars: divisions.map(getSidebarHash),
    }),
    keyOf: ({ source, ...task }) => keyOfText(task, sha256(source)),
  };
}

/** Returns the inputs of keys besides the contents of the site's folder. */
function listSettingParts(setup: RenderSetup, version: string): readonly string[] {
  const { firstScript, baseUrl, remoteMedia, isForCheck, mediaCopies } = setup;
  const { remoteOrigins, hasRemoteImages } = setup;
  return [
    version,
    firstScript.hash,
    JSON.stringify([isForCheck, baseUrl ?? null, remoteMedia, mediaCopies ?? null]),
    JSON.stringify([remoteOrigins, hasRemoteImages]),
  ];
}

function serializeOrigin({ editUrl, issueUrl, addresses, basePaths }: Site): string {
  return JSON.stringify([editUrl, issueUrl, addresses, basePaths]);
}

function hashShared(setup: RenderSetup, version: string): string {
  const { site } = setup;
  return hashParts([
    ...listSettingParts(setup, version),
    JSON.stringify([site.configFile, site.config, site.navigation, site.redirects]),
    JSON.stringify([site.styles, site.scripts, site.assets, site.spareAssets]),
    serializeOrigin(site),
    JSON.stringify(site.pages.map((page) => page.path)),
  ]);
}

/** Returns a division and all divisions below it, always in the same order. */
function listDivisions(division: NavDivision): readonly NavDivision[] {
  return [division, ...division.divisions.flatMap(listDivisions)];
}

/** Number of pages to hash at a time; their JSON takes less than a megabyte. */
const pagesHashedTogether = 256;

/** Returns the data of pages that the sidebar and the links to the previous and next pages show. */
function listSidebarParts(
  entries: readonly NavEntry[],
  pages: ReadonlyMap<string, SitePage>,
): string[] {
  const serializeEntry = (path: string): string => {
    const page = pages.get(path);
    const { icon, iconType, tag, deprecated, openapi, api } = page?.frontmatter ?? {};
    const parts = [path, page?.navTitle, icon, iconType, tag, deprecated, openapi, api];
    return JSON.stringify(parts);
  };
  return entries.flatMap((entry) => {
    if (entry.type === "link") return [];
    if (entry.type === "page") return [serializeEntry(entry.path)];
    const root = entry.root === undefined ? [] : [serializeEntry(entry.root)];
    return [...root, ...listSidebarParts(entry.entries, pages)];
  });
}

/** Reports whether the root page of any group in the navigation lists the group's pages. */
function hasListings({ directory, divisions, entries }: NavDivision): boolean {
  return directory !== undefined || divisions.some(hasListings) || entries.some(hasListingsBelow);
}

function hasListingsBelow(entry: NavEntry): boolean {
  if (entry.type !== "group") return false;
  return entry.directory !== undefined || entry.entries.some(hasListingsBelow);
}

/** Returns the data that lists of a group's pages show in addition to the sidebar's. */
function listListingParts(
  entries: readonly NavEntry[],
  pages: ReadonlyMap<string, SitePage>,
): string[] {
  return entries.flatMap((entry) => {
    if (entry.type === "link") return [];
    if (entry.type === "group") return listListingParts(entry.entries, pages);
    return [pages.get(entry.path)?.frontmatter.description ?? ""];
  });
}
