import type { SearchSection } from "../page/page.ts";
import { tokenize } from "./client/tokenize.ts";

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
/** A word of a heading counts like this many uses in the text. */
const headingUses = 6;
/** Words of a section of usual length; longer ones count a little less for each word. */
const usualWords = 120;

/** Cuts the sections of a page into weighted terms. */
export function pageTerms(sections: readonly SearchSection[]): PageTerms {
  return { sections: sections.map(sectionTerms) };
}

function sectionTerms({ id, heading, text }: SearchSection): SectionTerms {
  const indexed = text.slice(0, indexedLength);
  const uses = new Map<string, number>();
  const add = (term: string, count: number) => uses.set(term, (uses.get(term) ?? 0) + count);
  const words = tokenize(indexed);
  for (const term of words) add(term, 1);
  for (const part of identifierParts(indexed)) add(part, 1);
  for (const term of tokenize(heading)) add(term, headingUses);
  for (const part of identifierParts(heading)) add(part, headingUses);
  const norm = 0.7 + (0.3 * words.length) / usualWords;
  const terms: string[] = [];
  for (const term of [...uses.keys()].toSorted()) {
    terms.push(term, weightLetter(uses.get(term) ?? 1, norm));
  }
  return { id, heading, excerpt: cutExcerpt(text), terms };
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
function weightLetter(uses: number, norm: number): string {
  const saturated = (uses * 2.2) / (uses + 1.2 * norm);
  const step = Math.min(25, Math.max(0, Math.round((saturated / 2.2) * 25)));
  return String.fromCharCode(65 + step);
}

function cutExcerpt(text: string): string {
  if (text.length <= excerptLength) return text;
  const cut = text.slice(0, excerptLength).replace(/[\ud800-\udbff]$/, "");
  const space = cut.lastIndexOf(" ");
  return `${space > excerptLength / 2 ? cut.slice(0, space) : cut}…`;
}
