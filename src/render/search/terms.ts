import type { SearchSection } from "../page/page.ts";

/** The words of one page as the index takes them, made in the render child so that this work is spread. */
export interface PageTerms {
  readonly sections: readonly SectionTerms[];
}

export interface SectionTerms {
  readonly id: string;
  readonly heading: string;
  /** Text shown as the excerpt, cut to a bounded length. */
  readonly excerpt: string;
  /** Term to its weight in this section. */
  readonly weights: Readonly<Record<string, number>>;
}

/** Cuts the sections of a page into weighted terms. */
export declare function pageTerms(sections: readonly SearchSection[], language: string): PageTerms;
