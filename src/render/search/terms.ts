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

/** Cuts the sections of a page into weighted terms. `boost` 2 lifts all weights by four, 0.5 lowers them as much. */
export function pageTerms(sections: readonly SearchSection[], boost = 1): PageTerms {
  const lift = boost > 0 ? Math.round(4 * Math.log2(boost)) : 0;
  const lists = new Map<string, number[]>();
  let count = 0;
  for (const [number, section] of sections.entries()) {
    const { uses, norm } = countUses(section);
    for (const [term, times] of uses) {
      const weight = Math.min(heaviest, Math.max(0, weightOf(times, norm) + lift));
      const posting = number * postingWeights + weight;
      const list = lists.get(term);
      if (list) list.push(posting);
      else lists.set(term, [posting]);
      count += 1;
    }
  }
  const heads = sections.map(({ id, heading, text }) => ({ id, heading, excerpt: cut(text) }));
  const words = [...lists.keys()].join("\n");
  return { sections: heads, words, postings: flatten(lists.values(), lists.size + count) };
}

function flatten(lists: Iterable<readonly number[]>, length: number): Uint32Array {
  const flat = new Uint32Array(length);
  let at = 0;
  for (const list of lists) {
    flat[at++] = list.length;
    for (const posting of list) flat[at++] = posting;
  }
  return flat;
}

function countUses({ heading, text }: SearchSection) {
  const indexed = text.slice(0, indexedLength);
  const uses = new Map<string, number>();
  const words = tokenize(indexed);
  for (const word of words) uses.set(word, (uses.get(word) ?? 0) + 1);
  for (const part of identifierParts(indexed)) uses.set(part, (uses.get(part) ?? 0) + 1);
  for (const word of [...tokenize(heading), ...identifierParts(heading)]) {
    uses.set(word, (uses.get(word) ?? 0) + headingUses);
  }
  return { uses, norm: 0.7 + (0.3 * words.length) / usualWords };
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
