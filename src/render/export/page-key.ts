import { readFileSync, readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { hashParts } from "../../core/index.ts";
import { divisionAt, pageIndex } from "../site/index.ts";
import type { NavEntry, Site, SitePage } from "../site/site.ts";

/**
 * A hash of the renderer's own program, so that no page of another version is ever taken from a
 * cache. The packages that shape the output are pinned exactly in package.json, which is part of it.
 */
export function rendererVersion(): string {
  const root = new URL("../../../", import.meta.url);
  const folders = ["src/render/", "src/core/"].map((path) => new URL(path, root));
  const files = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith(".test.ts"))
      .map((entry) => `${entry.parentPath}/${entry.name}`),
  );
  const parts = [fileURLToPath(new URL("package.json", root)), ...files.toSorted()];
  return hashParts([process.version, ...parts.map((file) => readFileSync(file))]);
}

export interface PageKeys {
  /** The hash of everything a page depends on, but for its snippets. */
  keyOf(page: SitePage, source: string): string;
}

/**
 * What each page of a site depends on: the renderer, the configuration, which pages and files exist
 * (links lead to them), the shape of the navigation, and the titles in the sidebar that it shows.
 */
export function createPageKeys(
  site: Site,
  options: { version: string; baseUrl?: string },
): PageKeys {
  const shared = hashParts([
    options.version,
    options.baseUrl ?? "",
    JSON.stringify([site.configFile, site.config, site.navigation, site.redirects]),
    JSON.stringify([site.styles, site.scripts, site.assets]),
    JSON.stringify(site.pages.map((page) => page.path)),
  ]);
  const pages = pageIndex(site);
  const sidebars = new Map<string, string>();

  function sidebarHash(page: SitePage): string {
    const [place] = page.places;
    const name = place?.divisions.join("/") ?? "";
    let hash = sidebars.get(name);
    if (hash === undefined) {
      const shown = titlesOf((place ? divisionAt(site, place) : site.navigation).entries, pages);
      sidebars.set(name, (hash = hashParts(shown)));
    }
    return hash;
  }
  return {
    keyOf(page, source) {
      return hashParts([shared, sidebarHash(page), JSON.stringify(page), source]);
    },
  };
}

/** What a sidebar shows of its pages beside the navigation's own words. */
function titlesOf(entries: readonly NavEntry[], pages: ReadonlyMap<string, SitePage>): string[] {
  return entries.flatMap((entry) => {
    if (entry.type === "link") return [];
    if (entry.type === "group") return titlesOf(entry.entries, pages);
    const page = pages.get(entry.path);
    const { icon = "", tag = "", deprecated } = page?.frontmatter ?? {};
    return [entry.path, page?.navTitle ?? "", icon, tag, deprecated ? "deprecated" : ""];
  });
}
