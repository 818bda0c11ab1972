import { getCodeSpanText } from "@octavo/site/text";
import type { CodeSpan, CodeSpanIndex } from "@octavo/site/text";

/** The text between quotation marks that begin at a given offset, and the offset after them. */
interface Quoted {
  readonly text: string;
  readonly end: number;
}

/** Opening quotation marks, with their closing marks. */
const pairs: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "“": "”",
  "„": "“”",
  "«": "»",
  "‹": "›",
  "‘": "’",
  "‚": "‘’",
  "「": "」",
};
/** Quotation marks for new values, in order of preference. */
const usable = ['""', "“”", "«»", "''", "「」"] as const;
/** The maximum length, in characters. A quoted value cannot contain line breaks. */
const maxLength = 2_000;

/**
 * Reads the quoted value at `at`. Returns undefined if there is no quotation mark, or if it is not closed. A value may
 * contain other quotation marks. It may also contain its own marks in pairs or escaped with a backslash.
 */
export function readQuoted(text: string, at: number, code: CodeSpanIndex): Quoted | undefined {
  const open = text[at] ?? "";
  if (open === "`") return text.startsWith("```", at) ? readBlock(text, at) : readCode(text, code.at(at)); // prettier-ignore
  const close = Object.hasOwn(pairs, open) ? (pairs[open] ?? "") : "";
  return close === "" ? undefined : readMarks(text, { at, open, close });
}

interface Marks {
  readonly at: number;
  readonly open: string;
  readonly close: string;
}

function readMarks(text: string, marks: Marks): Quoted | undefined {
  const { at, open, close } = marks;
  let depth = 1;
  for (let index = at + 1; index < Math.min(text.length, at + maxLength); index++) {
    const character = text[index] ?? "";
    if (character === "\n") return undefined;
    if (character === "\\" && isMark(text[index + 1], open, close)) {
      index += 1;
      continue;
    }
    if (open === close) depth = character === open && closesStraight(text, index, marks) ? 0 : 1;
    else if (close.includes(character)) depth -= 1;
    else if (character === open) depth += 1;
    if (depth > 0) continue;
    return { text: unescape(text.slice(at + 1, index), open, close).trim(), end: index + 1 };
  }
  return undefined;
}

/**
 * Reports whether a straight mark closes the quotation, which requires white space, punctuation or the end after it:
 * `"Say "hi" now"`, `'don't'`.
 */
function closesStraight(text: string, index: number, { at, open }: Marks): boolean {
  const next = text[index + 1] ?? " ";
  return /[\s.,;:!?)\]]/.test(next) && isPaired(text.slice(at + 1, index), open);
}

function isMark(character: string | undefined, open: string, close: string): boolean {
  return character !== undefined && (character === open || close.includes(character));
}

/**
 * Reports whether marks of the same kind inside a value are paired, which is required. Apostrophes in words are
 * ignored.
 */
function isPaired(inner: string, open: string): boolean {
  const plain = inner.replaceAll(new RegExp(`\\\\${open}`, "g"), "");
  const marks = open === "'" ? plain.match(/(?<![\p{L}\p{N}])'|'(?![\p{L}\p{N}])/gu) : plain.match(/"/g); // prettier-ignore
  return (marks?.length ?? 0) % 2 === 0;
}

function unescape(inner: string, open: string, close: string): string {
  return inner.replaceAll(/\\(.)/gu, (whole, mark: string) => (isMark(mark, open, close) ? mark : whole)); // prettier-ignore
}

function readCode(text: string, span: CodeSpan | undefined): Quoted | undefined {
  if (span === undefined || text.slice(span.start, span.end).includes("\n")) return undefined;
  return { text: getCodeSpanText(text, span).trim(), end: span.end };
}

/** Reads a fenced block without its first line. */
function readBlock(text: string, at: number): Quoted | undefined {
  const mark = /^`{3,20}/.exec(text.slice(at, at + 20))?.[0] ?? "```";
  const from = at + mark.length;
  const end = blockEnd(text, from, mark);
  if (end === -1) return undefined;
  const content = text.slice(from, end).replace(/^[^\n]*\n/, "").trimEnd(); // prettier-ignore
  return { text: content, end: end + mark.length + 1 };
}

/** Returns the offset of the line break before the closing fence. */
function blockEnd(text: string, from: number, mark: string): number {
  const closing = new RegExp(`\\n${mark}(?=[ \\t]*(?:\\n|$))`, "g");
  closing.lastIndex = from;
  return closing.exec(text)?.index ?? -1;
}

/** Quotes a value for an instruction, with marks that it does not contain. */
export function quoteValue(value: string): string {
  const plain = value.replaceAll(/\s+/g, " ").trim();
  const marks = usable.find(([open, close]) => ![open, close].some((mark) => plain.includes(mark ?? ""))); // prettier-ignore
  const [open = '"', close = '"'] = marks ?? [];
  return marks === undefined ? `"${plain.replaceAll('"', '\\"')}"` : open + plain + close;
}
