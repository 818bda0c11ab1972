import { everyNode, type RawNode } from "./raw-node.ts";
import type { LineIndex } from "../text/index.ts";

/** A text in which a tag was put on a line of its own. */
export interface SplitText {
  readonly text: string;
  /** 1-based number of the line that was added, in `text`. */
  readonly line: number;
  /** The tag, in the text before. */
  readonly offset: number;
  /** What the author wants to change. */
  readonly message: string;
}

const closingTagExpected = /^Expected the closing tag `<\/([\w.]{1,100})>` either after the end of/;
const openingTagUnclosed =
  /^Expected a closing tag for `<([A-Z][\w.]{0,99})>` \((\d+):(\d+)\) before the end of/;

/**
 * Mends an element that begins on a line and ends in a paragraph, or the other way round: MDX wants
 * both tags in one line of text, or each on a line of its own. `reason` is the parser's, `at` its place.
 * Undefined where it speaks of something else.
 */
export function splitTagLine(
  text: string,
  error: { readonly reason: string; readonly at: number },
  index: LineIndex,
): SplitText | undefined {
  const closing = closingTagExpected.exec(error.reason)?.[1];
  if (closing !== undefined && text.startsWith("</", error.at) && !startsLine(text, error.at)) {
    const message = `MDX wants the closing tag of an element of several lines on a line of its own: put </${closing}> there.`;
    return { ...splitAt(text, error.at), offset: error.at, message };
  }
  const opening = openingTagUnclosed.exec(error.reason);
  if (!opening) return undefined;
  const offset = index.offsetOf(Number(opening[2]), Number(opening[3]));
  openingTag.lastIndex = offset;
  if (!startsLine(text, offset) || !openingTag.test(text)) return undefined;
  const message = `MDX wants the opening tag of an element of several paragraphs on a line of its own: put <${opening[1]}> there.`;
  return { ...splitAt(text, openingTag.lastIndex), offset, message };
}

/** An opening tag whose attributes are simple, with something behind it on its line. */
const openingTag = /<[\w.]+(?:\s+[\w:-]+(?:=(?:"[^"]*"|'[^']*'|\{[^{}]*\}))?)*\s*>(?=[ \t]*[^\s])/y;

function startsLine(text: string, offset: number): boolean {
  return !/[^ \t>]/.test(text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset));
}

/** Begins a new line at `offset`, as deep in quotes and lists as the line before. */
function splitAt(text: string, offset: number): { text: string; line: number } {
  const before = text.slice(0, offset);
  const depth = /^[ \t>]*/.exec(before.slice(before.lastIndexOf("\n") + 1))?.[0] ?? "";
  const line = before.split("\n").length + 1;
  return { text: `${before}\n${depth}${text.slice(offset)}`, line };
}

/** Lines that were added to a text, so that places are told as they are in the author's file. */
export class AddedLines {
  #lines: number[] = [];

  /** `line` counts in the text that has this line and those added so far. */
  add(line: number): void {
    this.#lines = [...this.#lines.map((other) => (other >= line ? other + 1 : other)), line];
  }

  /** The author's line that `line` of the text is, or is a part of. */
  originalOf(line: number): number {
    return line - this.#lines.filter((other) => other <= line).length;
  }

  /** Gives `nodes` the author's lines; their offsets stay those of the text. */
  restoreIn(nodes: readonly RawNode[]): void {
    if (this.#lines.length === 0) return;
    for (const { position } of everyNode(nodes)) {
      if (!position) continue;
      const points: { line: number }[] = [position.start, position.end];
      for (const point of points) point.line = this.originalOf(point.line);
    }
  }
}
