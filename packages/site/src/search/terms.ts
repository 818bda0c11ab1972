import type { SearchSection } from "../markup/index.ts";
import { findOperation } from "../site/index.ts";
import type { SitePage } from "../site/index.ts";
import { maxWeight } from "./postings.ts";
import { TermDictionary, ensureCapacity, updateHash } from "./term-dictionary.ts";
import {
  findSignedWord,
  foldable,
  isConnector,
  isDigit,
  maxTermLength,
  splitCamelCaseNames,
  tokenize,
} from "./tokenize.ts";

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
/** Maximum weight of a term in text that results do not show. It is less than the weight of a term in prose. */
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
 * is the first heading; the words of `description`, which is part of the first section's text, weigh less than the
 * words of a heading. A `boost` of 2 adds four to all weights; a `boost` of 0.5 subtracts four.
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

const maxAscii = 0x7f;
const smallV = 0x76;
const underscore = 0x5f;

/** The lowercase form of each ASCII character, or 0 for separators. */
const lowerCase = Uint8Array.from({ length: maxAscii + 1 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[A-Za-z\d]/.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
});

/** The tokens of a text as term IDs, including duplicates. */
interface TokenizedText {
  /**
   * The IDs, of which the IDs of words come first. Always an array, because loops over two kinds of lists take twice as
   * long.
   */
  readonly terms: readonly number[];
  /** Number of entries in `terms` that are words. */
  readonly wordCount: number;
}

/**
 * Tokenizes the texts of a page as `tokenize.ts` does, and also splits camelCase names into their parts. Most texts do
 * not need folding, so their words get IDs without creating a string per word.
 */
class PageTokenizer {
  readonly #dictionary: TermDictionary;
  /** The words and names of the text that is being tokenized, in lowercase, at the same offsets as in the text. */
  #bytes = new Uint8Array(1 << 12);
  /** The names, by the ID of their lowercase form. */
  readonly #camelCase = new Map<number, CamelCase>();
  #textCount = 0;

  constructor(dictionary: TermDictionary) {
    this.#dictionary = dictionary;
  }

  tokenize(text: string): TokenizedText {
    if (!foldable.test(text)) return this.#tokenizePlain(text);
    const { words, names } = tokenize(text, true);
    const terms = this.#assignIds([...words, ...names, ...splitCamelCaseTerms(text)]);
    return { terms, wordCount: words.length };
  }

  /** Tokenizes in one pass over the text, which lowercases and hashes each word in place. */
  #tokenizePlain(text: string): TokenizedText {
    const { length } = text;
    const bytes = (this.#bytes = ensureCapacity(this.#bytes, length));
    const terms: number[] = [];
    const names: Range[] = [];
    const signedWords: string[] = [];
    const mixedCase: MixedCaseRun[] = [];
    let nameStart = 0;
    let lastEnd = -1;
    let separator = 0;
    for (let at = 0; at < length; at += 1) {
      const from = at;
      let hash = this.#dictionary.seed;
      let capitals = 0;
      let code = 0;
      for (; at < length; at += 1) {
        code = text.charCodeAt(at);
        const lower = code > maxAscii ? 0 : (lowerCase[code] ?? 0);
        if (lower === 0) break;
        if (lower !== code) capitals += 1;
        bytes[at] = lower;
        hash = updateHash(hash, lower);
      }
      if (at === from) continue;
      const term = this.#assignId(from, at, hash);
      terms.push(term);
      if (capitals > 0 && capitals < at - from && text.charCodeAt(from - 1) !== underscore) {
        mixedCase.push({ term, name: text.slice(from, at) });
      }
      addSignedWord(signedWords, text, from, at);
      // A single dot or underscore after the last run joins the two runs into a name.
      if (from === lastEnd + 1 && isConnector(separator)) {
        bytes[lastEnd] = separator;
        extendName(names, nameStart, at);
      } else nameStart = from;
      lastEnd = at;
      separator = code;
    }
    const wordCount = terms.length;
    for (const name of names) this.#addName(terms, name);
    terms.push(...this.#assignIds(signedWords));
    if (mixedCase.length > 0) this.#addCamelCase(terms, mixedCase);
    return { terms, wordCount };
  }

  #addName(terms: number[], { from, to }: Range): void {
    const bytes = this.#bytes;
    terms.push(this.#assignId(from, to));
    if (bytes[from] === smallV && isDigit(bytes[from + 1] ?? 0)) {
      terms.push(this.#assignId(from + 1, to));
    }
  }

  /** Returns the ID of the term between two offsets of `#bytes`. `hash` is its hash, if known. */
  #assignId(from: number, to: number, hash?: number): number {
    const end = from + maxTermLength;
    return to > end
      ? this.#dictionary.assignId(this.#bytes, from, end)
      : this.#dictionary.assignId(this.#bytes, from, to, hash);
  }

  /** Adds the parts of names. If names differ only in case, the last name that has parts is used, once per text. */
  #addCamelCase(terms: number[], names: readonly MixedCaseRun[]): void {
    this.#textCount += 1;
    for (const { term, name } of names.toReversed()) {
      let entry = this.#camelCase.get(term);
      if (entry?.lastText === this.#textCount) continue;
      if (entry?.name !== name) {
        entry = { name, parts: this.#assignIds(splitCamelCaseTerms(name)), lastText: 0 };
        this.#camelCase.set(term, entry);
      }
      // Other mixed-case words, such as `iOS`, do not have parts.
      if (entry.parts.length === 0) continue;
      entry.lastText = this.#textCount;
      for (const part of entry.parts) terms.push(part);
    }
  }

  #assignIds(terms: readonly string[]): number[] {
    if (terms.length === 0) return [];
    return Array.from(this.#dictionary.assignIds(Buffer.from(terms.join("\n"))));
  }
}

interface Range {
  readonly from: number;
  to: number;
}

/** A run of letters and digits in mixed case, such as every camelCase name. */
interface MixedCaseRun {
  readonly term: number;
  readonly name: string;
}

interface CamelCase {
  readonly name: string;
  readonly parts: readonly number[];
  /** The number of the last text that contains the name. */
  lastText: number;
}

function extendName(names: Range[], from: number, to: number): void {
  const last = names.at(-1);
  if (last?.from === from) last.to = to;
  else names.push({ from, to });
}

function addSignedWord(words: string[], text: string, from: number, to: number): void {
  const word = findSignedWord(text, from, to);
  if (word !== undefined) words.push(word);
}

/** Returns the parts of camelCase names, so that `name` and `username` find `getUserName`. */
function splitCamelCaseTerms(text: string): string[] {
  const terms: string[] = [];
  for (const parts of splitCamelCaseNames(text).values()) {
    terms.push(...parts);
    for (let from = 1; from + 1 < parts.length; from += 1) terms.push(parts.slice(from).join(""));
  }
  return terms;
}

/** Number of words in a typical section. In a longer section, each word weighs slightly less. */
const typicalWordCount = 120;
/** Maximum weight of a term in the text, however often it occurs. A term in a heading weighs more. */
const maxTextWeight = 13;
/**
 * Weight of a term in the summary of a page: lower than in a heading, but higher than the weight of most terms in the
 * text.
 */
const summaryWeight = 9;
/** Additional weight that is divided among the words of a heading. */
const sharedHeadingWeight = 9;
/** Weight of a term of the page's title in a section that does not contain it. */
const inheritedTitleWeight = 2;
/** Initial capacity of the lists by term; most pages have fewer distinct terms. */
const initialCapacity = 1 << 10;

/**
 * A posting is `section * sectionStep + weight`. `sectionStep` must exceed every weight, and must be a power of two so
 * that a mask extracts the weight.
 */
export const sectionStep = 32;

/**
 * Builds the postings of a page. For each section, call `addText`, then `addHeading`, `addInheritedTitle` and
 * `endSection`. Terms are represented by IDs, and their data is in lists by ID, because a large site has millions of
 * tokens.
 */
class PostingsBuilder {
  readonly #dictionary = new TermDictionary();
  readonly #tokenizer = new PageTokenizer(this.#dictionary);
  readonly #titleTerms: readonly number[];
  /** For each term, its frequency in the text being read and its weight in the section, or 0. */
  #frequencies = new Uint32Array(initialCapacity);
  #weights = new Float64Array(initialCapacity);
  /** Number of sections that contain each term. */
  #sectionCounts = new Uint32Array(initialCapacity);
  /** The terms of the section being read. */
  #sectionTerms = new Uint32Array(initialCapacity);
  #sectionTermCount = 0;
  #sectionCount = 0;
  /** The term and the value of each posting, in the order of the sections. */
  #postingTerms = new Uint32Array(initialCapacity);
  #postings = new Uint32Array(initialCapacity);
  #postingCount = 0;

  /** Creates a builder for a page, whose title every section inherits. */
  constructor(title: string) {
    const { terms, wordCount } = this.#tokenize(title);
    this.#titleTerms = terms.slice(0, wordCount);
  }

  /**
   * Adds the text of a section. Weights saturate as in BM25 (k1 = 1.2), so the tenth occurrence of a term adds less
   * than the second. No weight exceeds `limit`.
   */
  addText(text: string, limit = maxTextWeight): void {
    const { terms, wordCount } = this.#tokenize(text);
    const frequencies = this.#frequencies;
    for (const term of terms) frequencies[term] = (frequencies[term] ?? 0) + 1;
    const norm = 1.2 * (0.7 + (0.3 * wordCount) / typicalWordCount);
    for (const term of terms) {
      const frequency = frequencies[term] ?? 0;
      if (frequency === 0) continue;
      frequencies[term] = 0;
      this.#raiseWeight(term, (limit * frequency) / (frequency + norm));
    }
  }

  /** Adds the author's summary of a page. Each word weighs the same, however long the summary is. */
  addSummary(text: string): void {
    for (const term of this.#tokenize(text).terms) this.#raiseWeight(term, summaryWeight);
  }

  /** Adds the heading of a section. The fewer words it has, the more each word weighs. */
  addHeading(heading: string, baseWeight: number): void {
    const { terms, wordCount } = this.#tokenize(heading);
    const weight = baseWeight + sharedHeadingWeight / wordCount;
    for (const term of terms) this.#raiseWeight(term, weight);
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
    return { texts: this.#dictionary.encodeLines(), postings };
  }

  /** Raises the weight of a term in the section to a minimum. */
  #raiseWeight(term: number, weight: number): void {
    const current = this.#weights[term] ?? 0;
    if (current === 0) this.#sectionTerms[this.#sectionTermCount++] = term;
    if (current < weight) this.#weights[term] = weight;
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
