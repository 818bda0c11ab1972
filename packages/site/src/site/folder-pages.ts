import { listedPages } from "./navigation.ts";
import type { Site } from "./site.ts";

/**
 * Finds the page that the format shows at the address of a folder without an index: the first one below it
 * that the navigation lists. The index is made when it is first needed: few sites link to such a folder.
 */
export function createFolderPageFinder(
  site: Pick<Site, "navigation">,
  hasPage: (path: string) => boolean,
): (folder: string) => string | undefined {
  let firstPages: ReadonlyMap<string, string> | undefined;
  return (folder) => {
    firstPages ??= indexFolders([...listedPages(site.navigation)].filter(hasPage));
    return firstPages.get(folder);
  };
}

function indexFolders(pages: readonly string[]): ReadonlyMap<string, string> {
  const first = new Map<string, string>();
  for (const page of pages) {
    for (let end = page.lastIndexOf("/"); end > 0; end = page.lastIndexOf("/", end - 1)) {
      const folder = page.slice(0, end);
      if (first.has(folder)) break;
      first.set(folder, page);
    }
  }
  return first;
}
