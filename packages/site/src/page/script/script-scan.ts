import { limits } from "../../core/index.ts";

/**
 * The maximum number of tokens in one `{expression}` or ESM block. JavaScript parsers recurse not only on brackets but
 * also on operators (`!!!!a`, `a=>a=>a`), and crash at about 15,000 levels. The longest script in 17,800 real files is
 * 3.7 KB long.
 */
export const maxTokens = 10_000;

/** The constructs that can enclose the scanner's position. Its stack has one construct per level, innermost last. */
const brace = 0x7b;
const paren = 0x28;
const bracket = 0x5b;
const template = 0x60;
const tag = 0x74; // `<a ...`
const content = 0x3c; // between `<a>` and `</a>`
const module = 0x6d; // an ESM block, which ends at an empty line

export interface ScriptRegion {
  /** The offset after the script. */
  readonly end: number;
  readonly isClosed: boolean;
  /** The reason why scanning stopped before the end. */
  readonly hazard?: "depth" | "size";
}

const openersByCloser = new Map([
  [0x7d, brace],
  [0x29, paren],
  [0x5d, bracket],
]);

/** The keywords after which `/` begins a regular expression and `<` begins an element. */
const wordsBeforeOperand = new Set(
  "return typeof case in of delete void new await yield else default do instanceof".split(" "),
);

/** The kind of each ASCII character: 1 is part of a name or number, and 2 is white space. */
const characterKinds = new Uint8Array(128);
for (const char of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$#@")
  characterKinds[char.charCodeAt(0)] = 1;
for (const char of " \t\r\n") characterKinds[char.charCodeAt(0)] = 2;

export function isNameCode(code: number): boolean {
  return code > 127 || characterKinds[code] === 1;
}

interface ScriptScanOptions {
  /** Receives each range of the script that is not code: strings, comments, text between tags. */
  readonly hide: (start: number, end: number) => void;
  /** Reports whether an ESM block that ends at this offset is complete. */
  readonly isWhole?: (end: number) => boolean;
}

/**
 * Scans a script from its first character to its end, like a JavaScript parser, and measures its depth and size. If in
 * doubt, overestimates both. For example, ignores an unmatched closing bracket.
 */
export class ScriptScan {
  readonly #text: string;
  readonly #options: ScriptScanOptions;
  readonly #stack: number[] = [];
  #offset: number;
  #tokenCount = 0;
  /** Whether the previous token ended a value, so that `/` is division and `<` is comparison. */
  #isAfterValue = false;

  constructor(text: string, at: number, options: ScriptScanOptions) {
    this.#text = text;
    this.#offset = at;
    this.#options = options;
  }

  /** Scans a script between braces, starting at its `{`. */
  scanBraces(): ScriptRegion {
    this.#open(brace, 1);
    return this.#run();
  }

  scanEsm(): ScriptRegion {
    this.#stack.push(module);
    return this.#run();
  }

  #run(): ScriptRegion {
    while (this.#offset < this.#text.length) {
      if (this.#stack.length > limits.nesting) return this.#stop("depth");
      if (this.#tokenCount > maxTokens) return this.#stop("size");
      const enclosing = this.#stack.at(-1);
      if (enclosing === undefined) return { end: this.#offset, isClosed: true };
      if (enclosing === template) this.#scanTemplate();
      else if (enclosing === content) this.#scanContent();
      else if (enclosing === tag) this.#scanTag();
      else this.#scanToken();
    }
    return { end: this.#text.length, isClosed: this.#stack.length === 0 };
  }

  #stop(hazard: "depth" | "size"): ScriptRegion {
    return { end: this.#offset, isClosed: false, hazard };
  }

  #open(construct: number, length: number): void {
    this.#stack.push(construct);
    this.#offset += length;
    this.#tokenCount++;
    this.#isAfterValue = false;
  }

  #close(length: number): void {
    this.#stack.pop();
    this.#offset += length;
    this.#isAfterValue = true;
  }

  #scanToken(): void {
    const code = this.#text.charCodeAt(this.#offset);
    if (characterKinds[code] === 2) return this.#scanSpace(code);
    this.#tokenCount++;
    if (isNameCode(code)) return this.#scanWord();
    if (code === brace || code === paren || code === bracket || code === template) {
      this.#tokenCount--;
      return this.#open(code, 1);
    }
    const opener = openersByCloser.get(code);
    if (opener !== undefined) {
      if (this.#stack.at(-1) === opener) return this.#close(1);
      return this.#skipOperator(true);
    }
    if (code === 0x22 || code === 0x27) return this.#scanString(code, true);
    if (code === 0x2f) return this.#scanSlash();
    if (code === 0x3c && !this.#isAfterValue && this.#opensTag()) return this.#open(tag, 1);
    this.#skipOperator(false);
  }

  #skipOperator(isValue: boolean): void {
    this.#offset++;
    this.#isAfterValue = isValue;
  }

  #scanSpace(code: number): void {
    this.#offset++;
    if (code !== 0x0a) return;
    this.#tokenCount++;
    if (this.#stack.length !== 1 || this.#stack[0] !== module) return;
    if (/\S/.test(this.#readRestOfLine(this.#offset))) return;
    if (this.#options.isWhole?.(this.#offset) ?? true) this.#stack.pop();
  }

  #readRestOfLine(offset: number): string {
    const end = this.#text.indexOf("\n", offset);
    return this.#text.slice(offset, end === -1 ? undefined : end);
  }

  #scanWord(): void {
    const start = this.#offset;
    while (this.#offset < this.#text.length && isNameCode(this.#text.charCodeAt(this.#offset)))
      this.#offset++;
    const mayBeKeyword = this.#offset - start <= 10;
    this.#isAfterValue =
      !mayBeKeyword || !wordsBeforeOperand.has(this.#text.slice(start, this.#offset));
  }

  /**
   * Scans a string. A JavaScript string ends no later than the end of its line, but a string in a tag may span lines.
   */
  #scanString(quote: number, isScript: boolean): void {
    const start = ++this.#offset;
    for (; this.#offset < this.#text.length; this.#offset++) {
      const code = this.#text.charCodeAt(this.#offset);
      if (code === quote || (isScript && code === 0x0a)) break;
      if (isScript && code === 0x5c) this.#offset++;
    }
    this.#options.hide(start, Math.min(this.#offset, this.#text.length));
    if (this.#text.charCodeAt(this.#offset) === quote) this.#offset++;
    this.#isAfterValue = true;
  }

  #scanSlash(): void {
    const next = this.#text[this.#offset + 1];
    if (next === "/") return this.#skipTo("\n", 0);
    if (next === "*") return this.#skipTo("*/", 2);
    if (this.#isAfterValue) return this.#skipOperator(false);
    this.#scanRegularExpression();
  }

  #skipTo(end: string, length: number): void {
    const found = this.#text.indexOf(end, this.#offset + 2);
    const stop = found === -1 ? this.#text.length : found;
    this.#options.hide(this.#offset + 2, stop);
    this.#offset = Math.min(this.#text.length, stop + length);
  }

  #scanRegularExpression(): void {
    let isInClass = false;
    for (this.#offset++; this.#offset < this.#text.length; this.#offset++) {
      const char = this.#text[this.#offset];
      if (char === "\n") break;
      if (char === "\\") this.#offset++;
      else if (char === "[") isInClass = true;
      else if (char === "]") isInClass = false;
      else if (char === "/" && !isInClass) break;
    }
    this.#offset++;
    this.#isAfterValue = true;
  }

  #scanTemplate(): void {
    const start = this.#offset;
    for (; this.#offset < this.#text.length; this.#offset++) {
      const char = this.#text[this.#offset];
      if (char === "\\") this.#offset++;
      else if (char === "`" || (char === "$" && this.#text[this.#offset + 1] === "{")) break;
    }
    this.#options.hide(start, Math.min(this.#offset, this.#text.length));
    if (this.#text[this.#offset] === "`") this.#close(1);
    else this.#open(brace, 2);
  }

  #opensTag(): boolean {
    const next = this.#text.charCodeAt(this.#offset + 1);
    return next === 0x3e || (isNameCode(next) && !(next >= 0x30 && next <= 0x39));
  }

  #scanTag(): void {
    const code = this.#text.charCodeAt(this.#offset);
    if (characterKinds[code] === 2) {
      this.#offset++;
      return;
    }
    this.#tokenCount++;
    if (code === 0x22 || code === 0x27) return this.#scanString(code, false);
    if (code === brace) return this.#open(brace, 1);
    if (code === 0x3e) {
      this.#stack[this.#stack.length - 1] = content;
      this.#offset++;
    } else if (code === 0x2f && this.#text[this.#offset + 1] === ">") this.#close(2);
    else if (isNameCode(code)) this.#scanWord();
    else this.#offset++;
  }

  #scanContent(): void {
    const start = this.#offset;
    while (this.#offset < this.#text.length && !/[{<]/.test(this.#text[this.#offset] ?? ""))
      this.#offset++;
    this.#options.hide(start, this.#offset);
    if (this.#text[this.#offset] === "{") return this.#open(brace, 1);
    if (this.#text[this.#offset + 1] !== "/") return this.#open(tag, 1);
    const end = this.#text.indexOf(">", this.#offset);
    this.#close(end === -1 ? this.#text.length - this.#offset : end + 1 - this.#offset);
  }
}
