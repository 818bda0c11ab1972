import { createInputError } from "@octavo/site/core";
import { splitLines } from "./changes/text-changes.ts";

/** A range of lines of a text, as returned by a tool. */
interface TextPart {
  readonly text: string;
  readonly fromLine: number;
  readonly totalLines: number;
}

interface LineWindow {
  /** The first line, counted from 1. */
  readonly fromLine: number;
  readonly lines: number;
  /** The maximum length, in characters. */
  readonly maxLength: number;
}

/** The average numbers of characters of a line, and of its number with the separator. */
const [lineLength, numberLength] = [40, 6];

/** Returns lines as `takeLines` does, each with its number and `|` before it. The numbers also take up room. */
export function takeNumberedLines(path: string, text: string, window: LineWindow): TextPart {
  const maxLength = Math.floor((window.maxLength * lineLength) / (lineLength + numberLength));
  const part = takeLines(path, text, { ...window, maxLength });
  const lines = splitLines(part.text);
  return { ...part, text: lines.map((line, at) => `${part.fromLine + at}|${line}`).join("") };
}

/**
 * Returns as many whole lines of the range as fit in `maxLength`. Throws `invalid_input` if the range begins after the
 * end of the text.
 */
export function takeLines(
  path: string,
  text: string,
  { fromLine, lines, maxLength }: LineWindow,
): TextPart {
  const all = text === "" ? [""] : splitLines(text);
  if (fromLine > Math.max(all.length, 1)) {
    throw createInputError(`${path} has only ${all.length} lines.`);
  }
  const part = takeFirstLines(all.slice(fromLine - 1, fromLine - 1 + lines), maxLength);
  return { text: part, fromLine, totalLines: all.length };
}

/** Returns as many whole lines as fit in `maxLength`. If the first line is longer, returns its beginning. */
function takeFirstLines(lines: readonly string[], maxLength: number): string {
  const fitting: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length;
    if (length > maxLength) break;
    fitting.push(line);
  }
  if (fitting.length > 0 || lines.length === 0) return fitting.join("");
  return (lines[0] ?? "").slice(0, maxLength);
}

/** Returns the first items that fit in `maxLength` characters of JSON. */
export function takeFittingItems<T>(items: readonly T[], maxLength: number): readonly T[] {
  let length = 0;
  const end = items.findIndex((item) => (length += JSON.stringify(item).length + 1) > maxLength);
  return end < 0 ? items : items.slice(0, end);
}
