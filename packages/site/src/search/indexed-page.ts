import type { SitePage } from "../site/index.ts";
import { computeReservedNumbers } from "./postings.ts";
import type { PageTerms } from "./terms.ts";

/** A page to be indexed. */
export interface SearchedPage {
  readonly page: SitePage;
  readonly rendered: { readonly terms: PageTerms };
  /** Pages with equal fingerprints have the same terms and results. Undefined if unknown. */
  readonly fingerprint?: string | undefined;
}

/**
 * A page with its position in an index. Sections are numbered across pages. `computeReservedNumbers` returns the number
 * of section numbers that a page takes.
 */
export interface IndexedPage {
  readonly page: SitePage;
  readonly terms: PageTerms;
  readonly fingerprint: string | undefined;
  readonly firstSection: number;
}

/** Returns the first section number after those reserved for a page. */
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
