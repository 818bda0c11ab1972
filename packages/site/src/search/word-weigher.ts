import { maxWeight } from "./postings.ts";
import { TermCutter } from "./term-cutter.ts";
import type { CutTerms } from "./term-cutter.ts";
import { grown, WordNumbers } from "./word-numbers.ts";

/** Words of a section of usual length; longer ones count a little less for each word. */
const usualWords = 120;
/** Max weight of a word in the text, however often it is used; a word of a heading weighs more. */
const textWeight = 13;
/** Additional weight that the words of a heading share. */
const wholeHeadingWeight = 9;
/** A word of the page's title in a section that does not have it. */
const contextWeight = 2;
/** Most pages have fewer distinct words. */
const usualSize = 1 << 10;

/** Between the postings of a section and those of the next: room for a weight. */
export const sectionStep = 32;

/**
 * Weighs the words of a page, section by section: the text, then headings, then the context, then the end. Words
 * are numbers, and facts about each are in lists by number: pages of a large site have millions of words.
 */
export class WordWeigher {
  readonly #words = new WordNumbers();
  readonly #cutter = new TermCutter(this.#words);
  readonly #context: readonly number[];
  /** Of each word: how often the text that is being read has it, and what it weighs in its section; else 0. */
  #uses = new Uint32Array(usualSize);
  #weights = new Float64Array(usualSize);
  /** In how many sections each word is. */
  #sectionCounts = new Uint32Array(usualSize);
  /** The words of the section that is being read. */
  #used = new Uint32Array(usualSize);
  #usedCount = 0;
  #sections = 0;
  /** The word of each posting, and the posting, in the order of the sections. */
  #owners = new Uint32Array(usualSize);
  #postings = new Uint32Array(usualSize);
  #postingCount = 0;

  /** The title is the context of each section. */
  constructor(title: string) {
    const { terms, wordCount } = this.#cut(title);
    this.#context = terms.slice(0, wordCount);
  }

  /** Saturating like BM25 (k1 = 1.2): the tenth use of a word says less than the second. */
  addText(text: string): void {
    const { terms, wordCount } = this.#cut(text);
    const uses = this.#uses;
    for (const term of terms) {
      if (uses[term] === 0) this.#used[this.#usedCount++] = term;
      uses[term] = (uses[term] ?? 0) + 1;
    }
    const norm = 1.2 * (0.7 + (0.3 * wordCount) / usualWords);
    for (let at = 0; at < this.#usedCount; at += 1) {
      const term = this.#used[at] ?? 0;
      const count = uses[term] ?? 0;
      this.#weights[term] = (textWeight * count) / (count + norm);
      uses[term] = 0;
    }
  }

  /** The fewer words a heading has, the more each of them weighs. */
  addHeading(heading: string, base: number): void {
    const { terms, wordCount } = this.#cut(heading);
    const weight = base + wholeHeadingWeight / wordCount;
    for (const term of terms) {
      const own = this.#weights[term] ?? 0;
      if (own === 0) this.#used[this.#usedCount++] = term;
      if (own < weight) this.#weights[term] = weight;
    }
  }

  addContext(): void {
    for (const term of this.#context) {
      if (this.#weights[term] !== 0) continue;
      this.#weights[term] = contextWeight;
      this.#used[this.#usedCount++] = term;
    }
  }

  endSection(lift: number): void {
    const end = this.#postingCount + this.#usedCount;
    this.#owners = grown(this.#owners, end);
    this.#postings = grown(this.#postings, end);
    const first = this.#sections * sectionStep;
    for (let at = 0; at < this.#usedCount; at += 1) {
      const term = this.#used[at] ?? 0;
      const weight = Math.min(maxWeight, Math.round(this.#weights[term] ?? 0)) + lift;
      this.#owners[this.#postingCount] = term;
      this.#postings[this.#postingCount++] = first + Math.max(1, Math.min(maxWeight, weight));
      this.#sectionCounts[term] = (this.#sectionCounts[term] ?? 0) + 1;
      this.#weights[term] = 0;
    }
    this.#usedCount = 0;
    this.#sections += 1;
  }

  flatten(): { readonly words: Uint8Array; readonly postings: Uint32Array } {
    const { size } = this.#words;
    const postings = new Uint32Array(size + this.#postingCount);
    const ends = new Uint32Array(size);
    let start = 0;
    for (let word = 0; word < size; word += 1) {
      const count = this.#sectionCounts[word] ?? 0;
      postings[start] = count;
      ends[word] = start + 1;
      start += count + 1;
    }
    for (let at = 0; at < this.#postingCount; at += 1) {
      const word = this.#owners[at] ?? 0;
      const end = ends[word] ?? 0;
      postings[end] = this.#postings[at] ?? 0;
      ends[word] = end + 1;
    }
    return { words: this.#words.lines(), postings };
  }

  /** Ensures that the lists by number have room for each term. */
  #cut(text: string): CutTerms {
    const cut = this.#cutter.cut(text);
    const { size } = this.#words;
    this.#uses = grown(this.#uses, size);
    this.#weights = grown(this.#weights, size);
    this.#sectionCounts = grown(this.#sectionCounts, size);
    this.#used = grown(this.#used, size);
    return cut;
  }
}
