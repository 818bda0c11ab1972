import type { SitePage } from "../site/index.ts";
import { computeReservedNumbers } from "./postings.ts";
import type { PageTerms } from "./terms.ts";

/** A page to be indexed. */
export interface SearchedPage {
  readonly page: SitePage;
  readonly rendered: { readonly terms: PageTerms };
  /** Two pages with equal fingerprints have the same terms and results; undefined if unknown. */
  readonly fingerprint?: string | undefined;
}

/**
 * A page with its position in an index. Sections are numbered across pages; each page has `computeReservedNumbers` of them.
 */
export interface IndexedPage {
  readonly page: SitePage;
  readonly terms: PageTerms;
  readonly fingerprint: string | undefined;
  readonly firstSection: number;
}

/** Returns the section number after those of a page. */
export function getNextSection({ firstSection, terms }: IndexedPage): number {
  return firstSection + computeReservedNumbers(terms.sectionCount);
}

export function toIndexedPages(entries: readonly SearchedPage[]): IndexedPage[] {
  let firstSection = 0;
  return entries.map(({ page, rendered, fingerprint }) => {
    const { terms } = rendered;
    const indexed = { page, terms, fingerprint, firstSection };
    firstSection += computeReservedNumbers(terms.sectionCount);
    return indexed;
  });
}
