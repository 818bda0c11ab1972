/** The syntax of a language's literals: strings, lists and objects. */
export interface LiteralStyle {
  readonly quote: (text: string) => string;
  readonly none: string;
  readonly yes: string;
  readonly no: string;
  readonly list: readonly [open: string, close: string];
  readonly object: readonly [open: string, close: string];
  readonly emptyObject?: string;
  readonly formatPair: (key: string, value: string) => string;
  /** Number of spaces per level. */
  readonly indent: number;
  readonly hasTrailingComma: boolean;
}

/** Writes a JSON value as an expression on several lines. Lines after the first are indented by `level`. */
export function writeLiteral(value: unknown, style: LiteralStyle, level = 0): string {
  if (value === null || value === undefined) return style.none;
  if (value === true) return style.yes;
  if (value === false) return style.no;
  if (typeof value === "number") return JSON.stringify(value);
  if (typeof value !== "object") return style.quote(typeof value === "string" ? value : "");
  if (Array.isArray(value)) {
    const items = value.map((item) => writeLiteral(item, style, level + 1));
    return wrapInBrackets(items, style.list, { style, level });
  }
  const pairs = Object.entries(value).map(([key, item]) =>
    style.formatPair(style.quote(key), writeLiteral(item, style, level + 1)),
  );
  if (pairs.length === 0 && style.emptyObject !== undefined) return style.emptyObject;
  return wrapInBrackets(pairs, style.object, { style, level });
}

function wrapInBrackets(
  parts: readonly string[],
  [open, close]: readonly [string, string],
  { style, level }: { readonly style: LiteralStyle; readonly level: number },
): string {
  if (parts.length === 0) return open + close;
  const outer = " ".repeat(style.indent * level);
  const inner = " ".repeat(style.indent * (level + 1));
  const last = style.hasTrailingComma ? "," : "";
  return `${open}\n${inner}${parts.join(`,\n${inner}`)}${last}\n${outer}${close}`;
}

/** Quotes a string with JSON's escapes, which mean the same in JavaScript, Python, Go, Java and C#. */
export function quoteJson(text: string): string {
  return JSON.stringify(text.toWellFormed())
    .replaceAll("\u007f", "\\u007f")
    .replaceAll("\u2028", "\\u2028")
    .replaceAll("\u2029", "\\u2029");
}

/** Formats a value as indented JSON, which never has more than two quotation marks in a row. */
export function formatJson(value: unknown, indent = 2): string {
  return (JSON.stringify(value, null, indent) ?? "null").toWellFormed();
}

/** Removes NUL and replaces lone surrogates, which a source file cannot contain. */
export function stripNul(text: string): string {
  return text.toWellFormed().replaceAll("\0", "");
}

const specialCharacter = /["\\\p{Cc}\u2028\u2029]/gu;
const namedEscapes: Readonly<Record<string, string>> = {
  '"': '\\"',
  "\\": "\\\\",
  "\n": "\\n",
  "\r": "\\r",
  "\t": "\\t",
};

/** Quotes for languages with escapes like `\u{1f}`. Backslashes are escaped, so Swift's `\(...)` remains text. */
export function quoteWithBraces(text: string): string {
  const escaped = text
    .toWellFormed()
    .replaceAll(
      specialCharacter,
      (letter) => namedEscapes[letter] ?? `\\u{${letter.charCodeAt(0).toString(16)}}`,
    );
  return `"${escaped}"`;
}
