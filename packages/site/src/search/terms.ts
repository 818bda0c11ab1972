import type { SearchSection } from "../markup/index.ts";
import type { SitePage } from "../site/index.ts";
import { operationOf } from "../site/index.ts";
import { scriptJson } from "./script-json.ts";
import { WordWeigher } from "./word-weigher.ts";

/**
 * The words of one page as the index takes them, made in the render child so that the work is spread.
 * Bytes and numbers rather than strings for each section: all pages are held until the index is made.
 */
export interface PageTerms {
  readonly sectionCount: number;
  /** What results show of the sections, as UTF-8 that a script may hold: JSON of `[id, heading, excerpt][]`. */
  readonly shown: Uint8Array;
  /** Every word of the page once, a line each, UTF-8. */
  readonly words: Uint8Array;
  /**
   * For each word in turn: how many sections have it, then for each of these `section * sectionStep + weight`,
   * rising; the page's sections are counted from 0.
   */
  readonly postings: Uint32Array;
}

/** Terms of a page that no search finds. */
export const noTerms: PageTerms = {
  sectionCount: 0,
  shown: Buffer.from("[]"),
  words: new Uint8Array(),
  postings: new Uint32Array(),
};

const maxExcerptLength = 500;
/** The rest of a longer section is not indexed: it would hardly change what a search finds. */
const maxIndexedLength = 20_000;
/** Weight of a word of a heading, and its addition for the title of a page. */
const headingWeight = 14;
const titleWeight = 3;

/** Other names that readers may use for a page: its short title, its operation (`GET /users`), its keywords. */
export function pageNames({ title, navTitle, frontmatter }: SitePage): string[] {
  const operation = operationOf(frontmatter);
  const names = [
    ...(navTitle === title ? [] : [navTitle]),
    ...(operation === undefined ? [] : [`${operation.method} ${operation.path}`]),
  ];
  return frontmatter.keywords === undefined ? names : [...names, ...frontmatter.keywords];
}

/**
 * Cuts the sections of a page into weighted terms; `names` weigh as much as the title, the first heading.
 * `boost` 2 lifts all weights by four, 0.5 lowers them as much.
 */
export function pageTerms(
  sections: readonly SearchSection[],
  { names = [], boost = 1 }: { readonly names?: readonly string[]; readonly boost?: number } = {},
): PageTerms {
  const lift = boost > 0 ? Math.round(4 * Math.log2(boost)) : 0;
  const words = new WordWeigher(sections[0]?.id === "" ? sections[0].heading : "");
  for (const section of sections) {
    words.addText(section.text.slice(0, maxIndexedLength));
    if (section.id === "") {
      for (const name of [section.heading, ...names]) {
        words.addHeading(name, headingWeight + titleWeight);
      }
    } else {
      words.addHeading(section.heading, headingWeight);
      words.addContext();
    }
    words.endSection(lift);
  }
  const shown = sections.map(({ id, heading, text }) => [id, heading, cutExcerpt(text)]);
  return {
    sectionCount: sections.length,
    shown: Buffer.from(scriptJson(shown)),
    ...words.flatten(),
  };
}

function cutExcerpt(text: string): string {
  if (text.length <= maxExcerptLength) return text;
  const cut = text.slice(0, maxExcerptLength).replace(/[\ud800-\udbff]$/, "");
  const space = cut.lastIndexOf(" ");
  return `${space > maxExcerptLength / 2 ? cut.slice(0, space) : cut}…`;
}
