import type { ProblemLocation } from "../core/index.ts";

/** A position in a text. Lines and columns are 1-based. */
export interface TextPosition {
  readonly line: number;
  readonly column: number;
}

/** Converts offsets in a text to lines and back. Create it once per text. Each lookup uses bisection. */
export class LineIndex {
  readonly #starts: number[] = [0];
  readonly #length: number;

  constructor(text: string) {
    this.#length = text.length;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
      this.#starts.push(at + 1);
    }
  }

  /** The number of lines. A line end at the end of the text begins another line. */
  get lineCount(): number {
    return this.#starts.length;
  }

  /** Returns the 0-based line that contains an offset. */
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

  /**
   * Returns the offset at which a 0-based line begins. For a line after the last one, returns the length of the text.
   */
  startOf(line: number): number {
    return this.#starts[line] ?? this.#length;
  }

  positionAt(offset: number): TextPosition {
    const line = this.lineAt(offset);
    return { line: line + 1, column: offset - this.startOf(line) + 1 };
  }

  locationAt(file: string, offset: number): Required<ProblemLocation> {
    return { file, ...this.positionAt(offset) };
  }

  /** Returns the offset of a 1-based line and column. For a line after the last one, returns the length of the text. */
  offsetOf(line: number, column: number): number {
    return Math.min(this.#length, this.startOf(line - 1) + column - 1);
  }
}
