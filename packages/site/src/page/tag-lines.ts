import { everyNode, type RawNode } from "./raw-node.ts";
import type { LineIndex } from "../text/index.ts";

/** A text in which a tag was moved to a line of its own. */
export interface SplitText {
  readonly text: string;
  /** 1-based number of the line that was added, in `text`. */
  readonly line: number;
  /** Offset of the tag in the text before the change. */
  readonly offset: number;
  /** What the author should change. */
  readonly message: string;
}

const closingTagExpected = /^Expected the closing tag `<\/([\w.]{1,100})>` either after the end of/;
const openingTagUnclosed =
  /^Expected a closing tag for `<([A-Z][\w.]{0,99})>` \((\d+):(\d+)\) before the end of/;

/**
 * Repairs an element that begins on a line of its own and ends in a paragraph, or vice versa: MDX requires
 * both tags in one line of text, or each on a line of its own. `reason` and the offset `at` are the
 * parser's. Undefined if its error is about something else.
 */
export function splitTagLine(
  text: string,
  error: { readonly reason: string; readonly at: number },
  index: LineIndex,
): SplitText | undefined {
  const closing = closingTagExpected.exec(error.reason)?.[1];
  if (closing !== undefined && text.startsWith("</", error.at) && !startsLine(text, error.at)) {
    const message = `MDX requires the closing tag of an element of several lines on its own line; move </${closing}> to one.`;
    return { ...splitAt(text, error.at), offset: error.at, message };
  }
  const opening = openingTagUnclosed.exec(error.reason);
  if (!opening) return undefined;
  const offset = index.offsetOf(Number(opening[2]), Number(opening[3]));
  openingTag.lastIndex = offset;
  if (!startsLine(text, offset) || !openingTag.test(text)) return undefined;
  const message = `MDX requires the opening tag of an element of several paragraphs on its own line; put what follows <${opening[1]}> on the next line.`;
  return { ...splitAt(text, openingTag.lastIndex), offset, message };
}

/** An opening tag with simple attributes, followed by something on its line. */
const openingTag = /<[\w.]+(?:\s+[\w:-]+(?:=(?:"[^"]*"|'[^']*'|\{[^{}]*\}))?)*\s*>(?=[ \t]*[^\s])/y;

function startsLine(text: string, offset: number): boolean {
  return !/[^ \t>]/.test(text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset));
}

/** Inserts a line break at `offset`, with the indentation and quote markers of the line before. */
function splitAt(text: string, offset: number): { text: string; line: number } {
  const before = text.slice(0, offset);
  const depth = /^[ \t>]*/.exec(before.slice(before.lastIndexOf("\n") + 1))?.[0] ?? "";
  const line = before.split("\n").length + 1;
  return { text: `${before}\n${depth}${text.slice(offset)}`, line };
}

/** Lines that were added to a text, to map its places back to the author's file. */
export class AddedLines {
  #lines: number[] = [];

  /** `line` is 1-based in the text with this line and those added before. */
  add(line: number): void {
    this.#lines = [...this.#lines.map((other) => (other >= line ? other + 1 : other)), line];
  }

  /** The author's line that contains `line` of the text. */
  originalOf(line: number): number {
    return line - this.#lines.filter((other) => other <= line).length;
  }

  /** Changes the lines of `nodes` to the author's; their offsets stay those of the text. */
  restoreIn(nodes: readonly RawNode[]): void {
    if (this.#lines.length === 0) return;
    for (const { position } of everyNode(nodes)) {
      if (!position) continue;
      const points: { line: number }[] = [position.start, position.end];
      for (const point of points) point.line = this.originalOf(point.line);
    }
  }
}
