import { camelCaseParts, cutText, foldable, isDigit, isJoint, maxTermLength } from "./tokenize.ts";
import { grown, nextHash } from "./word-numbers.ts";
import type { WordNumbers } from "./word-numbers.ts";

const maxAscii = 0x7f;
const smallV = 0x76;
const underscore = 0x5f;

/** For each ASCII character its form in a word; 0 for separators. */
const lowerCase = Uint8Array.from({ length: maxAscii + 1 }, (_, code) => {
  const character = String.fromCharCode(code);
  return /[A-Za-z\d]/.test(character) ? character.toLowerCase().charCodeAt(0) : 0;
});

/** The terms of a text by their numbers, each as often as the text has it. */
export interface CutTerms {
  /** Always an array: loops over lists of two kinds cost twice as much. */
  readonly terms: readonly number[];
  /** How many of them, from the first on, are words. */
  readonly wordCount: number;
}

/**
 * Cuts texts into the terms that `tokenize.ts` says they have, with those within names in camel case.
 * Most texts are plain, with nothing to fold: their words are numbered without a string for each of them.
 */
export class TermCutter {
  readonly #words: WordNumbers;
  /** Words and names of the plain text that is being cut, in lower case, at their places in it. */
  #bytes = new Uint8Array(1 << 12);
  /** By the number of the name in lower case. */
  readonly #camelCase = new Map<number, CamelCase>();
  #texts = 0;

  constructor(words: WordNumbers) {
    this.#words = words;
  }

  cut(text: string): CutTerms {
    if (!foldable.test(text)) return this.#cutPlain(text);
    const { words, names } = cutText(text, true);
    const terms = this.#numbersOf([...words, ...names, ...camelCaseTerms(text)]);
    return { terms, wordCount: words.length };
  }

  /** One pass over the text, in which each word is lowered and hashed in place. */
  #cutPlain(text: string): CutTerms {
    const { length } = text;
    const bytes = (this.#bytes = grown(this.#bytes, length));
    const terms: number[] = [];
    const names: Range[] = [];
    const mixedCase: MixedCase[] = [];
    let nameStart = 0;
    let lastEnd = -1;
    let separator = 0;
    for (let at = 0; at < length; at += 1) {
      const from = at;
      let hash = this.#words.seed;
      let capitals = 0;
      let code = 0;
      for (; at < length; at += 1) {
        code = text.charCodeAt(at);
        const lower = code > maxAscii ? 0 : (lowerCase[code] ?? 0);
        if (lower === 0) break;
        if (lower !== code) capitals += 1;
        bytes[at] = lower;
        hash = nextHash(hash, lower);
      }
      if (at === from) continue;
      const term = this.#numberOf(from, at, hash);
      terms.push(term);
      if (capitals > 0 && capitals < at - from && text.charCodeAt(from - 1) !== underscore) {
        mixedCase.push({ term, name: text.slice(from, at) });
      }
      // One point or underscore since the run before: the two are parts of a name.
      if (from === lastEnd + 1 && isJoint(separator)) {
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
    terms.push(this.#numberOf(from, to));
    if (bytes[from] === smallV && isDigit(bytes[from + 1] ?? 0)) {
      terms.push(this.#numberOf(from + 1, to));
    }
  }

  /** Number of the term between the two places of `#bytes`, which has this hash. */
  #numberOf(from: number, to: number, hash?: number): number {
    const end = from + maxTermLength;
    return to > end
      ? this.#words.numberOf(this.#bytes, from, end)
      : this.#words.numberOf(this.#bytes, from, to, hash);
  }

  /** Of names that are one word in lower case the last counts, once in a text. */
  #addCamelCase(terms: number[], names: readonly MixedCase[]): void {
    this.#texts += 1;
    for (const { term, name } of names.toReversed()) {
      let known = this.#camelCase.get(term);
      if (known?.lastText === this.#texts) continue;
      if (known?.name !== name) {
        known = { name, parts: this.#numbersOf(camelCaseTerms(name)), lastText: 0 };
        this.#camelCase.set(term, known);
      }
      // Others that mix letters, as `iOS`, are no names.
      if (known.parts.length === 0) continue;
      known.lastText = this.#texts;
      for (const part of known.parts) terms.push(part);
    }
  }

  #numbersOf(terms: readonly string[]): number[] {
    if (terms.length === 0) return [];
    return Array.from(this.#words.numbersOf(Buffer.from(terms.join("\n"))));
  }
}

interface Range {
  readonly from: number;
  to: number;
}

/** A run of capitals and others, as all names in camel case are. */
interface MixedCase {
  readonly term: number;
  readonly name: string;
}

interface CamelCase {
  readonly name: string;
  readonly parts: readonly number[];
  /** The text in which it was met last, by its number. */
  lastText: number;
}

function extendName(names: Range[], from: number, to: number): void {
  const last = names.at(-1);
  if (last?.from === from) last.to = to;
  else names.push({ from, to });
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
