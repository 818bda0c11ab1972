import { limits } from "../../core/index.ts";

/**
 * The maximum number of tokens in one `{expression}` or ESM block. JavaScript parsers recurse not only on brackets but
 * also on operators (`!!!!a`, `a=>a=>a`), and crash at about 15,000 levels. The longest script in 17,800 real files has
 * 3.7 KB.
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
  /** The reason that scanning stopped before the end. */
  readonly hazard?: "depth" | "size";
}

const closerOf = new Map([
  [0x7d, brace],
  [0x29, paren],
  [0x5d, bracket],
]);

/** The keywords after which `/` begins a regular expression and `<` begins an element. */
const wordsBeforeOperand = new Set(
  "return typeof case in of delete void new await yield else default do instanceof".split(" "),
);

/** The kind of each ASCII character: 1 is part of a name or number, and 2 is white space. */
const kinds = new Uint8Array(128);
for (const char of "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$#@")
  kinds[char.charCodeAt(0)] = 1;
for (const char of " \t\r\n") kinds[char.charCodeAt(0)] = 2;

export function isNameCode(code: number): boolean {
  return code > 127 || kinds[code] === 1;
}

interface ScriptScanOptions {
  /** Receives each range of the script that is not code: strings, comments, text between tags. */
  readonly hide: (start: number, end: number) => void;
  /** Whether an ESM block that ends at this offset is complete. */
  readonly isWhole?: (end: number) => boolean;
}

/**
 * Scans a script from its first character to its end like a JavaScript parser, and measures its depth and size. It
 * overestimates if in doubt. For example, it ignores an unmatched closing bracket.
 */
export class ScriptScan {
  readonly #text: string;
  readonly #options: ScriptScanOptions;
  readonly #stack: number[] = [];
  #at: number;
  #tokens = 0;
  /** Whether the previous token ended a value, so that `/` is division and `<` is comparison. */
  #afterValue = false;

  constructor(text: string, at: number, options: ScriptScanOptions) {
    this.#text = text;
    this.#at = at;
    this.#options = options;
  }

  /** Scans a script between braces, starting at its `{`. */
  braces(): ScriptRegion {
    this.#open(brace, 1);
    return this.#run();
  }

  esm(): ScriptRegion {
    this.#stack.push(module);
    return this.#run();
  }

  #run(): ScriptRegion {
    while (this.#at < this.#text.length) {
      if (this.#stack.length > limits.nesting) return this.#stop("depth");
      if (this.#tokens > maxTokens) return this.#stop("size");
      const inside = this.#stack.at(-1);
      if (inside === undefined) return { end: this.#at, isClosed: true };
      if (inside === template) this.#scanTemplate();
      else if (inside === content) this.#scanContent();
      else if (inside === tag) this.#scanTag();
      else this.#scanToken();
    }
    return { end: this.#text.length, isClosed: this.#stack.length === 0 };
  }

  #stop(hazard: "depth" | "size"): ScriptRegion {
    return { end: this.#at, isClosed: false, hazard };
  }

  #open(what: number, length: number): void {
    this.#stack.push(what);
    this.#at += length;
    this.#tokens++;
    this.#afterValue = false;
  }

  #close(length: number): void {
    this.#stack.pop();
    this.#at += length;
    this.#afterValue = true;
  }

  #scanToken(): void {
    const code = this.#text.charCodeAt(this.#at);
    if (kinds[code] === 2) return this.#scanSpace(code);
    this.#tokens++;
    if (isNameCode(code)) return this.#scanWord();
    if (code === brace || code === paren || code === bracket || code === template) {
      this.#tokens--;
      return this.#open(code, 1);
    }
    const opener = closerOf.get(code);
    if (opener !== undefined) {
      if (this.#stack.at(-1) === opener) return this.#close(1);
      return this.#operator(true);
    }
    if (code === 0x22 || code === 0x27) return this.#scanString(code, true);
    if (code === 0x2f) return this.#scanSlash();
    if (code === 0x3c && !this.#afterValue && this.#opensTag()) return this.#open(tag, 1);
    this.#operator(false);
  }

  #operator(isValue: boolean): void {
    this.#at++;
    this.#afterValue = isValue;
  }

  #scanSpace(code: number): void {
    this.#at++;
    if (code !== 0x0a) return;
    this.#tokens++;
    if (this.#stack.length !== 1 || this.#stack[0] !== module) return;
    if (/\S/.test(this.#lineAt(this.#at))) return;
    if (this.#options.isWhole?.(this.#at) ?? true) this.#stack.pop();
  }

  #lineAt(offset: number): string {
    const end = this.#text.indexOf("\n", offset);
    return this.#text.slice(offset, end === -1 ? undefined : end);
  }

  #scanWord(): void {
    const start = this.#at;
    while (this.#at < this.#text.length && isNameCode(this.#text.charCodeAt(this.#at))) this.#at++;
    const mayBeKeyword = this.#at - start <= 10;
    this.#afterValue = !mayBeKeyword || !wordsBeforeOperand.has(this.#text.slice(start, this.#at));
  }

  /** Scans a string. A JavaScript string ends no later than its line, but a string in a tag may span lines. */
  #scanString(quote: number, isScript: boolean): void {
    const start = ++this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === quote || (isScript && code === 0x0a)) break;
      if (isScript && code === 0x5c) this.#at++;
    }
    this.#options.hide(start, Math.min(this.#at, this.#text.length));
    if (this.#text.charCodeAt(this.#at) === quote) this.#at++;
    this.#afterValue = true;
  }

  #scanSlash(): void {
    const next = this.#text[this.#at + 1];
    if (next === "/") return this.#skipTo("\n", 0);
    if (next === "*") return this.#skipTo("*/", 2);
    if (this.#afterValue) return this.#operator(false);
    this.#scanRegularExpression();
  }

  #skipTo(end: string, length: number): void {
    const found = this.#text.indexOf(end, this.#at + 2);
    const stop = found === -1 ? this.#text.length : found;
    this.#options.hide(this.#at + 2, stop);
    this.#at = Math.min(this.#text.length, stop + length);
  }

  #scanRegularExpression(): void {
    let inClass = false;
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at];
      if (char === "\n") break;
      if (char === "\\") this.#at++;
      else if (char === "[") inClass = true;
      else if (char === "]") inClass = false;
      else if (char === "/" && !inClass) break;
    }
    this.#at++;
    this.#afterValue = true;
  }

  #scanTemplate(): void {
    const start = this.#at;
    for (; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at];
      if (char === "\\") this.#at++;
      else if (char === "`" || (char === "$" && this.#text[this.#at + 1] === "{")) break;
    }
    this.#options.hide(start, Math.min(this.#at, this.#text.length));
    if (this.#text[this.#at] === "`") this.#close(1);
    else this.#open(brace, 2);
  }

  #opensTag(): boolean {
    const next = this.#text.charCodeAt(this.#at + 1);
    return next === 0x3e || (isNameCode(next) && !(next >= 0x30 && next <= 0x39));
  }

  #scanTag(): void {
    const code = this.#text.charCodeAt(this.#at);
    if (kinds[code] === 2) {
      this.#at++;
      return;
    }
    this.#tokens++;
    if (code === 0x22 || code === 0x27) return this.#scanString(code, false);
    if (code === brace) return this.#open(brace, 1);
    if (code === 0x3e) {
      this.#stack[this.#stack.length - 1] = content;
      this.#at++;
    } else if (code === 0x2f && this.#text[this.#at + 1] === ">") this.#close(2);
    else if (isNameCode(code)) this.#scanWord();
    else this.#at++;
  }

  #scanContent(): void {
    const start = this.#at;
    while (this.#at < this.#text.length && !/[{<]/.test(this.#text[this.#at] ?? "")) this.#at++;
    this.#options.hide(start, this.#at);
    if (this.#text[this.#at] === "{") return this.#open(brace, 1);
    if (this.#text[this.#at + 1] !== "/") return this.#open(tag, 1);
    const end = this.#text.indexOf(">", this.#at);
    this.#close(end === -1 ? this.#text.length - this.#at : end + 1 - this.#at);
  }
}
