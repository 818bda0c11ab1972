import { applyEdits } from "../text/index.ts";
import type { TextEdit } from "../text/index.ts";
import { restoreMarks } from "./marks.ts";
import type { Value } from "./script/value.ts";

/** The maximum number of blanks examined on each side of a position, so that a long run of blanks is not slow. */
const maxExaminedBlanks = 200;

/** A file's Markdown for agents: the file's source with edits applied. */
export class AgentMarkdown {
  readonly #source: string;
  readonly #edits: TextEdit[] = [];
  /**
   * The end of the last removal, which includes any comments that directly follow, because comments were already
   * replaced with spaces.
   */
  #removedEnd = 0;

  /** `blanks`: ranges that were replaced with spaces, as start, end, start, end, ... */
  constructor(source: string, blanks: readonly number[]) {
    this.#source = source;
    for (let index = 0; index < blanks.length; index += 2) {
      const start = blanks[index] ?? 0;
      if (start >= this.#removedEnd) this.remove(start, blanks[index + 1] ?? start);
    }
  }

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }

  /** Removes a range. If it fills whole lines, also removes the empty lines after it. */
  remove(start: number, end: number): void {
    const lineStart = start - this.getIndent(start).length;
    const isFirstInLine = lineStart === 0 || this.#source[lineStart - 1] === "\n";
    const nextLine = isFirstInLine ? this.#findNextLine(end) : undefined;
    if (nextLine === undefined) return this.#removeInLine(start, end);
    this.#removedEnd = nextLine;
    this.replace(lineStart, nextLine, "");
  }

  /** Removes a range within a line. At the end of a line, also removes the white space before the range. */
  #removeInLine(start: number, end: number): void {
    const after = this.#source.slice(end, end + maxExaminedBlanks);
    const before = this.#source.slice(Math.max(0, start - maxExaminedBlanks), start);
    const isLast = /^[ \t]*(?:\n|$)/.test(after);
    const from = isLast ? start - before.length + before.trimEnd().length : start;
    this.replace(from, end, "");
  }

  /** Returns the start of the next line with text after `offset`, or undefined if text follows on the same line. */
  #findNextLine(offset: number): number | undefined {
    let start: number | undefined;
    for (let at = offset; at < this.#source.length; at++) {
      const char = this.#source[at];
      if (char === "\n") start = at + 1;
      else if (!isBlank(char) && /\S/.test(char ?? "")) return start;
    }
    return this.#source.length;
  }

  /**
   * Returns the white space between the start of the line and `offset`. The result is empty if there is text before
   * `offset`.
   */
  getIndent(offset: number): string {
    let start = offset;
    while (offset - start < maxExaminedBlanks && isBlank(this.#source[start - 1])) start--;
    const isIndent = start === 0 || this.#source[start - 1] === "\n";
    return isIndent ? this.#source.slice(start, offset) : "";
  }

  getSource(start: number, end: number): string {
    return restoreMarks(this.#source.slice(start, end));
  }

  /** Returns the number of edits so far, for use with `slice`. */
  countEdits(): number {
    return this.#edits.length;
  }

  /**
   * Returns the text from `start` to `end`, with the edits made in that range, except the first `skippedEdits` edits.
   */
  slice(start: number, end: number, skippedEdits: number): string {
    return restoreMarks(applyOuterEdits(this.#source, this.#edits.slice(skippedEdits), start, end));
  }

  toText(start: number): string {
    return restoreMarks(applyOuterEdits(this.#source, this.#edits, start, this.#source.length));
  }
}

/**
 * Reports whether a character is a space or tab. A page can have millions of characters, and a regular expression takes
 * ten times as long.
 */
function isBlank(char: string | undefined): boolean {
  return char === " " || char === "\t";
}

/**
 * Applies the outermost edits. Skips an edit inside another edit, because the outer edit's text already includes its
 * result.
 */
function applyOuterEdits(
  source: string,
  edits: readonly TextEdit[],
  start: number,
  end: number,
): string {
  const outer: TextEdit[] = [];
  let cursor = start;
  for (const edit of edits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (edit.start < cursor) continue;
    outer.push(edit);
    cursor = edit.end;
  }
  return applyEdits(source, outer, { start, end });
}

/** Indents every line of `text` except the first, so that it stays inside its list item or element. */
export function indentLines(text: string, indent: string): string {
  return indent === "" ? text : text.replaceAll(/\n(?=[^\n])/g, `\n${indent}`);
}

/** Returns the Markdown of a `Visibility` element for agents; or an empty string if its content is only for people. */
export function formatForAgents({
  values,
  getMarkdown,
}: {
  readonly values: ReadonlyMap<string, Value>;
  /** Returns the element's content. The first line begins with text, not with white space. */
  readonly getMarkdown: () => string;
}): string {
  const audience = values.get("for");
  const isForHumans = typeof audience === "string" && audience.trim().toLowerCase() === "humans";
  return isForHumans ? "" : removeIndent(getMarkdown());
}

/** Removes the common indentation of all lines except the first. */
function removeIndent(text: string): string {
  const [first = "", ...lines] = text.split("\n");
  const indents = lines.filter((line) => line.trim() !== "").map((line) => line.search(/\S/));
  const indent = indents.reduce((min, width) => Math.min(min, width), Number.MAX_SAFE_INTEGER);
  return [first, ...lines.map((line) => line.slice(indent))].join("\n");
}
