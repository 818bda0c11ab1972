import type { ProblemLocation } from "../core/index.ts";
import { LineIndex } from "./line-index.ts";
import type { TextEdit } from "./text-edit.ts";

/** A page's frontmatter, between two lines of `---` (YAML) or of `+++` (TOML). */
export interface FrontmatterBlock {
  readonly format: "yaml" | "toml";
  /** The text between the two delimiter lines. */
  readonly text: string;
  /** The offset in the page at which `text` begins. */
  readonly textStart: number;
  /** The 1-based line of the page on which `text` begins. */
  readonly firstLine: 2;
  /** The offset at which the page's body begins. */
  readonly bodyStart: number;
}

const openingLine = /^\uFEFF?(---|\+\+\+)[ \t]*\r?\n/;
const closingLines = {
  "---": /\n---[ \t]*\r?(?=\n|$)/g,
  "+++": /\n\+\+\+[ \t]*\r?(?=\n|$)/g,
} as const;

/** The position of a top-level frontmatter entry in the page's text. */
export interface FrontmatterField {
  readonly key: string;
  /** The start of the whole entry, which includes continuation lines and the line end. */
  readonly start: number;
  readonly end: number;
  /** The start of the value, excluding quotation marks, white space and comments around it. */
  readonly valueStart: number;
  readonly valueEnd: number;
  readonly quote: '"' | "'" | "";
}

const fieldLine = /^(?:"([^"\n]+)"|'([^'\n]+)'|([A-Za-z_][\w:.-]*))[ \t]*:(?=[ \t\r\n]|$)[ \t]*/;

/**
 * Finds a page's frontmatter, which begins on the very first line. A byte order mark may precede it, and lines may end
 * with CRLF. Returns undefined if there is no frontmatter, and `"unclosed"` if its closing line is missing.
 */
export function findFrontmatter(source: string): FrontmatterBlock | "unclosed" | undefined {
  const [line, mark] = openingLine.exec(source) ?? [];
  if (line === undefined) return undefined;
  const closing = mark === "+++" ? closingLines["+++"] : closingLines["---"];
  // In an empty block, the closing line immediately follows the first line's end.
  closing.lastIndex = line.length - 1;
  const found = closing.exec(source);
  if (!found) return "unclosed";
  const end = found.index + found[0].length;
  return {
    format: mark === "+++" ? "toml" : "yaml",
    text: source.slice(line.length, found.index + 1),
    textStart: line.length,
    firstLine: 2,
    bodyStart: source[end] === "\n" ? end + 1 : end,
  };
}

/** Returns the offset at which a page's body begins, which is 0 if the frontmatter is missing or unclosed. */
export function findBodyStart(source: string): number {
  const block = findFrontmatter(source);
  return typeof block === "object" ? block.bodyStart : 0;
}

/** Reads the fields of a page's frontmatter in order. Returns an empty list if the page has no YAML frontmatter. */
export function readFrontmatterFields(page: string): FrontmatterField[] {
  const block = findFrontmatter(page);
  if (typeof block !== "object" || block.format !== "yaml") return [];
  return readYamlFields(block.text, block.textStart);
}

/** Reads the top-level entries of YAML in order. `offset` is the position of the YAML in its text. */
export function readYamlFields(yaml: string, offset = 0): FrontmatterField[] {
  const fields: FrontmatterField[] = [];
  const end = offset + yaml.length;
  for (let at = offset; at < end;) {
    const lineEnd = offset + yaml.indexOf("\n", at - offset) + 1;
    const line = yaml.slice(at - offset, (lineEnd > at ? lineEnd : end) - offset);
    const name = fieldLine.exec(line);
    if (name !== null) fields.push(readField(line, name, at));
    else if (/^[ \t]/.test(line)) extendLastField(fields, line, at);
    at += line.length;
  }
  return fields;
}

function readField(line: string, name: RegExpExecArray, at: number): FrontmatterField {
  const key = name[1] ?? name[2] ?? name[3] ?? "";
  const from = name[0].length;
  const rest = line.slice(from);
  const quoted = /^"((?:[^"\\\n]|\\.)*)"|^'((?:[^'\n]|'')*)'/.exec(rest);
  const entry = { key, start: at, end: at + line.length };
  if (quoted !== null) {
    const value = quoted[1] ?? quoted[2] ?? "";
    const valueStart = at + from + 1;
    const quote = rest.startsWith('"') ? '"' : "'";
    return { ...entry, valueStart, valueEnd: valueStart + value.length, quote };
  }
  const plain = rest.replace(/[ \t]#.*$/s, "").trimEnd();
  const valueStart = at + from;
  return { ...entry, valueStart, valueEnd: valueStart + plain.length, quote: "" };
}

/** Extends the last field by an indented line that continues it, as in a block scalar, a list or a map. */
function extendLastField(fields: FrontmatterField[], line: string, at: number): void {
  const last = fields.at(-1);
  if (last === undefined) return;
  const end = at + line.length;
  fields[fields.length - 1] = { ...last, end, valueEnd: at + line.trimEnd().length };
}

/**
 * Returns a field's value as text, with quotation marks and escapes resolved and the lines of blocks joined. Returns an
 * empty string for an undefined field.
 */
export function getFieldText(text: string, field: FrontmatterField | undefined): string {
  if (field === undefined) return "";
  const raw = text.slice(field.valueStart, field.valueEnd);
  if (field.quote === "'") return raw.replaceAll("''", "'");
  if (field.quote === '"') return raw.replaceAll(/\\(["\\/])/g, "$1");
  const plain = raw.replace(/^[|>][-+\d]*[ \t]*(?=\r?\n)/, "").replaceAll(/\s+/g, " ");
  return /^(?:~|null)?$/.test(plain.trim()) ? "" : plain.trim();
}

export function findField(text: string, key: string): FrontmatterField | undefined {
  return readFrontmatterFields(text).find((field) => field.key === key);
}

/** Returns the location of a field in a page, or the location of the whole page if it has no such field. */
export function locateField(file: string, text: string, key: string): ProblemLocation {
  const field = findField(text, key);
  return field === undefined ? { file } : new LineIndex(text).locationAt(file, field.start);
}

/**
 * Matches text that every YAML parser reads as a string without quotation marks, because its characters are not special
 * in YAML.
 */
const plainText = /^\p{L}[^:#"'\\[\]{}&*!|>%@`]*[^\s:#"'\\[\]{}&*!|>%@`,]$/u;
const reservedWord = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

/**
 * Formats text as a single-line YAML value that every parser reads as a string. Uses the preferred quotation marks if
 * they can represent the text.
 */
export function formatYamlString(value: string, quote: FrontmatterField["quote"] = '"'): string {
  const text = value.replaceAll(/\s+/g, " ").trim();
  if (quote === "" && plainText.test(text) && !reservedWord.test(text)) return text;
  if (quote === "'") return `'${text.replaceAll("'", "''")}'`;
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/**
 * Returns the edit that sets a field of a page's frontmatter. An existing field is changed in place. A new field is
 * added after the title, or at the beginning if there is no title. If the page has no frontmatter, the edit adds it.
 * The value is quoted like the old value or, for a new field, like the title. Returns undefined if the page's
 * frontmatter is not YAML.
 */
export function setFrontmatterField(
  page: string,
  key: string,
  value: string,
): TextEdit | undefined {
  const block = findFrontmatter(page);
  if (typeof block === "object" && block.format !== "yaml") return undefined;
  const lineEnd = page.includes("\r\n") ? "\r\n" : "\n";
  const field = findField(page, key);
  const title = findField(page, "title");
  const hasValue = field !== undefined && field.valueEnd > field.valueStart;
  const quote = (hasValue ? field : title)?.quote;
  const quotedKey = field && /^(?:"[^"\n]*"|'[^'\n]*')(?=\s*:)/.exec(page.slice(field.start))?.[0];
  const line = `${quotedKey ?? key}: ${formatYamlString(value, quote)}${lineEnd}`;
  if (field !== undefined) return { start: field.start, end: field.end, text: line };
  if (typeof block !== "object") {
    const start = page.startsWith("\uFEFF") ? 1 : 0;
    return { start, end: start, text: `---${lineEnd}${line}---${lineEnd}${lineEnd}` };
  }
  const start = title?.end ?? block.textStart;
  return { start, end: start, text: line };
}
