import { applyEdits, type TextEdit, type TextRange } from "./text-edit.ts";

/**
 * An address in a style sheet: in `url(…)`, in the string of `@import`, or in a string of a function such as
 * `image-set`.
 */
export interface CssAddress extends TextRange {
  /** The address without quotes and escapes. */
  readonly target: string;
  readonly kind: "import" | "font" | "picture";
  /** The whole rule of an import. */
  readonly rule?: TextRange;
  /** Whether the range is a whole `url(…)` without quotes, or the string with its quotes. */
  readonly form: "url" | "string";
}

/** Functions whose strings are addresses. */
const addressFunctions: ReadonlySet<string | undefined> = new Set([
  "url",
  "src",
  "image",
  "image-set",
  "-webkit-image-set",
]);

/** Matches a comment, a string, a name with an optional `@` and `(`, or any other single character. */
const tokenPattern =
  /\/\*[^]*?(?:\*\/|$)|"(?:[^"\\\n\r\f]|\\[^])*"?|'(?:[^'\\\n\r\f]|\\[^])*'?|@?(?:[-\w\u0080-\u{10FFFF}]|\\[^\n\r\f])+\(?|[^]/uy;
/** Matches the rest of an unquoted `url(…)`. `badUrlRest` matches the rest of a `url(…)` that browsers reject. */
const bareUrlRest = /\s*((?:[^\s"'()\\]|\\[^\n\r\f])*)\s*(?:\)|$)/uy;
const badUrlRest = /(?:[^)\\]|\\[^])*\)?/uy;
const quoteStart = /\s*["']/y;

/** Matches the words and characters of which a style sheet with addresses contains at least one. */
const possibleAddress = /url|src|image|import|\\/i;

/**
 * Finds the addresses in a style sheet or in the value of a `style` attribute, in order. Like browsers, ignores
 * comments and the names of `@namespace`. Takes linear time.
 */
export function findCssAddresses(css: string): readonly CssAddress[] {
  return possibleAddress.test(css) ? new AddressFinder(css).run() : [];
}

/** Replaces addresses. `replace` returns the new address, or undefined to keep an address as written. */
export function replaceCssAddresses(
  css: string,
  replace: (address: CssAddress) => string | undefined,
): string {
  const edits = findCssAddresses(css).flatMap((address) => {
    const target = replace(address);
    return target === undefined ? [] : [setCssAddress(address, target)];
  });
  return edits.length === 0 ? css : applyEdits(css, edits);
}

/** Returns the edit that replaces an address. */
export function setCssAddress({ start, end, form }: CssAddress, target: string): TextEdit {
  const text = `"${target.replaceAll(/["\\\n\r\f]/g, encodeURIComponent)}"`;
  return { start, end, text: form === "url" ? `url(${text})` : text };
}

class AddressFinder {
  readonly #css: string;
  readonly #addresses: CssAddress[] = [];
  /** The open functions, or `(` alone, innermost last. */
  readonly #functions: string[] = [];
  /** The at-rules of the open blocks, innermost last; an empty string for any other rule. */
  readonly #blocks: string[] = [];
  /** The at-rule whose prelude is being read, without `@`. */
  #rule = "";
  #ruleStart = 0;
  /** The index in `#found` of the import that is being read. */
  #importIndex: number | undefined;

  constructor(css: string) {
    this.#css = css;
  }

  run(): readonly CssAddress[] {
    const css = this.#css;
    let at = 0;
    while (at < css.length) {
      tokenPattern.lastIndex = at;
      const text = tokenPattern.exec(css)?.[0] ?? css.charAt(at);
      at = this.#read(text, at);
    }
    this.#endRule(css.length);
    return this.#addresses;
  }

  /** Processes a token and returns the offset at which to continue. */
  #read(text: string, start: number): number {
    const end = start + text.length;
    const [first = ""] = text;
    if (text.length > 1 && (first === '"' || first === "'")) this.#readString(text, start);
    else if (first === "@") this.#startRule(text, start);
    else if (text.endsWith("(")) return this.#openFunction(text, start);
    else if (text === ")") this.#functions.pop();
    else if (text === "{") this.#openBlock();
    else if (text === "}") this.#closeBlock(start);
    else if (text === ";") this.#endRule(end);
    return end;
  }

  #startRule(text: string, start: number): void {
    this.#endRule(start);
    this.#rule = unescape(text.slice(1)).replace(/\($/, "").toLowerCase();
    this.#ruleStart = start;
    if (text.endsWith("(")) this.#functions.push("(");
  }

  #openBlock(): void {
    this.#blocks.push(this.#rule);
    this.#functions.length = 0;
    this.#rule = "";
  }

  #closeBlock(start: number): void {
    this.#endRule(start);
    this.#blocks.pop();
    this.#functions.length = 0;
  }

  #endRule(end: number): void {
    const found = this.#importIndex === undefined ? undefined : this.#addresses[this.#importIndex];
    if (found && this.#importIndex !== undefined) {
      this.#addresses[this.#importIndex] = { ...found, rule: { start: this.#ruleStart, end } };
    }
    this.#importIndex = undefined;
    this.#rule = "";
  }

  #openFunction(text: string, start: number): number {
    const end = start + text.length;
    const name = unescape(text.slice(0, -1)).toLowerCase();
    quoteStart.lastIndex = end;
    if (name !== "url" || quoteStart.test(this.#css)) {
      this.#functions.push(name);
      return end;
    }
    bareUrlRest.lastIndex = end;
    const bare = bareUrlRest.exec(this.#css);
    if (bare) {
      this.#add(bare[1] ?? "", { start, end: bareUrlRest.lastIndex }, "url");
      return bareUrlRest.lastIndex;
    }
    badUrlRest.lastIndex = end;
    badUrlRest.exec(this.#css);
    return badUrlRest.lastIndex;
  }

  #readString(text: string, start: number): void {
    // A string without a closing quote ends at the end of the line, and browsers ignore it.
    const isWhole = text.endsWith(text.charAt(0));
    const isImport = this.#rule === "import" && this.#functions.length === 0;
    if (!isWhole || !(isImport || addressFunctions.has(this.#functions.at(-1)))) return;
    this.#add(text.slice(1, -1), { start, end: start + text.length }, "string");
  }

  #add(escapedTarget: string, range: TextRange, form: CssAddress["form"]): void {
    if (this.#rule === "namespace") return;
    const isImport = this.#rule === "import";
    // The conditions of an import may contain strings.
    if (isImport && this.#importIndex !== undefined) return;
    if (isImport) this.#importIndex = this.#addresses.length;
    const kind = this.#blocks.at(-1) === "font-face" ? "font" : "picture";
    const target = unescape(escapedTarget);
    this.#addresses.push({ target, kind: isImport ? "import" : kind, form, ...range });
  }
}

const escapePattern = /\\(?:([\da-f]{1,6})(?:\r\n|\s)?|\r\n|([^]))/giu;

/** Resolves escapes: replaces `\2f` with a slash, and removes a backslash together with the line end after it. */
function unescape(text: string): string {
  if (!text.includes("\\")) return text;
  return text.replaceAll(escapePattern, (_, digits?: string, other = "") => {
    if (digits === undefined) return /[\n\r\f]/.test(other) ? "" : other;
    const code = Number.parseInt(digits, 16);
    const isCharacter = code > 0 && code <= 0x10_ff_ff && (code < 0xd8_00 || code > 0xdf_ff);
    return isCharacter ? String.fromCodePoint(code) : "\u{FFFD}";
  });
}
