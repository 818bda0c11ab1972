import {
  splitCamelCaseNames,
  foldable,
  isConnector,
  isDigit,
  maxTermLength,
  tokenize,
} from "./tokenize.ts";
import { ensureCapacity, updateHash } from "./term-dictionary.ts";
import type { TermDictionary } from "./term-dictionary.ts";

const maxAscii = 0x7f;
const smallV = 0x76;
const underscore = 0x5f;

/** The lowercase form of each ASCII character; 0 for separators. */
const lowerCase = Uint8Array.from({ length: maxAscii + 1 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[A-Za-z\d]/.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
});

/** The tokens of a text as IDs of terms; repeated tokens repeat. */
export interface TokenizedText {
  /** Words come first. Always an array: loops over two kinds of lists cost twice as much. */
  readonly terms: readonly number[];
  /** Number of terms that are words. */
  readonly wordCount: number;
}

/**
 * Tokenizes the texts of a page as `tokenize.ts` does, and also splits camelCase names into their parts. Most texts do
 * not need folding: their words get IDs without a string for each word.
 */
export class PageTokenizer {
  readonly #dictionary: TermDictionary;
  /** The words and names of the text that is being tokenized, in lowercase, at their offsets in it. */
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
    const terms = this.#idsOf([...words, ...names, ...camelCaseTerms(text)]);
    return { terms, wordCount: words.length };
  }

  /** Tokenizes in one pass over the text, which lowercases and hashes each word in place. */
  #tokenizePlain(text: string): TokenizedText {
    const { length } = text;
    const bytes = (this.#bytes = ensureCapacity(this.#bytes, length));
    const terms: number[] = [];
    const names: Range[] = [];
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
      const term = this.#idOf(from, at, hash);
      terms.push(term);
      if (capitals > 0 && capitals < at - from && text.charCodeAt(from - 1) !== underscore) {
        mixedCase.push({ term, name: text.slice(from, at) });
      }
      // A single dot or underscore after the last run: both are parts of a name.
      if (from === lastEnd + 1 && isConnector(separator)) {
        bytes[lastEnd] = separator;
        extendName(names, nameStart, at);
      } else nameStart = from;
      lastEnd = at;
      separator = code;
    }
    const wordCount = terms.length;
    for (const name of names) this.#addName(terms, name);
    if (mixedCase.length > 0) this.#addCamelCase(terms, mixedCase);
    return { terms, wordCount };
  }

  #addName(terms: number[], { from, to }: Range): void {
    const bytes = this.#bytes;
    terms.push(this.#idOf(from, to));
    if (bytes[from] === smallV && isDigit(bytes[from + 1] ?? 0)) {
      terms.push(this.#idOf(from + 1, to));
    }
  }

  /** Returns the ID of the term between two offsets of `#bytes`; `hash` is its hash if known. */
  #idOf(from: number, to: number, hash?: number): number {
    const end = from + maxTermLength;
    return to > end
      ? this.#dictionary.idOf(this.#bytes, from, end)
      : this.#dictionary.idOf(this.#bytes, from, to, hash);
  }

  /** Adds the parts of names. Among names that differ only in case, the last one counts, once per text. */
  #addCamelCase(terms: number[], names: readonly MixedCaseRun[]): void {
    this.#textCount += 1;
    for (const { term, name } of names.toReversed()) {
      let entry = this.#camelCase.get(term);
      if (entry?.lastText === this.#textCount) continue;
      if (entry?.name !== name) {
        entry = { name, parts: this.#idsOf(camelCaseTerms(name)), lastText: 0 };
        this.#camelCase.set(term, entry);
      }
      // Other mixed-case words, such as `iOS`, do not have parts.
      if (entry.parts.length === 0) continue;
      entry.lastText = this.#textCount;
      for (const part of entry.parts) terms.push(part);
    }
  }

  #idsOf(terms: readonly string[]): number[] {
    if (terms.length === 0) return [];
    return Array.from(this.#dictionary.idsOf(Buffer.from(terms.join("\n"))));
  }
}

interface Range {
  readonly from: number;
  to: number;
}

/** A run that mixes upper and lower case, as every camelCase name does. */
interface MixedCaseRun {
  readonly term: number;
  readonly name: string;
}

interface CamelCase {
  readonly name: string;
  readonly parts: readonly number[];
  /** The number of the last text that contains it. */
  lastText: number;
}

function extendName(names: Range[], from: number, to: number): void {
  const last = names.at(-1);
  if (last?.from === from) last.to = to;
  else names.push({ from, to });
}

/** Returns the parts of camelCase names, so that `name` and `username` find `getUserName`. */
function camelCaseTerms(text: string): string[] {
  const terms: string[] = [];
  for (const parts of splitCamelCaseNames(text).values()) {
    terms.push(...parts);
    for (let from = 1; from + 1 < parts.length; from += 1) terms.push(parts.slice(from).join(""));
  }
  return terms;
}
