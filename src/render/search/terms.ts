import type { SearchSection } from "../page/page.ts";
import { tokenize } from "./client/tokenize.ts";

/**
 * The words of one page as the index takes them, made in the render child so that the work is spread.
 * Two flat values rather than a list for each section: pages are many, and all are held until the
 * index is made.
 */
export interface PageTerms {
  readonly sections: readonly SectionHead[];
  /** Every word of the page once, a line each. */
  readonly words: string;
  /**
   * For each word in turn: how many sections have it, then a posting for each of these, sections
   * rising: `section * postingWeights + weight`, where a weight goes from 0 (least) to 25.
   */
  readonly postings: Uint32Array;
}

export interface SectionHead {
  /** Anchor within the page; empty for its top. */
  readonly id: string;
  readonly heading: string;
  /** The beginning of the text, shown below a result. */
  readonly excerpt: string;
}

/** Room for a weight in a posting. */
export const postingWeights = 32;
export const heaviest = 25;

/** Of a page that no search finds. */
export const noTerms: PageTerms = { sections: [], words: "", postings: new Uint32Array() };

const excerptLength = 500;
/** Text of one section that is indexed; beyond it a section says nothing new to a search. */
const indexedLength = 20_000;
/** A word of a heading counts like this many uses in the text. */
const headingUses = 6;
/** Words of a section of usual length; longer ones count a little less for each word. */
const usualWords = 120;

interface Word {
  /** In the section that is being read. */
  uses: number;
  readonly postings: number[];
}

/** Cuts the sections of a page into weighted terms. `boost` 2 lifts all weights by four, 0.5 lowers them as much. */
export function pageTerms(sections: readonly SearchSection[], boost = 1): PageTerms {
  const lift = boost > 0 ? Math.round(4 * Math.log2(boost)) : 0;
  const words = new Map<string, Word>();
  let count = 0;
  for (const [number, section] of sections.entries()) {
    const { used, norm } = countUses(section, words);
    for (const word of used) {
      const weight = Math.min(heaviest, Math.max(0, weightOf(word.uses, norm) + lift));
      word.postings.push(number * postingWeights + weight);
      word.uses = 0;
    }
    count += used.length;
  }
  const heads = sections.map(({ id, heading, text }) => ({ id, heading, excerpt: cut(text) }));
  const postings = flatten(words.values(), words.size + count);
  return { sections: heads, words: [...words.keys()].join("\n"), postings };
}

function flatten(words: Iterable<Word>, length: number): Uint32Array {
  const flat = new Uint32Array(length);
  let at = 0;
  for (const { postings } of words) {
    flat[at++] = postings.length;
    for (const posting of postings) flat[at++] = posting;
  }
  return flat;
}

/** Counts in `words`, one look-up for each word of the text, and tells which were used. */
function countUses({ heading, text }: SearchSection, words: Map<string, Word>) {
  const used: Word[] = [];
  function add(terms: readonly string[], times: number): void {
    for (const term of terms) {
      let word = words.get(term);
      if (!word) words.set(term, (word = { uses: 0, postings: [] }));
      if (word.uses === 0) used.push(word);
      word.uses += times;
    }
  }
  const indexed = text.slice(0, indexedLength);
  const terms = tokenize(indexed);
  add(terms, 1);
  add(identifierParts(indexed), 1);
  add(tokenize(heading), headingUses);
  add(identifierParts(heading), headingUses);
  return { used, norm: 0.7 + (0.3 * terms.length) / usualWords };
}

/** The words within `camelCase` and `PascalCase` names, so that `name` finds `getUserName`. */
function identifierParts(text: string): string[] {
  const parts: string[] = [];
  for (const [name] of text.matchAll(/\b[A-Za-z][a-z0-9]*(?:[A-Z][a-z0-9]+)+/g)) {
    const words = name.split(/(?=[A-Z])/);
    if (words.length > 1) parts.push(...words.map((word) => word.toLowerCase()));
  }
  return parts;
}

/** Saturating like BM25 (k1 = 1.2): the tenth use of a word says less than the second. */
function weightOf(uses: number, norm: number): number {
  return Math.round(((uses * 2.2) / (uses + 1.2 * norm) / 2.2) * heaviest);
}

function cut(text: string): string {
  if (text.length <= excerptLength) return text;
  const start = text.slice(0, excerptLength).replace(/[\ud800-\udbff]$/, "");
  const space = start.lastIndexOf(" ");
  return `${space > excerptLength / 2 ? start.slice(0, space) : start}…`;
}
