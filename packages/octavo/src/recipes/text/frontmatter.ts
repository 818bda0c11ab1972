import { frontmatterEnd } from "./page-blocks.ts";

/** One top-level entry of a page's frontmatter, by its place in the page's source. */
export interface FrontmatterField {
  readonly key: string;
  /** The whole entry, lines that belong to it and its line end included. */
  readonly start: number;
  readonly end: number;
  /** The value without what is around it: quotes, blank, a comment. */
  readonly valueStart: number;
  readonly valueEnd: number;
  readonly quote: '"' | "'" | "";
}

const fieldLine = /^(?:"([^"\n]+)"|'([^'\n]+)'|([A-Za-z_][\w:.-]*))[ \t]*:(?=[ \t\r\n]|$)[ \t]*/;

/** The fields of the frontmatter, in order; none where there is no frontmatter. */
export function frontmatterFields(text: string): FrontmatterField[] {
  const fields: FrontmatterField[] = [];
  const end = frontmatterEnd(text);
  let at = end === 0 ? 0 : text.indexOf("\n") + 1;
  while (at < end) {
    const lineEnd = text.indexOf("\n", at) + 1 || end;
    const line = text.slice(at, lineEnd);
    const name = fieldLine.exec(line);
    if (name !== null) fields.push(readField(line, name, at));
    else if (/^[ \t]/.test(line)) extendLast(fields, line, at);
    at = lineEnd;
  }
  return fields;
}

function readField(line: string, name: RegExpExecArray, at: number): FrontmatterField {
  const key = name[1] ?? name[2] ?? name[3] ?? "";
  const from = name[0].length;
  const rest = line.slice(from);
  const quoted = /^"((?:[^"\\\n]|\\.)*)"|^'((?:[^'\n]|'')*)'/.exec(rest);
  const start = { key, start: at, end: at + line.length };
  if (quoted !== null) {
    const value = quoted[1] ?? quoted[2] ?? "";
    const valueStart = at + from + 1;
    const quote = rest.startsWith('"') ? '"' : "'";
    return { ...start, valueStart, valueEnd: valueStart + value.length, quote };
  }
  const plain = rest.replace(/[ \t]#.*$/s, "").trimEnd();
  const valueStart = at + from;
  return { ...start, valueStart, valueEnd: valueStart + plain.length, quote: "" };
}

/** Indented lines go on with the field before them: block texts, lists, maps. */
function extendLast(fields: FrontmatterField[], line: string, at: number): void {
  const last = fields.at(-1);
  if (last === undefined) return;
  const end = at + line.length;
  fields[fields.length - 1] = { ...last, end, valueEnd: at + line.trimEnd().length };
}

/** A field's value as text: quotes and escapes resolved, block lines joined. Empty where there is none. */
export function fieldText(text: string, field: FrontmatterField | undefined): string {
  if (field === undefined) return "";
  const raw = text.slice(field.valueStart, field.valueEnd);
  if (field.quote === "'") return raw.replaceAll("''", "'");
  if (field.quote === '"') return raw.replaceAll(/\\(["\\/])/g, "$1");
  const plain = raw.replace(/^[|>][-+\d]*[ \t]*(?=\r?\n)/, "").replaceAll(/\s+/g, " ");
  return /^(?:~|null)?$/.test(plain.trim()) ? "" : plain.trim();
}

export function findField(text: string, key: string): FrontmatterField | undefined {
  return frontmatterFields(text).find((field) => field.key === key);
}

/** What is a text in every reading of YAML without quotation marks: words, with signs that mean nothing there. */
const plainText = /^\p{L}[^:#"'\\[\]{}&*!|>%@`]*[^\s:#"'\\[\]{}&*!|>%@`,]$/u;
const plainValue = /^(?:true|false|yes|no|on|off|null|y|n)$/i;

/**
 * A text as a YAML value that is a text in every reading, on one line: with the quotation marks that are wanted, as
 * far as it can be written so.
 */
export function yamlText(value: string, quote: FrontmatterField["quote"] = '"'): string {
  const text = value.replaceAll(/\s+/g, " ").trim();
  if (quote === "" && plainText.test(text) && !plainValue.test(text)) return text;
  if (quote === "'") return `'${text.replaceAll("'", "''")}'`;
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}
