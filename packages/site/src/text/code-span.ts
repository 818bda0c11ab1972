import { findCodeBlocks, readFenceLine } from "./fence.ts";
import { findBodyStart } from "./frontmatter.ts";
import type { TextRange } from "./text-edit.ts";

/** A code span in a paragraph, including its backticks. */
export interface CodeSpan extends TextRange {
  /** The text between the backticks. */
  readonly content: TextRange;
}

/** An index of a text's code spans, for callers that scan the markup themselves. */
export interface CodeSpanIndex {
  /**
   * Returns the span that the run of backticks at `offset` opens. Returns undefined if no run of the same length closes
   * the span in its paragraph, so that the whole run is plain text. `offset` is the beginning of a run, or a position
   * in it after an escaped backtick. It must not be in a fenced block or in another span.
   */
  findAt(offset: number): CodeSpan | undefined;
}

/** The backticks in a paragraph, a heading or a table row. */
interface Backticks extends TextRange {
  /** The start offsets of runs of backticks, keyed by the length of the run. */
  readonly runs: ReadonlyMap<number, readonly number[]>;
  /** The end offsets of a table row's cells. No span extends beyond its cell. */
  readonly cellEnds: readonly number[];
}

/**
 * Matches white space, blockquote markers and list markers at the beginning of a line. Any number is treated as a list
 * marker, although only 1 can interrupt a paragraph.
 */
const markersPattern = /^(?:[ \t]|>|[-*+](?=[ \t])|\d{1,9}[.)](?=[ \t]))*/;
const listMarker = /[^ \t>]/;
const headingMarks = /^#{1,6}(?:[ \t]|$)/;

/**
 * Matches an underline, a thematic break, a table row or a footnote, and in MDX also tags or expressions alone on a
 * line.
 */
const blockStart =
  /^(?:[-+*]$|-+$|=+$|\*{3,}$|_{3,}$|\||\[\^[^\]\s]{1,100}\]:|(?:(?:<[^<>]*>|\{[^{}]*\})[ \t]*)+$)/;

/** Lines that Markdown parses as a single piece of inline text. */
interface InlineText extends TextRange {
  /**
   * Whether the text is a table row, whose cells are parsed separately. In a row, a pipe is part of a cell only if it
   * is escaped.
   */
  readonly isTableRow: boolean;
}

/** Creates an index of a text. Looking up ascending offsets takes linear time in total. */
export function createCodeSpanIndex(text: string): CodeSpanIndex {
  let backticks: Backticks | undefined;
  return {
    findAt(offset) {
      if (!backticks || offset < backticks.start || offset >= backticks.end)
        backticks = readBackticks(text, offset);
      let start = offset;
      while (text[start] === "`") start++;
      const length = start - offset;
      const end = findFirstFrom(backticks.runs.get(length) ?? [], start);
      if (end === undefined || end > (findFirstFrom(backticks.cellEnds, start) ?? end))
        return undefined;
      return { start: offset, end: end + length, content: { start, end } };
    },
  };
}

function readBackticks(text: string, offset: number): Backticks {
  const { start, end, isTableRow } = findInlineText(text, offset);
  const line = text.slice(start, end);
  const runs = new Map<number, number[]>();
  for (const { 0: run, index } of line.matchAll(/`+/g)) {
    const starts = runs.get(run.length);
    if (starts) starts.push(start + index);
    else runs.set(run.length, [start + index]);
  }
  const tokens = isTableRow ? Array.from(line.matchAll(/\\[^]|\|/g)) : [];
  const cellEnds = tokens.filter(([sign]) => sign === "|").map(({ index }) => start + index);
  return { start, end, runs, cellEnds };
}

/** Returns the first of the ascending numbers that is at least `min`. Uses bisection. */
function findFirstFrom(numbers: readonly number[], min: number): number | undefined {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] ?? 0) < min) low = middle + 1;
    else high = middle;
  }
  return numbers[low];
}

/**
 * Returns a span's text as readers see it. Line ends become spaces, and a space on each side that only separates
 * backticks is removed.
 */
export function getCodeSpanText(text: string, { content }: CodeSpan): string {
  const line = text.slice(content.start, content.end).replaceAll(/\r?\n/g, " ");
  const isPadded = line.startsWith(" ") && line.endsWith(" ") && line.trim() !== "";
  return isPadded ? line.slice(1, -1) : line;
}

/** Finds the code spans of inline Markdown, such as the text of a heading, in order and in linear time. */
export function findCodeSpans(text: string): CodeSpan[] {
  return [...findSpansIn(text, { start: 0, end: text.length }, createCodeSpanIndex(text))];
}

/**
 * Finds the fenced blocks and code spans in a page's body, in order and in linear time. Treats tags and expressions as
 * text.
 */
export function findCodeRanges(text: string): TextRange[] {
  const ranges: TextRange[] = [];
  const index = createCodeSpanIndex(text);
  const end = { start: text.length, end: text.length };
  let start = findBodyStart(text);
  for (const block of [...findCodeBlocks(text), end]) {
    for (const span of findSpansIn(text, { start, end: block.start }, index)) ranges.push(span);
    if (block !== end) ranges.push(block);
    start = block.end;
  }
  return ranges;
}

/** Finds the code spans in a part of a text that contains no fenced blocks. */
function* findSpansIn(text: string, { start, end }: TextRange, index: CodeSpanIndex) {
  const marks = /\\[^]|`+/g;
  marks.lastIndex = start;
  for (let mark = marks.exec(text); mark && mark.index < end; mark = marks.exec(text)) {
    const span = mark[0].startsWith("`") ? index.findAt(mark.index) : undefined;
    if (!span) continue;
    yield span;
    marks.lastIndex = span.end;
  }
}

/**
 * Returns the inline text that begins with the line of `offset`: the rest of a paragraph, a heading, or a row of a
 * table whose rows begin with `|`. `offset` must not be in a fenced block.
 */
function findInlineText(text: string, offset: number): InlineText {
  const start = text.lastIndexOf("\n", offset - 1) + 1;
  const { depth, rest } = readLine(text, start);
  let end = findLineEnd(text, offset);
  const isTableRow = rest.startsWith("|");
  if (isTableRow || headingMarks.test(rest)) return { start, end, isTableRow };
  while (end < text.length && !isParagraphEnd(text, end + 1, depth))
    end = findLineEnd(text, end + 1);
  return { start, end, isTableRow };
}

/**
 * Reports whether a line ends the preceding paragraph, which is in `depth` blockquotes. A line with fewer blockquote
 * markers may continue the paragraph.
 */
function isParagraphEnd(text: string, start: number, depth: number): boolean {
  const { depth: ownDepth, isItem, rest } = readLine(text, start);
  if (rest === "" || ownDepth > depth || isItem) return true;
  return headingMarks.test(rest) || blockStart.test(rest) || readFenceLine(rest, undefined).isCode;
}

function readLine(text: string, start: number) {
  const line = text.slice(start, findLineEnd(text, start)).trimEnd();
  const markers = markersPattern.exec(line)?.[0] ?? "";
  return {
    depth: markers.split(">").length - 1,
    isItem: listMarker.test(markers),
    rest: line.slice(markers.length),
  };
}

function findLineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

/** Collapses a text to a single line for a list. */
export function collapseLines(text: string): string {
  return text.replaceAll(/\s+/g, " ").trim();
}

export function formatInlineCode(text: string): string {
  const line = collapseLines(text);
  const fence = line.includes("`") ? "``" : "`";
  const pad = fence === "``" || line === "" ? " " : "";
  return `${fence}${pad}${line}${pad}${fence}`;
}
