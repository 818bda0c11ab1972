import type { LinearPattern } from "../patterns.ts";

/** What is looked at of a line; minified JSON has lines of megabytes. */
const lineLength = 20_000;
const shownLength = 300;

export interface LineMatch {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** Of the line as much as is shown. */
  readonly text: string;
}

/** The lines of a file that the pattern is found in. */
export function* matchesIn(
  file: string,
  text: string,
  wanted: LinearPattern,
): Generator<LineMatch> {
  let number = 0;
  for (const whole of text.split("\n")) {
    number += 1;
    const line = whole.replace(/\r$/, "").slice(0, lineLength);
    const at = wanted.find(line);
    if (at === -1) continue;
    const from = line.length <= shownLength ? 0 : Math.max(0, at - 80);
    yield { file, line: number, column: at + 1, text: line.slice(from, from + shownLength) };
  }
}
