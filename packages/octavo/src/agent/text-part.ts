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
  readonly maxLines: number;
  /** The maximum length, in characters. */
  readonly maxLength: number;
}

/** The average length of a line, and of a line number with its separator, in characters. */
const [averageLineLength, averageNumberLength] = [40, 6];

/** Returns lines as `takeLines` does, each with its number and `|` before it. The numbers count toward `maxLength`. */
export function takeNumberedLines(path: string, text: string, window: LineWindow): TextPart {
  const maxLength = Math.floor(
    (window.maxLength * averageLineLength) / (averageLineLength + averageNumberLength),
  );
  const part = takeLines(path, text, { ...window, maxLength });
  const lines = splitLines(part.text);
  return { ...part, text: lines.map((line, index) => `${part.fromLine + index}|${line}`).join("") };
}

/**
 * Returns as many whole lines of the range as fit in `maxLength`. Throws `invalid_input` if the range begins after the
 * end of the text.
 */
export function takeLines(
  path: string,
  text: string,
  { fromLine, maxLines: lines, maxLength }: LineWindow,
): TextPart {
  const allLines = text === "" ? [""] : splitLines(text);
  if (fromLine > Math.max(allLines.length, 1)) {
    throw createInputError(`${path} has only ${allLines.length} lines.`);
  }
  const part = takeFirstLines(allLines.slice(fromLine - 1, fromLine - 1 + lines), maxLength);
  return { text: part, fromLine, totalLines: allLines.length };
}

/** Returns as many whole lines as fit in `maxLength`. If the first line is longer, returns its beginning. */
function takeFirstLines(lines: readonly string[], maxLength: number): string {
  const fittingLines: string[] = [];
  let length = 0;
  for (const line of lines) {
    length += line.length;
    if (length > maxLength) break;
    fittingLines.push(line);
  }
  if (fittingLines.length > 0 || lines.length === 0) return fittingLines.join("");
  return (lines[0] ?? "").slice(0, maxLength);
}

/** Returns the first items that fit in `maxLength` characters of JSON. */
export function takeFittingItems<T>(items: readonly T[], maxLength: number): readonly T[] {
  let length = 0;
  const end = items.findIndex((item) => (length += JSON.stringify(item).length + 1) > maxLength);
  return end < 0 ? items : items.slice(0, end);
}
