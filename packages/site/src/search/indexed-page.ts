import type { SitePage } from "../site/index.ts";
import type { PageTerms } from "./terms.ts";

/** A page to be indexed. */
export interface SearchedPage {
  readonly page: SitePage;
  readonly rendered: { readonly terms: PageTerms };
  /** Equal for two pages only where they are found and shown alike; undefined where unknown. */
  readonly fingerprint?: string | undefined;
}

/** A page at its place in an index; sections are numbered through all pages. */
export interface IndexedPage {
  readonly page: SitePage;
  readonly terms: PageTerms;
  readonly fingerprint: string | undefined;
  readonly firstSection: number;
}

export function indexedPages(entries: readonly SearchedPage[]): IndexedPage[] {
  let firstSection = 0;
  return entries.map(({ page, rendered, fingerprint }) => {
    const { terms } = rendered;
    const placed = { page, terms, fingerprint, firstSection };
    firstSection += terms.sectionCount;
    return placed;
  });
}
