import type { SearchSection } from "../page/page.ts";
import type { SitePage } from "../site/site.ts";
import { operationOf } from "../theme/operation.ts";
import { weightCode } from "./postings.ts";
import { camelCaseParts, cutText } from "./tokenize.ts";

/** The words of one page as the index takes them, made in the render child so that the work is spread. */
export interface PageTerms {
  readonly sections: readonly SectionTerms[];
}

export interface SectionTerms {
  /** Anchor within the page; empty for its top. */
  readonly id: string;
  readonly heading: string;
  /** The beginning of the text, shown below a result. */
  readonly excerpt: string;
  /** `term` and its weight in turns, terms sorted; a weight is a letter from `A` (least) to `Z`. */
  readonly terms: readonly string[];
}

const excerptLength = 500;
/** Text of one section that is indexed; beyond it a section says nothing new to a search. */
const indexedLength = 20_000;
/** Words of a section of usual length; longer ones count a little less for each word. */
const usualWords = 120;
/** What many uses in a text come to weigh; a word of a heading weighs more than any number of them. */
const textWeight = 13;
/** A word of a heading, and what is added to it: divided among the words, and for the title of a page. */
const headingWeight = 14;
const wholeHeadingWeight = 9;
const titleWeight = 3;
/** A word of the page's title in a section that does not have it. */
const contextWeight = 2;

/** What else readers may call a page by: its short title, its operation (`GET /users`), its keywords. */
export function pageNames({ title, navTitle, frontmatter }: SitePage): string[] {
  const operation = operationOf(frontmatter);
  const names = [
    ...(navTitle === title ? [] : [navTitle]),
    ...(operation === undefined ? [] : [`${operation.method} ${operation.path}`]),
  ];
  return frontmatter.keywords === undefined ? names : [...names, ...frontmatter.keywords];
}

/** Cuts the sections of a page into weighted terms; `names` weigh as much as the title, the first heading. */
export function pageTerms(
  sections: readonly SearchSection[],
  names: readonly string[] = [],
): PageTerms {
  const title = cutText(sections[0]?.id === "" ? sections[0].heading : "", true).words;
  return {
    sections: sections.map((section) => {
      const weights = textWeights(section.text.slice(0, indexedLength));
      if (section.id === "") {
        for (const name of [section.heading, ...names]) {
          addHeading(weights, name, headingWeight + titleWeight);
        }
      } else {
        addHeading(weights, section.heading, headingWeight);
        for (const word of title) if (!weights.has(word)) weights.set(word, contextWeight);
      }
      return sectionTerms(section, weights);
    }),
  };
}

function sectionTerms(
  { id, heading, text }: SearchSection,
  weights: ReadonlyMap<string, number>,
): SectionTerms {
  const terms: string[] = [];
  for (const term of [...weights.keys()].toSorted()) {
    terms.push(term, String.fromCharCode(weightCode(weights.get(term) ?? 1)));
  }
  return { id, heading, excerpt: cutExcerpt(text), terms };
}

/** Saturating like BM25 (k1 = 1.2): the tenth use of a word says less than the second. */
function textWeights(text: string): Map<string, number> {
  const { words, names } = cutText(text, true);
  const norm = 0.7 + (0.3 * words.length) / usualWords;
  const uses = new Map<string, number>();
  for (const list of [words, names, camelCaseTerms(text)]) {
    for (const term of list) uses.set(term, (uses.get(term) ?? 0) + 1);
  }
  for (const [term, count] of uses) uses.set(term, (textWeight * count) / (count + 1.2 * norm));
  return uses;
}

/** The fewer words a heading has, the more each of them is what it is about. */
function addHeading(weights: Map<string, number>, heading: string, base: number): void {
  const { words, names } = cutText(heading, true);
  const weight = base + wholeHeadingWeight / words.length;
  for (const term of [...words, ...names, ...camelCaseTerms(heading)]) {
    weights.set(term, Math.max(weight, weights.get(term) ?? 0));
  }
}

/** `name` and `username` find `getUserName`. */
function camelCaseTerms(text: string): string[] {
  const terms: string[] = [];
  for (const parts of camelCaseParts(text).values()) {
    terms.push(...parts);
    for (let from = 1; from + 1 < parts.length; from += 1) terms.push(parts.slice(from).join(""));
  }
  return terms;
}

function cutExcerpt(text: string): string {
  if (text.length <= excerptLength) return text;
  const cut = text.slice(0, excerptLength).replace(/[\ud800-\udbff]$/, "");
  const space = cut.lastIndexOf(" ");
  return `${space > excerptLength / 2 ? cut.slice(0, space) : cut}…`;
}
