import type { SearchSection } from "../markup/index.ts";
import type { SitePage } from "../site/index.ts";
import { operationOf } from "../site/index.ts";
import { scriptJson } from "./part-file.ts";
import { PostingsBuilder } from "./postings-builder.ts";

/**
 * The weighted terms of a page, made in the render child so that the work is spread. Bytes and numbers, not strings
 * for each section: all pages are held until the index is made.
 */
export interface PageTerms {
  readonly sectionCount: number;
  /** What results show of the sections, in UTF-8: JSON of `[id, heading, excerpt][]`, safe inside a script. */
  readonly shown: Uint8Array;
  /** Size of `shown`, known without reading it. */
  readonly shownBytes: number;
  /** The distinct terms of the page in UTF-8, one per line. */
  readonly texts: Uint8Array;
  /**
   * For each term in turn: how many sections contain it, then for each of these `section * sectionStep + weight`,
   * ascending; the page's sections are numbered from 0.
   */
  readonly postings: Uint32Array;
}

/** The terms of a page that is not indexed. */
export const noTerms: PageTerms = {
  sectionCount: 0,
  shown: Buffer.from("[]"),
  shownBytes: 2,
  texts: new Uint8Array(),
  postings: new Uint32Array(),
};

const maxExcerptLength = 500;
/** The rest of a longer section is not indexed: it would hardly change the results. */
const maxIndexedLength = 20_000;
/** Weight of a term in a heading, and what the title of a page adds to it. */
const headingWeight = 14;
const titleBonus = 3;

/** Other names that readers may search a page by: its short title, its operation (`GET /users`), its keywords. */
export function pageNames({ title, navTitle, frontmatter }: SitePage): string[] {
  const operation = operationOf(frontmatter);
  const names = [
    ...(navTitle === title ? [] : [navTitle]),
    ...(operation === undefined ? [] : [`${operation.method} ${operation.path}`]),
  ];
  return frontmatter.keywords === undefined ? names : [...names, ...frontmatter.keywords];
}

/**
 * Tokenizes the sections of a page and weighs their terms; `names` weigh as much as the title, the first heading.
 * A `boost` of 2 adds four to all weights, one of 0.5 subtracts four.
 */
export function pageTerms(
  sections: readonly SearchSection[],
  { names = [], boost = 1 }: { readonly names?: readonly string[]; readonly boost?: number } = {},
): PageTerms {
  const weightOffset = boost > 0 ? Math.round(4 * Math.log2(boost)) : 0;
  const builder = new PostingsBuilder(sections[0]?.id === "" ? sections[0].heading : "");
  for (const section of sections) {
    builder.addText(section.text.slice(0, maxIndexedLength));
    if (section.id === "") {
      for (const name of [section.heading, ...names]) {
        builder.addHeading(name, headingWeight + titleBonus);
      }
    } else {
      builder.addHeading(section.heading, headingWeight);
      builder.addInheritedTitle();
    }
    builder.endSection(weightOffset);
  }
  const excerpts = sections.map(({ id, heading, text }) => [id, heading, truncateExcerpt(text)]);
  const shown = Buffer.from(scriptJson(excerpts));
  return {
    sectionCount: sections.length,
    shown,
    shownBytes: shown.length,
    ...builder.build(),
  };
}

function truncateExcerpt(text: string): string {
  if (text.length <= maxExcerptLength) return text;
  const start = text.slice(0, maxExcerptLength).replace(/[\ud800-\udbff]$/, "");
  const space = start.lastIndexOf(" ");
  return `${space > maxExcerptLength / 2 ? start.slice(0, space) : start}…`;
}
