import { pageBlocks } from "../../text/page-blocks.ts";
import { pageSpans } from "../../text/page-spans.ts";

/** Code on a page: a line of a fence, or what stands between backticks. */
export interface CodePiece {
  readonly text: string;
  /** From 1. */
  readonly line: number;
  readonly isFenced: boolean;
  /** What says how it is meant: its paragraph or row, the one before a fence, and the heading above. */
  readonly context: string;
  /** All of its fence; empty between backticks. */
  readonly fence: string;
}

/** Longer lines are data. */
const maxLength = 2_000;

/** In order. A fenced line that ends in `\` goes on in the next. */
export function codePieces(page: string): readonly CodePiece[] {
  const lines = page.split("\n");
  const starts = lineStarts(lines);
  const lineAt = (offset: number) => starts.findLastIndex((start) => start <= offset);
  const fences = pageBlocks(page).filter(({ kind }) => kind === "code");
  const isFence = (start: number) => fences.some((fence) => fence.start === start);
  return pageSpans(page).flatMap(({ kind, start, end }): CodePiece[] => {
    if (kind !== "code") return [];
    const first = lineAt(start);
    const text = page.slice(start, end);
    if (!isFence(start)) {
      const inline = text.replaceAll(/^`+ ?| ?`+$/g, "");
      const context = `${headingAbove(lines, first)}\n${paragraphAt(lines, first)}`;
      return [
        { text: inline.slice(0, maxLength), line: first + 1, isFenced: false, context, fence: "" },
      ];
    }
    const context = `${headingAbove(lines, first)}\n${paragraphBefore(lines, first - 1)}`;
    return joinedLines(text).map(({ text: joined, offset }) => ({
      text: joined.slice(0, maxLength),
      line: first + offset + 1,
      isFenced: true,
      context,
      fence: text,
    }));
  });
}

function lineStarts(lines: readonly string[]): readonly number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

function joinedLines(code: string): readonly { readonly text: string; readonly offset: number }[] {
  const joined: { text: string; offset: number }[] = [];
  let isOpen = false;
  for (const [offset, line] of code.split("\n").entries()) {
    const last = joined.at(-1);
    const text = line.replace(/\\\s*$/, " ");
    if (isOpen && last) last.text += text;
    else joined.push({ text, offset });
    isOpen = text !== line;
  }
  return joined;
}

function headingAbove(lines: readonly string[], at: number): string {
  return lines.slice(0, at).findLast((line) => /^#{1,6}\s/.test(line)) ?? "";
}

/** A table's row is a paragraph of its own. */
function paragraphAt(lines: readonly string[], at: number): string {
  if (/^\s*\|/.test(lines[at] ?? "")) return lines[at] ?? "";
  const before = lines.slice(0, at).findLastIndex(isBlank);
  const after = lines.findIndex((line, index) => index > at && isBlank(line));
  return lines.slice(before + 1, after === -1 ? undefined : after).join("\n");
}

/** The last paragraph above the line of a fence. */
function paragraphBefore(lines: readonly string[], fence: number): string {
  const at = lines.slice(0, Math.max(0, fence)).findLastIndex((line) => !isBlank(line));
  return at === -1 ? "" : paragraphAt(lines, at);
}

function isBlank(line: string): boolean {
  return line.trim() === "";
}
