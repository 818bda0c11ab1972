import { codeSpanText, createCodeSpanIndex } from "@octavo/site/text";
import type { CodeSpanIndex } from "@octavo/site/text";

/** A text with what stood in quotation marks taken out: `"0"`, `"1"`... stand for `quotes[0]`, `quotes[1]`. */
export interface Unquoted {
  readonly text: string;
  readonly quotes: readonly string[];
}

const pairs: Readonly<Record<string, readonly string[]>> = {
  '"': ['"'],
  "“": ["”"],
  "„": ["“", "”"],
  "«": ["»"],
  "‹": ["›"],
  "‘": ["’"],
  "‚": ["‘", "’"],
  "「": ["」"],
};

/** A text that goes on to the end of the instruction: `with the text:` and a line end or words. */
const openText = /\b(?:with|saying|containing)\s+(?:the\s+|this\s+)?(?:following\s+)?(?:text|content|body)\s*:\s*/iy; // prettier-ignore

/**
 * Takes quoted words out of an instruction, so that nothing in them is read as an instruction: every kind of
 * quotation marks, backticks, fenced blocks, and the rest of it after `with the text:`. A mark that is
 * not closed is left out.
 */
export function takeQuotes(instruction: string): Unquoted {
  const parts: string[] = [];
  const quotes: string[] = [];
  const known: KnownMarks = { unclosed: new Set(), code: createCodeSpanIndex(instruction) };
  let at = 0;
  while (at < instruction.length) {
    const quoted = quotedAt(instruction, at, known);
    if (quoted !== undefined) {
      parts.push(`"${quotes.length}"`);
      quotes.push(quoted.text);
      at = quoted.end;
      continue;
    }
    const character = instruction[at] ?? "";
    openText.lastIndex = at;
    const opening = /[wsc]/i.test(character) ? openText.exec(instruction)?.[0] : undefined;
    if (opening !== undefined) parts.push(`${opening.trimEnd()} `);
    else if (!Object.hasOwn(pairs, character) && character !== "”") parts.push(character);
    at += opening?.length ?? 1;
    if (opening === undefined || quotedAt(instruction, at, known) !== undefined) continue;
    parts.push(`"${quotes.length}"`);
    quotes.push(instruction.slice(at).trim());
    at = instruction.length;
  }
  return { text: parts.join(""), quotes };
}

interface Quoted {
  readonly text: string;
  readonly end: number;
}

interface KnownMarks {
  /** Marks that nothing closes from here on. */
  readonly unclosed: Set<string>;
  readonly code: CodeSpanIndex;
}

function quotedAt(text: string, at: number, { unclosed, code }: KnownMarks): Quoted | undefined {
  const character = text[at] ?? "";
  if (character === "`") return backticksAt(text, at, code);
  if (character === "'") return apostropheAt(text, at);
  if (text.startsWith("**", at)) return closedAt(text, at + 2, "**");
  const closers = Object.hasOwn(pairs, character) ? (pairs[character] ?? []) : [];
  if (closers.length === 0 || unclosed.has(character)) return undefined;
  const closing = closers.map((mark) => text.indexOf(mark, at + 1)).filter((end) => end > at);
  // What nothing closes here, nothing closes further on.
  if (closing.length === 0) unclosed.add(character);
  const end = Math.min(...closing);
  return closing.length === 0 ? undefined : { text: text.slice(at + 1, end), end: end + 1 };
}

function closedAt(text: string, from: number, mark: string): Quoted | undefined {
  const end = text.indexOf(mark, from);
  const isUsable = end > from && !text.slice(from, end).includes("\n");
  return isUsable ? { text: text.slice(from, end), end: end + mark.length } : undefined;
}

function backticksAt(text: string, at: number, code: CodeSpanIndex): Quoted | undefined {
  const mark = /^`+/.exec(text.slice(at, at + 100))?.[0] ?? "`";
  if (mark.length < 3) {
    const span = code.at(at);
    return span && { text: codeSpanText(text, span), end: span.end };
  }
  const end = text.indexOf(mark, at + mark.length);
  if (end === -1) return undefined;
  const inner = text.slice(at + mark.length, end);
  return { text: inner.replace(/^[\w-]*\n/, "").trimEnd(), end: end + mark.length };
}

/** `'Don't panic'` is one quotation, `users' guides` is none. */
function apostropheAt(text: string, at: number): Quoted | undefined {
  if (/[\p{L}\p{N}]/u.test(text[at - 1] ?? "")) return undefined;
  const closing = /'(?![\p{L}\p{N}])|\n/gu;
  closing.lastIndex = at + 1;
  const found = closing.exec(text);
  if (found === null || found[0] === "\n" || found.index === at + 1) return undefined;
  return { text: text.slice(at + 1, found.index), end: found.index + 1 };
}
