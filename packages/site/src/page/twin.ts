import { applyEdits, type TextEdit } from "../text/index.ts";
import { restoreMarks } from "./marks.ts";

/** White space that is looked at beside a place, so that a line of nothing else costs no more. */
const maxIndent = 200;

/** A file's Markdown as agents read it: its own source with a few places replaced. */
export class Twin {
  readonly #source: string;
  readonly #edits: TextEdit[] = [];
  /** Comments in a row are white space by now: the first takes the others along. */
  #removedTo = 0;

  /** `blanks`: places that are white space now and show nothing, as start, end, start, end, ... */
  constructor(source: string, blanks: readonly number[]) {
    this.#source = source;
    for (let index = 0; index < blanks.length; index += 2) {
      const start = blanks[index] ?? 0;
      if (start >= this.#removedTo) this.remove(start, blanks[index + 1] ?? start);
    }
  }

  replace(start: number, end: number, text: string): void {
    this.#edits.push({ start, end, text });
  }

  /** Takes out what fills whole lines, with the empty lines behind it; else only the place itself. */
  remove(start: number, end: number): void {
    const lineStart = start - this.indentAt(start).length;
    const isAlone = lineStart === 0 || this.#source[lineStart - 1] === "\n";
    const next = isAlone ? this.#nextLine(end) : undefined;
    if (next === undefined) return this.#removeInLine(start, end);
    this.#removedTo = next;
    this.replace(lineStart, next, "");
  }

  /** What was the last of its line takes the white space before it along. */
  #removeInLine(start: number, end: number): void {
    const after = this.#source.slice(end, end + maxIndent);
    const before = this.#source.slice(Math.max(0, start - maxIndent), start);
    const isLast = /^[ \t]*(?:\n|$)/.test(after);
    const from = isLast ? start - before.length + before.trimEnd().length : start;
    this.replace(from, end, "");
  }

  /** Start of the first line with text behind `offset`; undefined where the line goes on there. */
  #nextLine(offset: number): number | undefined {
    let start: number | undefined;
    for (let at = offset; at < this.#source.length; at++) {
      const char = this.#source[at] ?? "";
      if (char === "\n") start = at + 1;
      else if (/\S/.test(char)) return start;
    }
    return this.#source.length;
  }

  /** The white space that the line of `offset` begins with; empty where other text stands before it. */
  indentAt(offset: number): string {
    let start = offset;
    while (offset - start < maxIndent && /[ \t]/.test(this.#source[start - 1] ?? "")) start--;
    const isIndent = start === 0 || this.#source[start - 1] === "\n";
    return isIndent ? this.#source.slice(start, offset) : "";
  }

  source(start: number, end: number): string {
    return restoreMarks(this.#source.slice(start, end));
  }

  /** Remembers how many edits there are, for `slice`. */
  mark(): number {
    return this.#edits.length;
  }

  /** The text from `start` to `end` with the edits made there since `mark`. */
  slice(start: number, end: number, mark: number): string {
    return restoreMarks(apply(this.#source, this.#edits.slice(mark), start, end));
  }

  toText(start: number): string {
    return restoreMarks(apply(this.#source, this.#edits, start, this.#source.length));
  }
}

/** An edit inside another one is part of it, and not made again. */
function apply(source: string, edits: readonly TextEdit[], start: number, end: number): string {
  const outer: TextEdit[] = [];
  let done = start;
  for (const edit of edits.toSorted((a, b) => a.start - b.start || b.end - a.end)) {
    if (edit.start < done) continue;
    outer.push(edit);
    done = edit.end;
  }
  return applyEdits(source, outer, { start, end });
}

/** `text` with every line but the first indented, so that it stays within a list item or element. */
export function indentLines(text: string, indent: string): string {
  return indent === "" ? text : text.replaceAll(/\n(?=[^\n])/g, `\n${indent}`);
}
