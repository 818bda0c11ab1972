import type { Site, SitePage } from "@octavo/site";
import type { SiteView } from "./site-view.ts";

/** What readers know a page by. */
export type PageName = Pick<SitePage, "path" | "title">;

/** What readers see of a site's files. Files are relative to the site's folder. */
export interface SitePages {
  /** The page that a file is, or was before the work removed it. */
  readonly byFile: ReadonlyMap<string, PageName>;
  /** Titles of the pages that a file which is no page, as a snippet, is part of. */
  readonly shownOn: ReadonlyMap<string, readonly string[]>;
}

export const noPages: SitePages = { byFile: new Map(), shownOn: new Map() };

/** `before` and `after` are the site before and after the work, undefined where it was none. */
export function describePages(
  view: SiteView,
  before: Site | undefined,
  after: Site | undefined,
): SitePages {
  const byFile = new Map<string, PageName>();
  const titles = new Map<string, string>();
  for (const { file, path, title } of before?.pages ?? []) byFile.set(file, { path, title });
  for (const { file, path, title } of after?.pages ?? []) {
    byFile.set(file, { path, title });
    titles.set(path, title);
  }
  const shownOn = new Map<string, readonly string[]>();
  for (const [file, paths] of view.pagesOfFiles()) {
    if (byFile.has(file)) continue;
    shownOn.set(file, paths.flatMap((path) => titles.get(path) ?? []).toSorted());
  }
  return { byFile, shownOn };
}
