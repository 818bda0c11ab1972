import { readFenceLine } from "./fence.ts";
import type { TextRange } from "./text-edit.ts";

/**
 * Whitespace, quotes and list markers at the beginning of a line. Every number counts as a list marker, although only
 * 1 can interrupt a paragraph.
 */
const markersPattern = /^(?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/;
const listMarker = /[^ \t>]/;
const headingMarks = /^#{1,6}(?:[ \t]|$)/;
/** An underline, a thematic break, a table row or a footnote; in MDX also tags or expressions alone on a line. */
const blockStart =
  /^(?:[-+*]$|-+$|=+$|\*{3,}$|_{3,}$|\||\[\^[^\]\s]{1,100}\]:|(?:(?:<[^<>]*>|\{[^{}]*\})[ \t]*)+$)/;

/** Lines that Markdown parses as one piece of inline text. */
export interface InlineText extends TextRange {
  /** A row of a table, whose cells are parsed on their own; a bar is part of a cell only if it is escaped. */
  readonly isTableRow: boolean;
}

/**
 * The inline text from the line of `offset` on: the rest of a paragraph, a heading, or a row of a table whose rows
 * begin with `|`. `offset` must not be in a fenced block.
 */
export function inlineTextAt(text: string, offset: number): InlineText {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const { depth, rest } = readLine(text, start);
  let end = lineEnd(text, offset);
  const isTableRow = rest.startsWith("|");
  if (isTableRow || headingMarks.test(rest)) return { start, end, isTableRow };
  while (end < text.length && !endsParagraph(text, end + 1, depth)) end = lineEnd(text, end + 1);
  return { start, end, isTableRow };
}

/** Whether a line ends the paragraph before it, which is in `depth` quotes. A line in fewer quotes may continue it. */
function endsParagraph(text: string, start: number, depth: number): boolean {
  const { depth: own, isItem, rest } = readLine(text, start);
  if (rest === "" || own > depth || isItem) return true;
  return headingMarks.test(rest) || blockStart.test(rest) || readFenceLine(rest, undefined).isCode;
}

function readLine(text: string, start: number) {
  const line = text.slice(start, lineEnd(text, start)).trimEnd();
  const markers = markersPattern.exec(line)?.[0] ?? "";
  return {
    depth: markers.split(">").length - 1,
    isItem: listMarker.test(markers),
    rest: line.slice(markers.length),
  };
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}
