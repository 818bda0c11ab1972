import { maxWeight } from "./postings.ts";
import { PageTokenizer } from "./page-tokenizer.ts";
import type { TokenizedText } from "./page-tokenizer.ts";
import { ensureCapacity, TermDictionary } from "./term-dictionary.ts";

/** Number of words in a typical section; in a longer section each word weighs a little less. */
const typicalWordCount = 120;
/** Maximum weight of a term in the text, however often it occurs; a term in a heading weighs more. */
const maxTextWeight = 13;
/** Additional weight that the words of a heading share. */
const sharedHeadingWeight = 9;
/** Weight of a term of the page's title in a section that does not contain it. */
const inheritedTitleWeight = 2;
/** Most pages have fewer distinct terms. */
const initialCapacity = 1 << 10;

/**
 * A posting is `section * sectionStep + weight`, so this must exceed every weight; a power of two, so that a mask
 * extracts the weight.
 */
export const sectionStep = 32;

/**
 * Builds the postings of a page, section by section: call `addText`, then `addHeading`, `addInheritedTitle` and
 * `endSection`. Terms are IDs, and their data is in lists by ID, because a large site has millions of tokens.
 */
export class PostingsBuilder {
  readonly #dictionary = new TermDictionary();
  readonly #tokenizer = new PageTokenizer(this.#dictionary);
  readonly #titleTerms: readonly number[];
  /** For each term: its frequency in the text being read, and its weight in the section; otherwise 0. */
  #frequencies = new Uint32Array(initialCapacity);
  #weights = new Float64Array(initialCapacity);
  /** Number of sections that contain each term. */
  #sectionCounts = new Uint32Array(initialCapacity);
  /** The terms of the section being read. */
  #sectionTerms = new Uint32Array(initialCapacity);
  #sectionTermCount = 0;
  #sectionCount = 0;
  /** The term of each posting, and the posting, in the order of the sections. */
  #postingTerms = new Uint32Array(initialCapacity);
  #postings = new Uint32Array(initialCapacity);
  #postingCount = 0;

  /** Every section inherits the title of its page. */
  constructor(title: string) {
    const { terms, wordCount } = this.#tokenize(title);
    this.#titleTerms = terms.slice(0, wordCount);
  }

  /**
   * Adds the text of a section. Weights saturate as in BM25 (k1 = 1.2): the tenth occurrence of a term adds less than
   * the second.
   */
  addText(text: string): void {
    const { terms, wordCount } = this.#tokenize(text);
    const frequencies = this.#frequencies;
    for (const term of terms) {
      if (frequencies[term] === 0) this.#sectionTerms[this.#sectionTermCount++] = term;
      frequencies[term] = (frequencies[term] ?? 0) + 1;
    }
    const norm = 1.2 * (0.7 + (0.3 * wordCount) / typicalWordCount);
    for (let at = 0; at < this.#sectionTermCount; at += 1) {
      const term = this.#sectionTerms[at] ?? 0;
      const frequency = frequencies[term] ?? 0;
      this.#weights[term] = (maxTextWeight * frequency) / (frequency + norm);
      frequencies[term] = 0;
    }
  }

  /** Adds the heading of a section. The fewer words it has, the more each of them weighs. */
  addHeading(heading: string, base: number): void {
    const { terms, wordCount } = this.#tokenize(heading);
    const weight = base + sharedHeadingWeight / wordCount;
    for (const term of terms) {
      const own = this.#weights[term] ?? 0;
      if (own === 0) this.#sectionTerms[this.#sectionTermCount++] = term;
      if (own < weight) this.#weights[term] = weight;
    }
  }

  addInheritedTitle(): void {
    for (const term of this.#titleTerms) {
      if (this.#weights[term] !== 0) continue;
      this.#weights[term] = inheritedTitleWeight;
      this.#sectionTerms[this.#sectionTermCount++] = term;
    }
  }

  endSection(weightOffset: number): void {
    const end = this.#postingCount + this.#sectionTermCount;
    this.#postingTerms = ensureCapacity(this.#postingTerms, end);
    this.#postings = ensureCapacity(this.#postings, end);
    const first = this.#sectionCount * sectionStep;
    for (let at = 0; at < this.#sectionTermCount; at += 1) {
      const term = this.#sectionTerms[at] ?? 0;
      const weight = Math.min(maxWeight, Math.round(this.#weights[term] ?? 0)) + weightOffset;
      this.#postingTerms[this.#postingCount] = term;
      this.#postings[this.#postingCount++] = first + Math.max(1, Math.min(maxWeight, weight));
      this.#sectionCounts[term] = (this.#sectionCounts[term] ?? 0) + 1;
      this.#weights[term] = 0;
    }
    this.#sectionTermCount = 0;
    this.#sectionCount += 1;
  }

  build(): { readonly texts: Uint8Array; readonly postings: Uint32Array } {
    const { size } = this.#dictionary;
    const postings = new Uint32Array(size + this.#postingCount);
    const ends = new Uint32Array(size);
    let start = 0;
    for (let term = 0; term < size; term += 1) {
      const count = this.#sectionCounts[term] ?? 0;
      postings[start] = count;
      ends[term] = start + 1;
      start += count + 1;
    }
    for (let at = 0; at < this.#postingCount; at += 1) {
      const term = this.#postingTerms[at] ?? 0;
      const end = ends[term] ?? 0;
      postings[end] = this.#postings[at] ?? 0;
      ends[term] = end + 1;
    }
    return { texts: this.#dictionary.lines(), postings };
  }

  /** Tokenizes a text and ensures that the lists by ID have room for each term. */
  #tokenize(text: string): TokenizedText {
    const tokens = this.#tokenizer.tokenize(text);
    const { size } = this.#dictionary;
    this.#frequencies = ensureCapacity(this.#frequencies, size);
    this.#weights = ensureCapacity(this.#weights, size);
    this.#sectionCounts = ensureCapacity(this.#sectionCounts, size);
    this.#sectionTerms = ensureCapacity(this.#sectionTerms, size);
    return tokens;
  }
}
