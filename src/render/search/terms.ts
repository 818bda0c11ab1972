import type { SearchSection } from "../page/page.ts";
import type { SitePage } from "../site/site.ts";
import { operationOf } from "../theme/operation.ts";
import { mostWeight } from "./postings.ts";
import { scriptJson } from "./script-json.ts";
import { camelCaseParts, cutText } from "./tokenize.ts";

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

/** Of a page that no search finds. */
export const noTerms: PageTerms = {
  sectionCount: 0,
  shown: Buffer.from("[]"),
  words: new Uint8Array(),
  postings: new Uint32Array(),
};

/** Between the postings of a section and those of the next: room for a weight. */
export const sectionStep = 32;

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

/**
 * Cuts the sections of a page into weighted terms; `names` weigh as much as the title, the first heading.
 * `boost` 2 lifts all weights by four, 0.5 lowers them as much.
 */
export function pageTerms(
  sections: readonly SearchSection[],
  { names = [], boost = 1 }: { readonly names?: readonly string[]; readonly boost?: number } = {},
): PageTerms {
  const lift = boost > 0 ? Math.round(4 * Math.log2(boost)) : 0;
  const title = cutText(sections[0]?.id === "" ? sections[0].heading : "", true).words;
  const words = new PageWords();
  for (const section of sections) {
    words.addText(section.text.slice(0, indexedLength));
    if (section.id === "") {
      for (const name of [section.heading, ...names]) {
        words.addHeading(name, headingWeight + titleWeight);
      }
    } else {
      words.addHeading(section.heading, headingWeight);
      words.addContext(title);
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

interface Word {
  /** In the text of the section that is being read. */
  uses: number;
  /** In that section, 0 where it does not have the word. */
  weight: number;
  readonly postings: number[];
}

/** One look-up for each word of a text, whichever section it is in. */
class PageWords {
  readonly #words = new Map<string, Word>();
  #used: Word[] = [];
  #sections = 0;
  #postings = 0;

  /** Saturating like BM25 (k1 = 1.2): the tenth use of a word says less than the second. */
  addText(text: string): void {
    const { words, names } = cutText(text, true);
    for (const list of [words, names, camelCaseTerms(text)]) {
      for (const term of list) this.#wordOf(term).uses += 1;
    }
    const norm = 1.2 * (0.7 + (0.3 * words.length) / usualWords);
    for (const word of this.#used) word.weight = (textWeight * word.uses) / (word.uses + norm);
  }

  /** The fewer words a heading has, the more each of them is what it is about. */
  addHeading(heading: string, base: number): void {
    const { words, names } = cutText(heading, true);
    const weight = base + wholeHeadingWeight / words.length;
    for (const term of [...words, ...names, ...camelCaseTerms(heading)]) {
      const word = this.#wordOf(term);
      word.weight = Math.max(weight, word.weight);
    }
  }

  addContext(terms: readonly string[]): void {
    for (const term of terms) {
      const word = this.#wordOf(term);
      if (word.weight === 0) word.weight = contextWeight;
    }
  }

  endSection(lift: number): void {
    for (const word of this.#used) {
      const weight = Math.max(1, Math.min(mostWeight, Math.round(word.weight)) + lift);
      word.postings.push(this.#sections * sectionStep + Math.min(mostWeight, weight));
      word.uses = 0;
      word.weight = 0;
    }
    this.#postings += this.#used.length;
    this.#used = [];
    this.#sections += 1;
  }

  flatten(): Pick<PageTerms, "words" | "postings"> {
    const postings = new Uint32Array(this.#words.size + this.#postings);
    let at = 0;
    for (const word of this.#words.values()) {
      postings[at++] = word.postings.length;
      for (const posting of word.postings) postings[at++] = posting;
    }
    return { words: Buffer.from([...this.#words.keys()].join("\n")), postings };
  }

  #wordOf(term: string): Word {
    let word = this.#words.get(term);
    if (!word) this.#words.set(term, (word = { uses: 0, weight: 0, postings: [] }));
    if (word.uses === 0 && word.weight === 0) this.#used.push(word);
    return word;
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
