import type { SearchSection } from "../markup/index.ts";
import type { SitePage } from "../site/index.ts";
import { findOperation } from "../site/index.ts";
import { PostingsBuilder } from "./postings-builder.ts";

/**
 * The weighted terms of a page, computed in the render child to distribute the work. They are bytes and numbers rather
 * than strings per section, because all pages are in memory until the index is built.
 */
export interface PageTerms {
  readonly sectionCount: number;
  /**
   * The data that results show for the sections: JSON of `[id, heading, excerpt][]` in UTF-8, safe inside a script.
   */
  readonly shown: Uint8Array;
  /** Size of `shown` in bytes, known without reading it. */
  readonly shownBytes: number;
  /** The distinct terms of the page in UTF-8, one per line. */
  readonly texts: Uint8Array;
  /**
   * For each term in turn: the number of sections that contain it, then `section * sectionStep + weight` for each of
   * these sections, in ascending order. The page's sections are numbered from 0.
   */
  readonly postings: Uint32Array;
}

/** The terms of a page that is not indexed. */
export const emptyTerms: PageTerms = {
  sectionCount: 0,
  shown: Buffer.from("[]"),
  shownBytes: 2,
  texts: new Uint8Array(),
  postings: new Uint32Array(),
};

const maxExcerptLength = 500;
/** Maximum number of characters to index per section: the rest would hardly change the results. */
const maxIndexedLength = 20_000;
/** Maximum weight of a term in text that results do not show. It is less than that of a term in prose. */
const maxHiddenWeight = 8;
/** Weight of a term in a heading, and the additional weight of a term in the title of a page. */
const headingWeight = 14;
const titleBonus = 3;

/**
 * Returns other names by which readers may search for a page: its short title, its operation (`GET /users`) and its
 * keywords.
 */
export function listPageNames({ title, navTitle, frontmatter }: SitePage): string[] {
  const operation = findOperation(frontmatter);
  const names = [
    ...(navTitle === title ? [] : [navTitle]),
    ...(operation === undefined ? [] : [`${operation.method} ${operation.path}`]),
  ];
  return frontmatter.keywords === undefined ? names : [...names, ...frontmatter.keywords];
}

/** The properties of a page, besides its text, that affect the weights of its terms. */
interface PageTraits {
  readonly names?: readonly string[];
  readonly description?: string;
  readonly boost?: number;
}

/**
 * Tokenizes the sections of a page and computes the weights of their terms. `names` weigh as much as the title, which
 * is the first heading; the words of `description`, which is part of the first section's text, weigh less than those of
 * a heading. A `boost` of 2 adds four to all weights; a `boost` of 0.5 subtracts four.
 */
export function indexPageTerms(
  sections: readonly SearchSection[],
  { names = [], description = "", boost = 1 }: PageTraits = {},
): PageTerms {
  const weightOffset = boost > 0 ? Math.round(4 * Math.log2(boost)) : 0;
  const builder = new PostingsBuilder(sections[0]?.id === "" ? sections[0].heading : "");
  for (const section of sections) {
    const { text, hidden = "" } = section;
    builder.addText(text.slice(0, maxIndexedLength));
    builder.addText(hidden.slice(0, maxIndexedLength), maxHiddenWeight);
    if (section.id === "") {
      builder.addSummary(description);
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
  const shown = Buffer.from(formatScriptJson(excerpts));
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

/** Returns JSON that is also valid JavaScript and does not contain text that could end a script element. */
export function formatScriptJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll("<", "\\u003c")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}
