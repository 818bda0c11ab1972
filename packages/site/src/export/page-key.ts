import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hashParts, sha256 } from "../core/index.ts";
import type {
  MediaCopies,
  RemoteMediaMode,
  NavDivision,
  NavEntry,
  Site,
  SitePage,
} from "../site/index.ts";
import type { PageTask } from "./pool/protocol.ts";
import { pageIndex, neighbours } from "../site/index.ts";
import { createTrails } from "../theme/index.ts";

/**
 * A hash of the renderer's own program, so that no page of another version is ever taken from a
 * cache. The packages that shape the output are pinned exactly in package.json, which is part of it.
 */
export function rendererVersion(): string {
  const program = new URL("../", import.meta.url);
  const files = readdirSync(program, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
    .map((entry) => `${entry.parentPath}/${entry.name}`);
  const parts = [fileURLToPath(new URL("../package.json", program)), ...files.toSorted()];
  return hashParts([process.version, ...parts.map((file) => readFileSync(file))]);
}

export interface PageKeys {
  /**
   * The hash of everything a page depends on, but for its snippets: of a description of an API and of what
   * was brought from other hosts only what it shows.
   */
  keyOf(task: PageTask): string;
  /** The same where only the SHA-256 of the page's text is known. */
  keyOfText(task: Omit<PageTask, "source">, textHash: string): string;
}

/**
 * What each page of a site depends on: the renderer, the configuration, which pages and files exist
 * (links lead to them), the shape of the navigation, what the sidebar that it shows says of its pages, and
 * what the links to the pages before and after do.
 */
export function createPageKeys(
  site: Site,
  options: {
    readonly version: string;
    readonly baseUrl?: string;
    readonly remoteMedia: RemoteMediaMode;
    readonly mediaCopies?: MediaCopies | undefined;
  },
): PageKeys {
  const shared = hashParts([
    options.version,
    options.baseUrl ?? "",
    JSON.stringify([options.remoteMedia, options.mediaCopies]),
    JSON.stringify([site.configFile, site.config, site.navigation, site.redirects]),
    JSON.stringify([site.styles, site.scripts, site.assets, site.editUrl, site.issueUrl]),
    JSON.stringify(site.pages.map((page) => page.path)),
  ]);
  const pages = pageIndex(site);
  const hasDirectories = listsPages(site.navigation);
  const trailOf = createTrails(site);
  const sidebars = new Map<NavDivision, string>();

  function sidebarHash(page: SitePage): string {
    const division = trailOf(page).divisions.at(-1) ?? site.navigation;
    let hash = sidebars.get(division);
    if (hash === undefined) {
      const descriptions = hasDirectories ? describedIn(division.entries, pages) : [];
      hash = hashParts([...shownOf(division.entries, pages), ...descriptions]);
      sidebars.set(division, hash);
    }
    return hash;
  }
  function besideOf(page: SitePage): readonly (string | undefined)[] {
    const { previous, next } = neighbours(site, page);
    return [previous, next].map((path) => pages.get(path ?? "")?.frontmatter.description);
  }
  const keyOfText: PageKeys["keyOfText"] = ({ page, subject, mediaCopies }, textHash) => {
    const about = JSON.stringify([page, subject ?? null, mediaCopies ?? null, besideOf(page)]);
    return sha256([shared, sidebarHash(page), sha256(about), textHash].join("\n"));
  };
  return { keyOfText, keyOf: ({ source, ...task }) => keyOfText(task, sha256(source)) };
}

/** What the sidebar, and the links to the pages before and after, take from pages beside the navigation's own words. */
function shownOf(entries: readonly NavEntry[], pages: ReadonlyMap<string, SitePage>): string[] {
  const shown = (path: string): string => {
    const page = pages.get(path);
    const { icon, iconType, tag, deprecated, openapi, api } = page?.frontmatter ?? {};
    const parts = [path, page?.navTitle, icon, iconType, tag, deprecated, openapi, api];
    return JSON.stringify(parts);
  };
  return entries.flatMap((entry) => {
    if (entry.type === "link") return [];
    if (entry.type === "page") return [shown(entry.path)];
    const root = entry.root === undefined ? [] : [shown(entry.root)];
    return [...root, ...shownOf(entry.entries, pages)];
  });
}

/** Whether any level of the navigation asks for listings of pages. */
function listsPages({ directory, divisions, entries }: NavDivision): boolean {
  return directory !== undefined || divisions.some(listsPages) || entries.some(listsPagesBelow);
}

function listsPagesBelow(entry: NavEntry): boolean {
  if (entry.type !== "group") return false;
  return entry.directory !== undefined || entry.entries.some(listsPagesBelow);
}

/** What listings say of pages besides what a sidebar does. */
function describedIn(entries: readonly NavEntry[], pages: ReadonlyMap<string, SitePage>): string[] {
  return entries.flatMap((entry) => {
    if (entry.type === "link") return [];
    if (entry.type === "group") return describedIn(entry.entries, pages);
    return [pages.get(entry.path)?.frontmatter.description ?? ""];
  });
}
