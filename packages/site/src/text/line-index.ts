import type { ProblemLocation } from "../core/index.ts";

/** 1-based. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Converts offsets in a text to lines and back. Built once per text; each lookup uses bisection. */
export class LineIndex {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
      this.#starts.push(at + 1);
    }
  }

  /** The number of lines; a line end at the end of the text begins another line. */
  get count(): number {
    return this.#starts.length;
  }

  /** Returns the line that contains an offset, counted from 0. */
  lineAt(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Returns the offset at which a line, counted from 0, begins; the length of the text for a line after the last. */
  startOf(line: number): number {
    return this.#starts[line] ?? this.#length;
  }

  placeAt(offset: number): TextPosition {
    const line = this.lineAt(offset);
    return { line: line + 1, column: offset - this.startOf(line) + 1 };
  }

  placeOf(file: string, offset: number): Required<ProblemLocation> {
    return { file, ...this.placeAt(offset) };
  }

  /** Returns the offset of a 1-based line and column; the length of the text for a line after the last. */
  offsetOf(line: number, column: number): number {
    return Math.min(this.#length, this.startOf(line - 1) + column - 1);
  }
}
