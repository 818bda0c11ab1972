import type { SitePage } from "../site/index.ts";
import type { PageTerms } from "./terms.ts";

/** A page as it is given to the search. */
export interface SearchedPage {
  readonly page: SitePage;
  readonly rendered: { readonly terms: PageTerms };
  /** The same of two pages only where they are found and shown alike; undefined where that cannot be told. */
  readonly identity?: string | undefined;
}

/** A page at its place in an index, whose sections are counted through all pages. */
export interface IndexedPage {
  readonly page: SitePage;
  readonly terms: PageTerms;
  readonly identity: string | undefined;
  readonly firstSection: number;
}

export function indexedPages(entries: readonly SearchedPage[]): IndexedPage[] {
  let firstSection = 0;
  return entries.map(({ page, rendered, identity }) => {
    const { terms } = rendered;
    const placed = { page, terms, identity, firstSection };
    firstSection += terms.sectionCount;
    return placed;
  });
}
