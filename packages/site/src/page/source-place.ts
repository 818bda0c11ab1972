import type { Place } from "./tree.ts";

/** Finds the line and column of an offset; built once a text, each answer by bisection. */
export class LineIndex {
  readonly #starts: number[] = [0];

  constructor(text: string) {
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) {
      this.#starts.push(at + 1);
    }
  }

  placeOf(file: string, offset: number): Place {
    const line = this.#lineOf(offset);
    return { file, line: line + 1, column: offset - (this.#starts[line] ?? 0) + 1 };
  }

  /** Offset of a 1-based line and column. */
  offsetOf(line: number, column: number): number {
    return (this.#starts[line - 1] ?? 0) + column - 1;
  }

  #lineOf(offset: number): number {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
