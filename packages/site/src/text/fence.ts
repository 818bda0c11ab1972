import { findBodyStart } from "./frontmatter.ts";
import type { TextRange } from "./text-edit.ts";

/** The opening fence of a code block that is not closed yet. */
export interface OpenFence {
  readonly char: string;
  readonly length: number;
  /** The number of blockquote markers (`>`) before the fence. */
  readonly quotes: number;
  /**
   * The column at which the text of the list item that contains the fence begins, counted after the blockquote markers.
   * 0 outside lists.
   */
  readonly indent: number;
  /** The text after the fence on its line. */
  readonly info: string;
}

/** Matches blockquote and list markers, followed by three or more backticks or tildes. */
const openingPattern = /^((?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*)(`{3,}|~{3,})/;

/**
 * Reads `line`. `open` is the fence that the previous lines left open. Returns the fence that is open after the line
 * (`open` itself if it continues), and whether the line is code, which includes fences. MDX has no indented code, so a
 * fence may be indented by any width. A block ends at the end of the blockquote or list item in which it opens.
 */
export function readFenceLine(
  line: string,
  open: OpenFence | undefined,
): { readonly open: OpenFence | undefined; readonly isCode: boolean } {
  if (open) {
    if (isOutsideContainer(line, open)) return readFenceLine(line, undefined);
    return { open: isClosingFence(line, open) ? undefined : open, isCode: true };
  }
  if (!mayBeFence(line)) return { open: undefined, isCode: false };
  const [whole = "", markers = "", fence] = openingPattern.exec(line) ?? [];
  const char = fence?.charAt(0);
  const info = line.slice(whole.length).trim();
  if (fence === undefined || char === undefined || (char === "`" && info.includes("`"))) {
    return { open: undefined, isCode: false };
  }
  const innerMarkers = markers.slice(markers.lastIndexOf(">") + 1);
  const indent = /[^ \t]/.test(innerMarkers) ? measureWidth(innerMarkers) : 0;
  const quotes = countQuotes(markers);
  return { open: { char, length: fence.length, quotes, indent, info }, isCode: true };
}

/** Reports whether a line may contain a fence. Rules out nearly every line without a regular expression. */
function mayBeFence(line: string): boolean {
  return line.includes("```") || line.includes("~~~");
}

function isClosingFence(line: string, open: OpenFence): boolean {
  if (!mayBeFence(line)) return false;
  const text = line.trim().replace(/^[> \t]+/, "");
  if (text.length < open.length) return false;
  for (const char of text) if (char !== open.char) return false;
  return true;
}

function isOutsideContainer(line: string, { quotes, indent }: OpenFence): boolean {
  if (quotes > 0 && countQuotes(line) < quotes) return true;
  if (indent === 0) return false;
  let rest = line;
  for (let count = 0; count < quotes; count++) rest = rest.slice(rest.indexOf(">") + 1);
  const blank = /^[ \t]*/.exec(rest)?.[0] ?? "";
  return measureWidth(blank) < indent && rest.trim() !== "";
}

/** Returns the number of columns that the characters at the beginning of a line occupy. */
function measureWidth(signs: string): number {
  let width = 0;
  for (const sign of signs) width = sign === "\t" ? width - (width % 4) + 4 : width + 1;
  return width;
}

/** Counts the blockquote markers (`>`) among a line's leading markers. */
function countQuotes(line: string): number {
  let count = 0;
  for (const char of line) {
    if (char === ">") count++;
    else if (char !== " " && char !== "\t" && !/[-*+\d.)]/.test(char)) break;
  }
  return count;
}

/** A fenced code block, including the lines of its fences. */
export interface CodeBlock extends TextRange {
  readonly info: string;
}

/** Finds the fenced blocks in a page's body, in order and in linear time. An unclosed block extends to the end. */
export function findCodeBlocks(text: string): CodeBlock[] {
  const blocks: CodeBlock[] = [];
  let fence: OpenFence | undefined;
  let start = 0;
  const addBlock = (end: number) => {
    if (fence) blocks.push({ start, end, info: fence.info });
  };
  for (let at = findBodyStart(text); at < text.length;) {
    const next = text.indexOf("\n", at) + 1 || text.length;
    const { open, isCode } = readFenceLine(text.slice(at, next), fence);
    if (open !== fence) {
      addBlock(isCode && open === undefined ? next : at);
      [fence, start] = [open, at];
    }
    at = next;
  }
  addBlock(text.length);
  return blocks;
}

/** Reports whether an offset is in any of the ranges, which must be in order. Uses bisection. */
export function isInCode(code: readonly TextRange[], offset: number): boolean {
  let [low, high] = [0, code.length - 1];
  while (low <= high) {
    const middle = (low + high) >>> 1;
    const { start = 0, end = 0 } = code[middle] ?? {};
    if (offset < start) high = middle - 1;
    else if (offset >= end) low = middle + 1;
    else return true;
  }
  return false;
}

/** Formats a code block whose fences are longer than any fence in the code. */
export function formatFencedCode(code: string, info: string): string {
  let length = 3;
  for (const [run] of code.matchAll(/`{3,}/g)) length = Math.max(length, run.length + 1);
  const marks = "`".repeat(length);
  return `${marks}${info}\n${code}\n${marks}`;
}
